// Preloaded: until it goes, programs that are started load this library before their own, and find these settings.
#pragma once

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace sy::service_test {

class Preloaded {
public:
    using Settings = std::vector<std::pair<std::string, std::string>>;

    Preloaded(const std::string& library, Settings settings) : settings_(std::move(settings)) {
        settings_.emplace_back("LD_PRELOAD", library);
        // NOLINTNEXTLINE(concurrency-mt-unsafe): one thread
        for (const auto& [name, value] : settings_) ::setenv(name.c_str(), value.c_str(), 1);
    }
    ~Preloaded() {
        // NOLINTNEXTLINE(concurrency-mt-unsafe): one thread
        for (const auto& [name, value] : settings_) ::unsetenv(name.c_str());
    }
    Preloaded(const Preloaded&) = delete;
    Preloaded& operator=(const Preloaded&) = delete;

private:
    Settings settings_;
};

}  // namespace sy::service_test
