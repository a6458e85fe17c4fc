// A task that tells of itself from outside the service: when each attempt began, when it was last at work, and whether
// it came to its end.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "service/test_folder.h"

namespace sy::service_test {

class Witness {
public:
    /// Takes no notice of being asked to end. Its first attempt is at work for `first_seconds`, a later one hardly.
    /// Times are appended: whoever is killed while writing one leaves those before it whole.
    std::string script(int first_seconds) const {
        return fmt::format(
            "trap '' TERM; f={}/$SWITCHYARD_ATTEMPT; date +%s%N > $f.began; "
            "n=$([ $SWITCHYARD_ATTEMPT = 1 ] && echo {} || echo 1); "
            "(while [ $n -gt 0 ]; do date +%s%N >> $f.at_work; sleep 0.05; n=$((n-1)); done); touch $f.ended",
            marks_.path(), first_seconds * 20);
    }

    bool saw_the_first() const {
        for (int looks = 0; looks < 2000 && last_time_in("1.at_work") == 0; ++looks)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        return last_time_in("1.at_work") > 0;
    }
    /// The first attempt was over before the second began.
    bool saw_no_overlap() const {
        const std::uint64_t first = last_time_in("1.at_work");
        return first > 0 && first < last_time_in("2.began");
    }
    bool saw_the_end_of(int attempt) const {
        return std::filesystem::exists(fmt::format("{}/{}.ended", marks_.path(), attempt));
    }

private:
    std::uint64_t last_time_in(const std::string& name) const {
        std::ifstream times(marks_.path() + "/" + name);
        std::uint64_t last = 0;
        for (std::string line; std::getline(times, line) && !times.eof();) last = std::stoull(line);
        return last;
    }
    TestFolder marks_;
};

}  // namespace sy::service_test
