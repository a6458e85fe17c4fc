#include "service/worker/served_answer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace sy::worker {
namespace {

struct Heard {
    std::vector<std::string> pieces;
    RunnerWord end;
    const Output* output() const { return std::get_if<Output>(&end); }
    std::string failure() const {
        const auto* failure = std::get_if<Failure>(&end);
        return failure == nullptr ? "" : fmt::format("{} {}", failure->http_status, failure->message);
    }
};

Heard answered(const std::string& head, const std::string& body, std::size_t each = 5) {
    http::ResponseParser parser;
    ServedAnswer answer;
    Heard heard;
    const std::string bytes = "HTTP/1.1 " + head + "\r\n\r\n" + body;
    for (std::size_t at = 0; at < bytes.size(); at += each) {
        parser.add(std::string_view(bytes).substr(at, each));
        for (const PieceOfAnswer& piece : answer.read(parser)) heard.pieces.push_back(piece.json);
    }
    parser.end();
    heard.end = answer.finish(parser);
    return heard;
}

constexpr const char* kStream = "200 OK\r\nContent-Type: text/event-stream; charset=utf-8";

TEST(ServedAnswer, JsonIsKeptAsItIsAndTextAsAText) {
    EXPECT_EQ(answered("200 OK", R"({"b": 1, "a": [2]})").output()->json, R"({"b": 1, "a": [2]})");
    EXPECT_EQ(answered("200 OK", "plain \"words\"\n").output()->json, R"("plain \"words\"\n")");
    EXPECT_EQ(answered("204 No Content", "").output()->json, "null");
    EXPECT_EQ(answered("200 OK", "\xff\xfe").failure(), "0 the answer, 2 bytes, is neither JSON nor text");
}

TEST(ServedAnswer, AStreamComesInPiecesAndIsKeptWhole) {
    const Heard heard = answered(kStream, "data: {\"a\":1}\n\n: ping\n\nevent: x\r\ndata:word\r\n\r\ndata: [DONE]\n\n");
    EXPECT_EQ(heard.pieces, (std::vector<std::string>{R"({"a":1})", R"("word")"}));
    EXPECT_EQ(heard.output()->json, R"({"stream":[{"a":1},"word"]})");
}

TEST(ServedAnswer, AStreamThatIsCutOrTellsOfAnErrorFails) {
    EXPECT_EQ(answered(kStream, "data: 1\n\n").failure(), "0 the stream ended before it said that it was done");
    EXPECT_EQ(answered(kStream, "data: {\"error\":{\"message\":\"too long\"}}\n\ndata: [DONE]\n\n").failure(),
              "0 too long");
}

TEST(ServedAnswer, AStreamLongerThanAnOutputIsCutAndSaysSo) {
    std::string body;
    const std::string document = "\"" + std::string(100'000, 'x') + "\"";
    for (int i = 0; i < 20; ++i) body += "data: " + document + "\n\n";
    const Heard heard = answered(kStream, body + "data: [DONE]\n\n", 65'536);
    EXPECT_EQ(heard.pieces.size(), 20U);
    EXPECT_LE(heard.output()->json.size(), kMostOutput);
    EXPECT_TRUE(heard.output()->json.ends_with("],\"cut\":true}"));
}

TEST(ServedAnswer, ARefusalHasItsStatusAndReasonInWhateverForm) {
    EXPECT_EQ(answered("400 No", R"({"error": {"message": "no such thing", "code": 400}})").failure(),
              "400 no such thing");
    EXPECT_EQ(answered("400 No", R"({"error": "plain"})").failure(), "400 plain");
    EXPECT_EQ(answered("422 No", R"({"detail": [{"loc": ["body"]}]})").failure(), R"(422 [{"loc":["body"]}])");
    EXPECT_EQ(answered("500 No", "Internal Server Error").failure(), "500 Internal Server Error");
    EXPECT_EQ(answered("502 No", "").failure(), "502 the model's server answered with status 502");
    const Heard oom = answered("500 No", R"({"error": {"message": "CUDA out of memory. Tried"}})");
    EXPECT_TRUE(std::get<Failure>(oom.end).out_of_memory);
}

TEST(ServedAnswer, AnAnswerAtTheLimitIsKeptAndOnePastItIsNot) {
    const auto of_size = [](std::size_t size) { return "\"" + std::string(size - 2, 'x') + "\""; };
    EXPECT_NE(answered("200 OK", of_size(kMostOutput), 65'536).output(), nullptr);
    EXPECT_EQ(answered("200 OK", of_size(kMostOutput + 1), 65'536).failure(),
              "0 the answer has 1048577 bytes, at most 1048576 are kept: ask for less, or for a stream");
}

}  // namespace
}  // namespace sy::worker
