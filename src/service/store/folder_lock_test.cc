#include "service/store/folder_lock.h"

#include <chrono>
#include <filesystem>
#include <optional>
#include <thread>

#include <gtest/gtest.h>

#include "service/test_folder.h"

namespace sy::store {
namespace {

TEST(FolderLock, IsRefusedWhileAnotherServerHasTheFolder) {
    const service_test::TestFolder folder;
    const auto first = FolderLock::take(folder.path());
    ASSERT_TRUE(first.has_value());
    const auto second = FolderLock::take(folder.path());
    ASSERT_FALSE(second.has_value());
    EXPECT_NE(second.error().message.find("another server uses the folder"), std::string::npos);
}

TEST(FolderLock, IsTakenOnceTheLastOfAKilledServerHasGone) {
    const service_test::TestFolder folder;
    std::optional<FolderLock> first = FolderLock::take(folder.path()).value();
    std::thread last([&first] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        first.reset();
    });
    EXPECT_TRUE(FolderLock::take(folder.path()).has_value());
    last.join();
}

}  // namespace
}  // namespace sy::store
