#include "service/redis/connection.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <hiredis/hiredis.h>
#include <sys/socket.h>

namespace sy::redis {

namespace {

/// Of Redis, from which on scripts may say what they need.
constexpr int kOldest = 7;

constexpr Duration kFirstPause = 10ms;
constexpr Duration kLongestPause = 500ms;

timeval as_timeval(Duration d) {
    const auto us = std::chrono::ceil<std::chrono::microseconds>(d).count();
    return {us / 1'000'000, us % 1'000'000};
}

struct Word {
    std::string_view begins;
    Trouble trouble;
};

/// The first word of an error is its kind; what has none of these is rare.
constexpr std::array kWords{
    Word{"NOAUTH", Trouble::refused_password},
    Word{"WRONGPASS", Trouble::refused_password},
    Word{"ERR AUTH", Trouble::refused_password},
    Word{"ERR invalid password", Trouble::refused_password},
    Word{"NOPERM", Trouble::not_allowed},
    Word{"READONLY", Trouble::read_only},
    Word{"OOM", Trouble::out_of_memory},
    Word{"MISCONF", Trouble::cannot_write},
    Word{"LOADING", Trouble::loading},
    Word{"MASTERDOWN", Trouble::loading},
    Word{"BUSY", Trouble::loading},
    Word{"NOSCRIPT", Trouble::no_script},
};

Trouble trouble_in(std::string_view error) {
    for (const Word& word : kWords)
        if (error.starts_with(word.begins)) return word.trouble;
    return Trouble::other;
}

const char* fix_for(Trouble trouble) {
    switch (trouble) {
        case Trouble::refused_password: return "name the user and the password that this Redis knows";
        case Trouble::not_allowed: return "give this user the rights that docs/redis.md lists";
        case Trouble::read_only: return "name the primary, not a replica";
        case Trouble::out_of_memory: return "give Redis more memory (maxmemory) or let old tasks be forgotten";
        case Trouble::cannot_write: return "make room on the disk of Redis";
        case Trouble::loading: return "wait until Redis has read its files";
        default: return "";
    }
}

/// What stands behind "name:" in an answer to INFO.
std::string_view line_of(std::string_view text, std::string_view name) {
    const std::size_t at = text.find(name);
    if (at == std::string_view::npos) return {};
    const std::string_view rest = text.substr(at + name.size());
    return rest.substr(0, rest.find_first_of("\r\n"));
}

}  // namespace

void Connection::Close::operator()(redisContext* line) const {
    redisFree(line);
}

Connection::Connection(Address address, Patience patience) : address_(std::move(address)), patience_(patience) {}

Result<Connection> Connection::open(const Address& address, Patience patience) {
    Connection connection(address, patience);
    if (const auto opened = connection.be_open(); !opened) return tl::unexpected(opened.error());
    return connection;
}

Result<Reply> Connection::ask(Command& command, Duration longer) {
    if (auto opened = be_open(); !opened) return tl::unexpected(opened.error());
    if (longer > Duration(0)) redisSetTimeout(line_.get(), as_timeval(patience_.answer + longer));
    if (const auto sent = send(command.bytes()); !sent) return tl::unexpected(sent.error());
    auto reply = hear();
    if (longer > Duration(0) && line_) redisSetTimeout(line_.get(), as_timeval(patience_.answer));
    if (reply && reply->is_error()) return refused(reply->text());
    return reply;
}

template <class Ask>
auto Connection::again(Ask ask) -> decltype(ask()) {
    const auto end = std::chrono::steady_clock::now() + patience_.again;
    for (Duration pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
        auto answer = ask();
        if (answer || !may_pass(trouble_) || std::chrono::steady_clock::now() + pause > end) return answer;
        std::this_thread::sleep_for(pause);
    }
}

Result<Reply> Connection::ask_again(Command& command, Duration longer) {
    return again([&] { return ask(command, longer); });
}

Result<std::vector<Reply>> Connection::ask_again(std::span<Command> commands) {
    return again([&] { return ask(commands); });
}

Result<std::vector<Reply>> Connection::ask(std::span<Command> commands) {
    if (auto opened = be_open(); !opened) return tl::unexpected(opened.error());
    std::string all;
    for (Command& command : commands) all.append(command.bytes());
    if (const auto sent = send(all); !sent) return tl::unexpected(sent.error());
    std::vector<Reply> replies;
    for (std::size_t i = 0; i < commands.size(); ++i) {
        auto reply = hear();
        if (!reply) return tl::unexpected(reply.error());
        replies.push_back(std::move(*reply));
    }
    for (const Reply& reply : replies)
        if (reply.is_error()) return refused(reply.text());
    return replies;
}

Result<void> Connection::be_open() {
    trouble_ = Trouble::none;
    if (line_) return {};
    auto opened = connect();
    if (opened) opened = introduce();
    if (opened) opened = check_version();
    if (!opened) line_.reset();
    return opened;
}

Result<void> Connection::connect() {
    const timeval patience = as_timeval(patience_.connect);
    line_.reset(address_.path.empty() ? redisConnectWithTimeout(address_.host.c_str(), address_.port, patience)
                                      : redisConnectUnixWithTimeout(address_.path.c_str(), patience));
    if (!line_) return lost("there is no memory for a line");
    if (line_->err != 0) return lost(line_->errstr);
    redisSetTimeout(line_.get(), as_timeval(patience_.answer));
    if (address_.path.empty()) redisEnableKeepAlive(line_.get());
    return {};
}

Result<void> Connection::introduce() {
    std::vector<Command> commands;
    if (!address_.password.empty()) {
        Command& auth = commands.emplace_back("AUTH");
        if (!address_.user.empty()) auth.add(address_.user);
        auth.add(address_.password);
    }
    if (address_.database != 0) commands.emplace_back("SELECT", address_.database);
    for (Command& command : commands) {
        if (auto sent = send(command.bytes()); !sent) return sent;
        const auto reply = hear();
        if (!reply) return tl::unexpected(reply.error());
        if (reply->is_error()) return refused(reply->text());
    }
    return {};
}

Result<void> Connection::check_version() {
    Command command("INFO", "server");
    if (auto sent = send(command.bytes()); !sent) return sent;
    const auto reply = hear();
    if (!reply) return tl::unexpected(reply.error());
    if (reply->is_error()) return refused(reply->text());
    const std::string version(line_of(reply->text(), "redis_version:"));
    if (std::atoi(version.c_str()) >= kOldest) return {};
    trouble_ = Trouble::wrong_version;
    return fail(Fault::failed,
                fmt::format("{} is Redis {}; this needs {}.0 or later", shown(address_),
                            version.empty() ? "of an unknown version" : version, kOldest),
                "use a newer Redis");
}

/// Not by hiredis, whose way to write raises SIGPIPE where the other end is gone.
Result<void> Connection::send(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::send(line_->fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return lost(::strerrordesc_np(errno));
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return {};
}

Result<Reply> Connection::hear() {
    void* reply = nullptr;
    if (redisGetReply(line_.get(), &reply) != REDIS_OK || reply == nullptr)
        return lost(errno == EAGAIN ? "it did not answer in time" : line_->errstr);
    return Reply(static_cast<redisReply*>(reply));
}

/// What may still come on that line answers another question, so the line goes.
tl::unexpected<Error> Connection::lost(const std::string& why) {
    auto error = fail(Fault::unreachable, fmt::format("no Redis answers at {}: {}", shown(address_), why),
                      "start it, or name another");
    line_.reset();
    trouble_ = Trouble::gone;
    return error;
}

tl::unexpected<Error> Connection::refused(std::string_view answer) {
    trouble_ = trouble_in(answer);
    return fail(trouble_ == Trouble::loading ? Fault::unreachable : Fault::failed,
                fmt::format("Redis at {} refused: {}", shown(address_), answer), fix_for(trouble_));
}

}  // namespace sy::redis
