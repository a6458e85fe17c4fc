// The picture that `switchyard top` shows, as lines of plain text.
#pragma once

#include <deque>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "cli/terminal.h"
#include "service/http/event_stream.h"

namespace sy::cli {

/// `overview`: what GET /api/v1/overview answers. `events`: the latest last.
std::string draw_top(const nlohmann::ordered_json& overview, const std::deque<std::string>& events, ScreenSize size);

/// "12:00:01 task 7 started"; empty for what is not worth a line.
std::string event_line(const http::Event& event);

}  // namespace sy::cli
