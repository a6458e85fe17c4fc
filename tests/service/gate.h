// Gate: holds tasks up until a test lets them through, so that none of them ends too soon on a slow machine.
#pragma once

#include <fstream>
#include <string>

#include <fmt/format.h>

#include "service/test_folder.h"

namespace sy::service_test {

class Gate {
public:
    /// A command that ends when the gate is open.
    std::string wait() const { return fmt::format("until [ -e {} ]; do sleep 0.05; done", path()); }
    void open() const { std::ofstream file(path()); }

private:
    std::string path() const { return folder_.path() + "/open"; }

    TestFolder folder_;
};

}  // namespace sy::service_test
