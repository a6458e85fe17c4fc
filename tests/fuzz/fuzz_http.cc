// What a stranger may send to the service: requests, whole and in pieces, and tasks in their bodies.
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "fuzz/target.h"
#include "service/http/parser.h"
#include "service/server/task_json.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    sy::http::Parser parser({.header_bytes = 4096, .body_bytes = 4096});
    const std::size_t cut = size > 0 ? bytes[0] % size : 0;
    for (const std::string_view part : {text.substr(0, cut), text.substr(cut)}) {
        parser.add(part);
        while (const auto request = parser.next()) {
            SY_CHECK(request->path.starts_with('/') && request->body.size() <= 4096, "a request to {}", request->path);
            const auto json = nlohmann::ordered_json::parse(request->body, nullptr, false);
            if (json.is_discarded()) continue;
            const auto submission = sy::server::read_submission(json);
            if (submission) SY_CHECK(!submission->work.argv.empty(), "a task without a command");
        }
    }
    return 0;
}

std::vector<std::string> sy::fuzz::seeds() {
    const std::string body =
        R"({"command": ["sh", "-c", "true"], "name": "x", "env": {"A": "b"}, "gpus": 2, "memory_mb": 1e3, "priority": "HIGH"})";
    return {
        "GET /api/v1/tasks?limit=5&before=9 HTTP/1.1\r\nHost: x\r\n\r\n",
        "POST /api/v1/tasks HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body,
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"};
}
