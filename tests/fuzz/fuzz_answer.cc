// What a model server may answer. However its bytes are cut, it is the same answer, and what becomes of it is JSON.
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "fuzz/target.h"
#include "service/http/response_parser.h"
#include "service/worker/served_answer.h"

namespace {

struct Heard {
    std::string trouble;
    std::string pieces;
    std::string end;
};

Heard hear(std::string_view first, std::string_view second) {
    sy::http::ResponseParser parser({.head_bytes = 4096, .body_bytes = 4096});
    sy::worker::ServedAnswer answer;
    Heard heard;
    for (const std::string_view part : {first, second}) {
        parser.add(part);
        for (const sy::worker::PieceOfAnswer& piece : answer.read(parser)) {
            SY_CHECK(nlohmann::json::accept(piece.json), "a piece that is no JSON: {}", piece.json);
            heard.pieces += piece.json + "\n";
        }
    }
    parser.end();
    heard.trouble = parser.trouble();
    if (!parser.is_whole()) return heard;
    const sy::worker::RunnerWord word = answer.finish(parser);
    if (const auto* output = std::get_if<sy::worker::Output>(&word)) {
        SY_CHECK(nlohmann::json::accept(output->json), "an output that is no JSON: {}", output->json);
        heard.end = output->json;
    } else {
        heard.end = std::get<sy::worker::Failure>(word).message;
    }
    return heard;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    const std::size_t cut = size > 0 ? bytes[size - 1] % size : 0;
    const Heard whole = hear(text, {});
    const Heard cut_up = hear(text.substr(0, cut), text.substr(cut));
    SY_CHECK(whole.trouble.empty() == cut_up.trouble.empty(), "'{}' or '{}'", whole.trouble, cut_up.trouble);
    SY_CHECK(!whole.trouble.empty() || (whole.pieces == cut_up.pieces && whole.end == cut_up.end),
             "an answer that depends on how it was cut");
    return 0;
}

std::vector<std::string> sy::fuzz::seeds() {
    return {"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n{\"a\":1}",
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
            "f\r\ndata: {\"a\":1}\n\n\r\ne\r\ndata: [DONE]\n\n\r\n0\r\n\r\n",
            "HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\nevent: x\r\ndata: a\r\ndata: b\r\n\r\n: "
            "y\n\ndata: [DONE]\n\n",
            "HTTP/1.1 400 Bad Request\r\nContent-Length: 27\r\n\r\n{\"error\":{\"message\":\"no\"}} ",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n"};
}
