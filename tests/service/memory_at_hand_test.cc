// How the service and its workers are told to keep freed memory, and that nobody else hears of it.
#include <gtest/gtest.h>

#include "service/service.h"

namespace sy::service_test {
namespace {

bool is_told(pid_t process) {
    std::ifstream file(fmt::format("/proc/{}/environ", process), std::ios::binary);
    const std::string environment{std::istreambuf_iterator<char>(file), {}};
    return environment.find("GLIBC_TUNABLES=glibc.malloc.tcache_count=") != std::string::npos;
}

TEST(MemoryAtHand, ServerAndWorkersKeepMoreOfWhatTheyFreeAndTasksKnowNothingOfIt) {
    const Service service(1);
    const std::uint64_t task = service.submit("env");
    service.wait_until(task, "succeeded");
    EXPECT_TRUE(is_told(service.server()));
    EXPECT_TRUE(is_told(service.worker(0)));
    const std::string seen = service.ask("GET", fmt::format("/api/v1/tasks/{}/logs", task))->body;
    EXPECT_NE(seen.find("PATH="), std::string::npos);
    EXPECT_EQ(seen.find("GLIBC"), std::string::npos) << seen;
}

}  // namespace
}  // namespace sy::service_test
