#include "input/fault_file.h"

#include "input/amounts.h"
#include "input/reading.h"

namespace sy::input {

namespace {

class FaultReader {
public:
    explicit FaultReader(std::size_t nodes) : nodes_(nodes) {}

    OutagePlan read(const Node& root) {
        const Map file(root, "the fault file", {"outages", "random"});
        if (const Node* outages = file.find("outages")) read_outages(*outages);
        if (const Node* random = file.find("random")) read_random(*random);
        if (plan_.empty())
            throw Refused{root.mark, "the fault file says nothing",
                          "write outages, as in {node: 0, at_s: 600, for_s: 60}, or random"};
        return std::move(plan_);
    }

private:
    void read_outages(const Node& list) {
        expect(list, Kind::list, "outages");
        for (const Node& entry : list.items) {
            const Map map(entry, "this entry of outages", {"node", "at_s", "for_s"});
            Outage outage;
            outage.node =
                NodeId(static_cast<std::uint32_t>(whole_of(map.require("node"), map.of("node"), 0, nodes_ - 1)));
            outage.from = kStart + seconds_of(map.require("at_s"), map.of("at_s"), 0s);
            if (const Node* length = map.find("for_s"))
                outage.until = outage.from + seconds_of(*length, map.of("for_s"), Duration(1));
            plan_.certain.push_back(outage);
        }
    }

    void read_random(const Node& value) {
        const Map map(value, "random", {"seed", "mean_up_s", "mean_down_s"});
        Mishaps mishaps;
        if (const Node* seed = map.find("seed"))
            mishaps.seed = whole_of(*seed, map.of("seed"), 0, std::numeric_limits<std::uint64_t>::max());
        mishaps.mean_up = seconds_of(map.require("mean_up_s"), map.of("mean_up_s"), 1s);
        mishaps.mean_down = seconds_of(map.require("mean_down_s"), map.of("mean_down_s"), Duration(1));
        plan_.mishaps = mishaps;
    }

    std::size_t nodes_;
    OutagePlan plan_;
};

}  // namespace

Result<OutagePlan> parse_faults(const Document& document, std::size_t nodes) {
    try {
        return FaultReader(nodes).read(document.root);
    } catch (const Refused& refused) {
        return invalid_at(document.name, refused.mark, refused.message, refused.fix);
    }
}

}  // namespace sy::input
