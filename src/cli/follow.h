// Follow: waiting for what happens on a service, over its stream of events. A server that is being restarted is waited
// for.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "base/time.h"
#include "cli/remote.h"
#include "service/http/event_stream.h"

namespace sy::cli {

/// Ears on a service that come back by themselves when it was away.
class Ears {
public:
    /// `server`: as said by `--server`. `filter`: what follows the path, such as "?task=7".
    Ears(const ServerArguments& server, const std::string& filter);

    /// What was heard; nothing where that time has passed, or where the line had to be opened anew: in both cases look
    /// for yourself what there is. An error when nobody has answered for a minute.
    Result<std::optional<http::Event>> next(Duration patience);
    /// Opens the line if there is none. What happens after this is not missed.
    Result<void> listen();

private:
    ServerArguments server_;
    std::string target_;
    std::optional<http::EventStream> stream_;
};

/// Asks until somebody answers, for a minute at most; other errors are given back at once.
Result<nlohmann::ordered_json> ask_patiently(const ServerArguments& server, const std::string& target);

bool has_ended(const nlohmann::ordered_json& task);

/// The task as it is when it has ended.
Result<nlohmann::ordered_json> wait_for_end(const ServerArguments& server, std::uint64_t task);

}  // namespace sy::cli
