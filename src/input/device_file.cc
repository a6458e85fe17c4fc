#include "input/device_file.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "input/amounts.h"
#include "input/fields.h"
#include "input/reading.h"

namespace sy::input {

namespace {

using Fault = DeviceFault::What;

constexpr std::uint64_t kHighestXid = 999;
constexpr Range kCelsius{.least = 0, .most = 150};

/// A fault's word, and the key that it alone has.
struct Word {
    std::string_view word;
    Fault what;
    std::string_view key;
};
constexpr std::array kFaultWords{Word{"lost", Fault::lost, ""}, Word{"ecc", Fault::ecc, ""},
                                 Word{"xid", Fault::xid, "xid"}, Word{"hot", Fault::hot, "celsius"},
                                 Word{"stranger", Fault::stranger, "memory_gb"}};

const Word& word_of(const Node& value, const std::string& what) {
    const std::string& text = text_of(value, what);
    for (const Word& word : kFaultWords)
        if (word.word == text) return word;
    std::vector<std::string_view> known;
    for (const Word& word : kFaultWords) known.push_back(word.word);
    const auto meant = nearest_word(text, known);
    throw Refused{
        value.mark, fmt::format("{} is {}, it must be one of {}", what, shown(value), fmt::join(known, ", ")),
        meant ? fmt::format("did you mean {}?", *meant) : fmt::format("write one of {}", fmt::join(known, ", "))};
}

class DeviceReader {
public:
    DeviceFile read(const Node& root) {
        const Map file(root, "the device file", {"gpus", "faults"});
        read_gpus(file.require("gpus"));
        if (const Node* faults = file.find("faults")) read_faults(*faults);
        return std::move(file_);
    }

private:
    void read_gpus(const Node& list) {
        expect(list, Kind::list, "gpus");
        for (const Node& entry : list.items) {
            const Map map(entry, "this entry of gpus", {"kind", "memory_gb", "gb_per_s", "count"});
            PretendedGpu gpu;
            if (const Node* kind = map.find("kind")) gpu.kind = text_of(*kind, map.of("kind"));
            gpu.memory = gigabytes_of(map.require("memory_gb"), map.of("memory_gb"), Bytes(1));
            if (const Node* rate = map.find("gb_per_s"))
                gpu.bandwidth = gigabytes_of(*rate, map.of("gb_per_s"), Bytes(1));
            const Node* count = map.find("count");
            const std::uint64_t many = count == nullptr ? 1 : whole_of(*count, map.of("count"), 1, kMostPretendedGpus);
            if (file_.gpus.size() + many > kMostPretendedGpus)
                throw Refused{entry.mark,
                              fmt::format("there are {} GPUs up to here, the limit is {}", file_.gpus.size() + many,
                                          kMostPretendedGpus),
                              "list fewer"};
            file_.gpus.insert(file_.gpus.end(), many, gpu);
        }
        if (file_.gpus.empty())
            throw Refused{list.mark, "gpus is an empty list", "list at least one, as in {memory_gb: 80}"};
    }

    void read_faults(const Node& list) {
        expect(list, Kind::list, "faults");
        if (list.items.size() > kMostDeviceFaults)
            throw Refused{list.mark,
                          fmt::format("there are {} faults, the limit is {}", list.items.size(), kMostDeviceFaults),
                          "list fewer"};
        for (const Node& entry : list.items) file_.faults.push_back(read_fault(entry));
    }

    DeviceFault read_fault(const Node& entry) const {
        const Map map(entry, "this entry of faults", {"gpu", "at_s", "for_s", "what", "xid", "celsius", "memory_gb"});
        const Word& word = word_of(map.require("what"), map.of("what"));
        refuse_keys_of_others(map, word);
        DeviceFault fault;
        fault.what = word.what;
        fault.gpu = static_cast<std::uint32_t>(whole_of(map.require("gpu"), map.of("gpu"), 0, file_.gpus.size() - 1));
        fault.from = seconds_of(map.require("at_s"), map.of("at_s"), 0s);
        if (const Node* length = map.find("for_s"))
            fault.until = fault.from + seconds_of(*length, map.of("for_s"), Duration(1));
        if (word.what == Fault::xid) fault.xid = whole_of(map.require("xid"), map.of("xid"), 1, kHighestXid);
        if (word.what == Fault::hot) fault.celsius = real_of(map.require("celsius"), map.of("celsius"), kCelsius);
        if (word.what == Fault::stranger) fault.memory = read_stranger(map, fault.gpu);
        return fault;
    }

    static void refuse_keys_of_others(const Map& map, const Word& word) {
        for (const Word& other : kFaultWords)
            if (const Node* value = map.find(other.key); value != nullptr && other.key != word.key)
                throw Refused{value->mark,
                              fmt::format("{} of {} belongs to what: {}, this is {}", other.key, map.what(), other.word,
                                          word.word),
                              fmt::format("leave {} away", other.key)};
    }

    Bytes read_stranger(const Map& map, std::uint32_t gpu) const {
        const Node& value = map.require("memory_gb");
        const Bytes memory = gigabytes_of(value, map.of("memory_gb"), Bytes(1));
        if (memory <= file_.gpus[gpu].memory) return memory;
        throw Refused{value.mark,
                      fmt::format("{} is {}, GPU {} has {}", map.of("memory_gb"), shown(value), gpu,
                                  static_cast<double>(file_.gpus[gpu].memory.value()) / 1e9),
                      "a stranger cannot use more than there is"};
    }

    DeviceFile file_;
};

}  // namespace

Result<DeviceFile> parse_devices(const Document& document) {
    try {
        return DeviceReader().read(document.root);
    } catch (const Refused& refused) {
        return invalid_at(document.name, refused.mark, refused.message, refused.fix);
    }
}

}  // namespace sy::input
