// LineRunner: a runner that is spoken to on its standard input and answers on its standard output, one JSON document a
// line (docs/runner.md).
#pragma once

#include <memory>

#include "service/worker/runner.h"

namespace sy::worker {

class LineRunner final : public Runner {
public:
    static Result<std::unique_ptr<Runner>> start(NameId model, const process::Command& command, Instant now);
    ~LineRunner() override;

    pollfd line() const override { return {unsent_.empty() ? -1 : in_, POLLOUT, 0}; }
    void call(const std::string& id, const std::string& input_json) override;
    void cancel() override;
    void leave(Instant kill_at) override;
    std::vector<RunnerWord> hear(Instant now, const Chatter& chatter) override;

private:
    using Runner::Runner;
    void write();
    void take_line(std::vector<RunnerWord>& words, const Chatter& chatter);

    int in_ = -1;
    std::string id_;  ///< Of the call under way.
    std::string unsent_;
    std::string line_;  ///< What has come of the next one.
    bool flooded_ = false;
};

}  // namespace sy::worker
