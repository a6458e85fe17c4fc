// Calls: interactive requests, each a task of its own that its client waits for. The answer goes out when the task has
// ended, or piece by piece while it is made; a client that has gone takes its task with it, wherever that stands.
//
// On the loop's thread alone.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "service/http/server.h"
#include "service/http/stream.h"
#include "service/loop/loop.h"
#include "service/openai/answer.h"
#include "service/openai/call.h"
#include "service/server/change.h"
#include "service/server/engine.h"
#include "service/server/pieces.h"
#include "service/server/task_rules.h"

namespace sy::openai {

class Calls {
public:
    struct World {
        loop::Loop& loop;
        server::Engine& engine;
        server::Pieces& pieces;
        server::TaskRules rules;
        std::function<server::WallTime()> wall;
    };
    /// Who asks, and how to reach them.
    struct Client {
        std::string owner;
        std::function<void(std::function<void()>)> when_gone;
        http::Server::Answer answer;
    };

    Calls(World world, std::size_t most_waiting) : world_(std::move(world)), most_waiting_(most_waiting) {}

    void add(Call call, Client client);
    void see(const server::Change& change);
    /// What an earlier life of the server was asked: nobody waits for it any more.
    void cancel_left_over();
    std::size_t waiting_count() const { return waiting_.size(); }

private:
    using Number = std::uint64_t;
    struct Waiting {
        Call call;
        http::Server::Answer answer;
        TaskId task;  ///< 0: not accepted yet.
        std::optional<loop::Loop::Timer> deadline;
        std::shared_ptr<http::Stream> stream;  ///< Once the answer has begun.
        std::uint32_t attempt = 0;             ///< Whose pieces were sent.
        bool in_our_words = false;             ///< They were text, made documents here.
    };

    void placed(Number number, const Result<server::Placed>& placed);
    void heard(Number number, std::uint32_t attempt, std::string_view json);
    static std::shared_ptr<http::Stream> open_stream(const Waiting& waiting);
    void ended(Number number);
    void succeed(Waiting& waiting, const server::TaskRecord& record) const;
    /// The call is answered and forgotten; its task, where there is one, is not wanted any more.
    void give_up(Number number, const Refusal& refusal);
    static void refuse(const Waiting& waiting, const Refusal& refusal);
    Waiting take(Number number);
    Marks marks_of(const Waiting& waiting) const;

    World world_;
    std::size_t most_waiting_;
    Number last_ = 0;
    std::map<Number, Waiting> waiting_;
    std::map<TaskId, Number> by_task_;
};

/// What a client is told of a task that did not succeed.
Refusal refusal_of(const server::TaskRecord& record);

}  // namespace sy::openai
