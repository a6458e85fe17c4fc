// A real worker whose server is the test: what it says on its line while a model answers.
#include <csignal>

#include <gtest/gtest.h>
#include <poll.h>

#include "service/loop/sockets.h"
#include "service/service.h"
#include "service/wire/frames.h"
#include "service/wire/messages.h"

namespace sy::service_test {
namespace {

class LoneWorker {
public:
    LoneWorker() {
        std::filesystem::create_directories(folder_.path() + "/logs");
        listener_ = *loop::listen_unix(folder_.path() + "/workers.sock");
        pid_ = ::fork();
        if (pid_ == 0) {
            ::execl(SWITCHYARD_BINARY, SWITCHYARD_BINARY, "worker", "--folder", folder_.path().c_str(), "--gpu", "0",
                    nullptr);
            ::_exit(127);
        }
        wait_for(listener_);
        line_ = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
        const Hello hello = hear<Hello>();
        say(Welcome{GpuId(0), hello.name, SessionId(1)});
    }
    LoneWorker(const LoneWorker&) = delete;
    LoneWorker& operator=(const LoneWorker&) = delete;
    ~LoneWorker() {
        ::kill(pid_, SIGTERM);
        ::waitpid(pid_, nullptr, 0);
        ::close(line_);
        ::close(listener_);
    }

    void say(wire::ToWorker message) {
        std::string frame = wire::frame_of(message);
        ASSERT_TRUE(loop::write_some(line_, frame));
    }
    /// The next message of this kind; those of others are passed over, but pieces are kept.
    template <class Message>
    Message hear() {
        for (;;) {
            while (const auto message = frames_.next<wire::ToServer>()) {
                if (const auto* piece = std::get_if<wire::Piece>(&*message)) pieces.push_back(*piece);
                if (const auto* wanted = std::get_if<Message>(&*message)) return *wanted;
            }
            if (!wait_for(line_)) {
                ADD_FAILURE() << "nothing came in 20 s";
                return {};
            }
            loop::read_all(line_, [this](std::string_view bytes) { frames_.add(bytes); });
        }
    }

    /// Hands it a call of a model in Python; `behind` the one before it, if any.
    void start(std::uint64_t number, const wire::Work& work, const std::optional<wire::ModelServer>& server,
               Fence behind = {}) {
        wire::Assignment assignment{{.span = {GpuId(0), 1},
                                     .session = SessionId(1),
                                     .task = TaskId(number),
                                     .attempt = 1,
                                     .fence = Fence(number),
                                     .timeout = 60s,
                                     .model = NameId(1),
                                     .keep = {{NameId(1)}},
                                     .behind = behind},
                                    work,
                                    server};
        say(assignment);
    }

    std::vector<wire::Piece> pieces;

private:
    static bool wait_for(int fd) {
        pollfd ready{fd, POLLIN, 0};
        return ::poll(&ready, 1, 20'000) > 0;
    }

    TestFolder folder_;
    int listener_ = -1;
    int line_ = -1;
    pid_t pid_ = -1;
    wire::Frames frames_;
};

wire::Work chat(const std::string& text, bool stream, const std::string& load_s = "0.1") {
    const Json body{{"stream", stream}, {"messages", {{{"role", "user"}, {"content", text}}}}};
    return {.argv = {"python3", SWITCHYARD_SOURCE_DIR "/examples/runner/openai_server.py", "--port", "${PORT}"},
            .environment = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}, {"LOAD_S", load_s}},
            .input = body.dump(),
            .model = "echo",
            .stream = stream};
}

const wire::ModelServer kServer{.served_name = "echo"};

TEST(Piece, AStreamIsHeardPieceByPieceInOrderBeforeItsReport) {
    LoneWorker worker;
    worker.start(1, chat("one two three four", true), kServer);
    const auto report = worker.hear<wire::DetailedReport>();
    EXPECT_EQ(report.report.outcome, Outcome::succeeded) << report.details.error;
    std::string text;
    Json all = Json::array();
    for (const wire::Piece& piece : worker.pieces) {
        EXPECT_EQ(piece.task, TaskId(1));
        EXPECT_EQ(piece.fence, Fence(1));
        all.push_back(Json::parse(piece.bytes));
        text += all.back()["choices"][0]["delta"].value("content", "");
    }
    EXPECT_EQ(worker.pieces.size(), 5U);
    EXPECT_EQ(text, "one two three four");
    EXPECT_EQ(Json::parse(report.details.output)["stream"], all);
}

TEST(Piece, NobodyIsSentPiecesWhoDidNotAskForThem) {
    LoneWorker worker;
    wire::Work work = chat("one two", true);
    work.stream = false;
    worker.start(1, work, kServer);
    EXPECT_EQ(worker.hear<wire::DetailedReport>().report.outcome, Outcome::succeeded);
    EXPECT_TRUE(worker.pieces.empty());
}

TEST(Piece, ARunnerOfLinesMaySpeakInPiecesToo) {
    LoneWorker worker;
    const std::string script =
        R"(echo '{"ready":{}}'; read line; for i in 1 2; do echo '{"piece":{"id":"1.1","data":{"n":'$i'}}}'; done;)"
        R"(echo '{"piece":{"id":"9.9","data":0}}'; echo '{"result":{"id":"1.1","output":3}}'; read line)";
    worker.start(1,
                 {.argv = {"sh", "-c", script},
                  .environment = {{"PATH", "/usr/bin:/bin"}},
                  .input = "1",
                  .model = "lines",
                  .stream = true},
                 std::nullopt);
    EXPECT_EQ(worker.hear<wire::DetailedReport>().details.output, "3");
    ASSERT_EQ(worker.pieces.size(), 2U);
    EXPECT_EQ(worker.pieces[0].bytes, R"({"n":1})");
    EXPECT_EQ(worker.pieces[1].bytes, R"({"n":2})");
}

TEST(Piece, ALoadThatIsCancelledGoesOnForWhoeverStandsBehind) {
    LoneWorker worker;
    worker.start(1, chat("first", false, "0.5"), kServer);
    worker.start(2, chat("second", false, "0.5"), kServer, Fence(1));
    worker.say(StopAttempt{.gpu = GpuId(0), .task = TaskId(1), .attempt = 1, .fence = Fence(1)});
    const auto stopped = worker.hear<wire::DetailedReport>();
    EXPECT_EQ(stopped.report.task, TaskId(1));
    EXPECT_EQ(stopped.report.outcome, Outcome::stopped);
    const auto done = worker.hear<wire::DetailedReport>();
    EXPECT_EQ(done.report.task, TaskId(2));
    EXPECT_EQ(done.report.outcome, Outcome::succeeded) << done.details.error;
    EXPECT_LT(done.details.load_us, 2'000'000U);
}

}  // namespace
}  // namespace sy::service_test
