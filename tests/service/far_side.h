// FarSide: a network namespace of a test's own, joined to this one by a cable that can be cut. It needs the right to
// make one (CAP_NET_ADMIN); where that is missing, `why_not` says so and the test is skipped. Any other trouble fails
// it.
#pragma once

#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include "base/check.h"

namespace sy::service_test {

class FarSide {
public:
    FarSide() {
        static int made = 0;
        const int number = ::getpid() % 10'000 * 10 + made++ % 10;
        name_ = fmt::format("sy{}", number);
        near_ = fmt::format("10.{}.{}.1", 64 + number / 250 % 64, number % 250);
        const std::string far = near_.substr(0, near_.size() - 1) + "2";
        remove();  // what a process of the same number left
        for (const std::string& step :
             {fmt::format("netns add {}", name_),
              fmt::format("link add {0}n type veth peer name {0}f netns {0}", name_),
              fmt::format("addr add {}/24 dev {}n", near_, name_), fmt::format("link set {}n up", name_),
              fmt::format("-n {0} addr add {1}/24 dev {0}f", name_, far), fmt::format("-n {0} link set {0}f up", name_),
              fmt::format("-n {} link set lo up", name_)})
            if (why_not_.empty()) why_not_ = ip(step);
        const bool may_not = why_not_.find("not permitted") != std::string::npos ||
                             why_not_.find("Permission denied") != std::string::npos ||
                             why_not_.find("not found") != std::string::npos;
        SY_CHECK(why_not_.empty() || may_not, "no network namespace can be made, though it may be: {}", why_not_);
    }
    ~FarSide() { remove(); }
    FarSide(const FarSide&) = delete;
    FarSide& operator=(const FarSide&) = delete;

    /// Empty where it is there.
    const std::string& why_not() const { return why_not_; }
    /// This side's address, as the other side sees it.
    const std::string& near() const { return near_; }
    /// Before the words of a command that is to run there.
    std::vector<std::string> words() const { return {"ip", "netns", "exec", name_}; }

    void cut() const { ip("link set " + name_ + "n down"); }
    void mend() const { ip("link set " + name_ + "n up"); }

    /// On a thread that is there: its sockets stay there.
    void run(const std::function<void()>& call) const {
        std::thread([&] {
            const int there = ::open(("/run/netns/" + name_).c_str(), O_RDONLY | O_CLOEXEC);
            if (there >= 0 && ::setns(there, CLONE_NEWNET) == 0) call();
            if (there >= 0) ::close(there);
        }).join();
    }

private:
    void remove() const {
        ip("link del " + name_ + "n");
        ip("netns del " + name_);
    }

    /// What it complains of; empty where it was done.
    static std::string ip(const std::string& words) {
        std::FILE* out = ::popen(("ip " + words + " 2>&1").c_str(), "r");
        if (out == nullptr) return "no shell";
        std::string said;
        std::array<char, 256> line{};
        while (std::fgets(line.data(), line.size(), out) != nullptr) said += line.data();
        const int status = ::pclose(out);
        return status == 0 ? "" : fmt::format("ip {}: {}", words, said.empty() ? "failed" : said);
    }

    std::string name_;
    std::string near_;
    std::string why_not_;
};

#define SKIP_WITHOUT(far) \
    if (!(far).why_not().empty()) GTEST_SKIP() << "no network namespace can be made here: " << (far).why_not()

}  // namespace sy::service_test
