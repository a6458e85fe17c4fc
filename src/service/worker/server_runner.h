// ServerRunner: a model whose runner is an HTTP server of the OpenAI kind: llama-server, vLLM and their like. It is
// ready when its health path says so, a call is a request to it, and to cancel a call is to hang up. One that can sleep
// may leave the GPU and keep its process.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "service/wire/messages.h"
#include "service/worker/exchange.h"
#include "service/worker/runner.h"
#include "service/worker/served_answer.h"

namespace sy::worker {

class ServerRunner final : public Runner {
public:
    /// `name` is the model's in the catalogue, for errors.
    static Result<std::unique_ptr<Runner>> start(NameId model, const std::string& name, process::Command command,
                                                 const wire::ModelServer& server, Instant now);

    pollfd line() const override;
    void call(const std::string& id, const std::string& input_json) override;
    void cancel() override;
    void leave(Instant kill_at) override;
    bool can_sleep() const override { return !server_.sleep.empty(); }
    void fall_asleep(Instant now) override;
    void wake(Instant now) override;
    Instant next_due() const override;
    std::vector<RunnerWord> hear(Instant now, const Chatter& chatter) override;

private:
    ServerRunner(NameId model, const wire::ModelServer& server, Instant now);

    void ask(const std::string& method, const std::string& target, const std::string& body = {});
    void see_health(Instant now, std::vector<RunnerWord>& words);
    void see_waking(Instant now);
    void see_sleep(Instant now, std::vector<RunnerWord>& words);
    void see_answer(Instant now, std::vector<RunnerWord>& words);
    bool is_healthy() const;
    void answer_with(RunnerWord word, std::vector<RunnerWord>& words);
    void give_up(const std::string& why, std::vector<RunnerWord>& words);

    std::string name_;
    wire::ModelServer server_;
    ServerPlace place_;
    std::unique_ptr<Exchange> exchange_;  ///< Under way.
    ServedAnswer answer_;                 ///< Of the call under way.
    Instant deadline_ = kNever;           ///< For loading, waking and falling asleep.
    Instant next_look_ = kNever;          ///< At its health, or at what became of it.
    Duration pause_{};                    ///< Between two looks.
    bool told_to_wake_ = false;           ///< And has not answered that yet.
    std::string last_trouble_;            ///< Of the last look at its health.
    std::vector<RunnerWord> owed_;        ///< To be said at the next occasion.
};

}  // namespace sy::worker
