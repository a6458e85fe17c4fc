// What the server does with files that are not as it left them (R12).
#include <gtest/gtest.h>

#include "service/service.h"

namespace sy::service_test {
namespace {

/// A server that was killed, with its store's log.
class Killed {
public:
    Killed() {
        service.start_with({"--gpus", "none"});
        for (int i = 0; i < 3; ++i) tasks.push_back(service.submit("true"));
        service.kill_server(SIGKILL);
        log = service.file("switchyard.db-wal");
    }
    void write(const std::string& bytes) const {
        std::ofstream(service.folder() + "/switchyard.db-wal", std::ios::binary | std::ios::trunc) << bytes;
    }

    Service service{0, Service::Later{}};
    std::vector<std::uint64_t> tasks;
    std::string log;
};

TEST(Damage, ATornTailIsCutOffAndSaidAndWhatWasBeforeItIsThere) {
    Killed killed;
    killed.write(killed.log.substr(0, killed.log.size() - 100));
    killed.service.start();
    EXPECT_NE(killed.service.file("serve.log").find("that did not come to its end"), std::string::npos)
        << killed.service.file("serve.log");
    EXPECT_EQ(killed.service.task(killed.tasks[0])["state"], "queued");
    EXPECT_EQ(killed.service.task(killed.tasks[1])["state"], "queued");
    EXPECT_EQ(killed.service.ask("GET", fmt::format("/api/v1/tasks/{}", killed.tasks[2]))->status, 404U)
        << "it was torn";
    EXPECT_EQ(killed.service.submit("true"), killed.tasks[2]);
}

TEST(Damage, ACommitThatOthersFollowedIsNotPassedOverInSilence) {
    Killed killed;
    std::string damaged = killed.log;
    damaged[damaged.size() / 2] ^= 1;
    killed.write(damaged);
    killed.service.start();
    EXPECT_NE(killed.service.kill_server(SIGTERM), 0) << "it should not have come so far";
    EXPECT_NE(killed.service.file("serve.log").find("switchyard.db-wal is damaged"), std::string::npos)
        << killed.service.file("serve.log");
    killed.write(killed.log);
    killed.service.start();
    for (const std::uint64_t task : killed.tasks) EXPECT_EQ(killed.service.task(task)["state"], "queued");
}

}  // namespace
}  // namespace sy::service_test
