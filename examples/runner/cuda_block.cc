// A runner that holds real GPU memory: a model of MODEL_GB gigabytes, copied from the host when it is loaded. It needs
// NVIDIA's driver and nothing else, not even its headers: the calls used are declared here and found at run time.
//
// Calls: {"sum": true} adds up some of what lies on the card; {"more_gb": 5} takes more memory for the length of the
// call, which fails as CUDA does when there is none; anything else comes back.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <nlohmann/json.hpp>

namespace {

using Json = nlohmann::json;
using Address = unsigned long long;

constexpr std::size_t kGigabyte = 1'000'000'000;
constexpr std::size_t kPiece = std::size_t{256} << 20U;
constexpr int kOutOfMemory = 2;

struct OutOfMemory : std::runtime_error {
    OutOfMemory() : std::runtime_error("CUDA_ERROR_OUT_OF_MEMORY") {}
};

class Cuda {
public:
    Cuda() {
        library_ = ::dlopen("libcuda.so.1", RTLD_NOW);
        if (library_ == nullptr) throw std::runtime_error("there is no NVIDIA driver here");
        check(find<int(unsigned)>("cuInit")(0));
        int device = 0;
        check(find<int(int*, int)>("cuDeviceGet")(&device, 0));
        void* context = nullptr;
        check(find<int(void**, unsigned, int)>("cuCtxCreate_v2")(&context, 0, device));
    }

    Address take(std::size_t bytes) {
        Address address = 0;
        check(find<int(Address*, std::size_t)>("cuMemAlloc_v2")(&address, bytes));
        return address;
    }
    void give_back(Address address) { check(find<int(Address)>("cuMemFree_v2")(address)); }
    /// Host memory that the card can read by itself.
    void* take_pinned(std::size_t bytes) {
        void* memory = nullptr;
        check(find<int(void**, std::size_t)>("cuMemAllocHost_v2")(&memory, bytes));
        return memory;
    }
    void to_card(Address to, const void* from, std::size_t bytes) {
        check(find<int(Address, const void*, std::size_t)>("cuMemcpyHtoD_v2")(to, from, bytes));
    }
    void from_card(void* to, Address from, std::size_t bytes) {
        check(find<int(void*, Address, std::size_t)>("cuMemcpyDtoH_v2")(to, from, bytes));
    }

private:
    template <class Function>
    Function* find(const char* name) {
        auto* found = reinterpret_cast<Function*>(::dlsym(library_, name));
        if (found == nullptr) throw std::runtime_error(std::string("the driver has no ") + name);
        return found;
    }
    static void check(int result) {
        if (result == kOutOfMemory) throw OutOfMemory();
        if (result != 0) throw std::runtime_error("CUDA error " + std::to_string(result));
    }

    void* library_ = nullptr;
};

class Model {
public:
    explicit Model(std::size_t bytes) : bytes_(bytes), address_(cuda_.take(bytes)) {
        auto* piece = static_cast<std::uint8_t*>(cuda_.take_pinned(kPiece));
        for (std::size_t i = 0; i < kPiece; ++i) piece[i] = static_cast<std::uint8_t>(i % 251);
        for (std::size_t at = 0; at < bytes_; at += kPiece)
            cuda_.to_card(address_ + at, piece, std::min(kPiece, bytes_ - at));
    }

    Json answer(const Json& input) {
        if (input.is_object() && input.contains("sum")) {
            std::vector<std::uint8_t> some(4096);
            cuda_.from_card(some.data(), address_ + bytes_ / 2, some.size());
            std::uint64_t sum = 0;
            for (const std::uint8_t byte : some) sum += byte;
            return {{"sum", sum}};
        }
        if (input.is_object() && input.contains("more_gb")) {
            const Address more = cuda_.take(input["more_gb"].get<std::size_t>() * kGigabyte);
            cuda_.give_back(more);
            return {{"took_gb", input["more_gb"]}};
        }
        return input;
    }

private:
    Cuda cuda_;
    std::size_t bytes_;
    Address address_;
};

void say(const Json& word) {
    std::cout << word.dump() << '\n' << std::flush;
}

void serve(Model& model) {
    for (std::string line; std::getline(std::cin, line);) {
        const Json word = Json::parse(line);
        if (word.contains("unload")) return;
        if (!word.contains("run")) continue;
        const Json& call = word["run"];
        try {
            say({{"result", {{"id", call["id"]}, {"output", model.answer(call["input"])}}}});
        } catch (const OutOfMemory& error) {
            say({{"error", {{"id", call["id"]}, {"message", error.what()}, {"kind", "oom"}}}});
        }
    }
}

}  // namespace

int main() {
    try {
        const char* gigabytes = std::getenv("MODEL_GB");  // NOLINT(concurrency-mt-unsafe): one thread
        Model model((gigabytes != nullptr ? std::stoul(gigabytes) : 1) * kGigabyte);
        say({{"ready", Json::object()}});
        serve(model);
        return 0;
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
