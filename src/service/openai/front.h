// Front: the service as OpenAI's clients know it: models, chats, completions, embeddings, files and batches under /v1.
#pragma once

#include <string>
#include <string_view>

#include "service/auth/gate.h"
#include "service/http/server.h"
#include "service/openai/batches.h"
#include "service/openai/calls.h"
#include "service/openai/files.h"

namespace sy::openai {

class Front {
public:
    struct Options {
        std::string folder;  ///< The service's: `files` and `batches` are within.
        std::size_t most_waiting = 1'000;
        std::int64_t since = 0;  ///< What models say they were created at: seconds since 1970.
        std::function<void(const std::string&)> say;
    };

    Front(Options options, Calls::World world, runs::Runs& runs);

    Result<void> open();
    void see(const server::Change& change) { calls_.see(change); }
    /// At the end of every turn.
    void advance() { batches_.advance(); }

    http::Response models() const;
    http::Response model(const std::string& name) const;
    /// `path` says of which kind.
    void call(std::string_view path, const http::Request& request, const auth::Caller& caller,
              const http::Server::Answer& answer);

    // In front_files.cc.
    http::Response add_file(const http::Request& request);
    http::Response list_files(const http::Request& request) const;
    http::Response show_file(const std::string& id) const;
    http::Response file_content(const std::string& id) const;
    http::Response remove_file(const std::string& id);

    // In front_batches.cc.
    http::Response add_batch(const http::Request& request, const auth::Caller& caller);
    http::Response list_batches(const http::Request& request);
    http::Response show_batch(const std::string& id);
    http::Response cancel_batch(const std::string& id);

private:
    Options options_;
    server::Engine& engine_;
    std::function<server::WallTime()> wall_;
    Calls calls_;
    Files files_;
    Batches batches_;
};

}  // namespace sy::openai
