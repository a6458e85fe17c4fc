#include "service/worker/server_runner.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sy::worker {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kUsualPath = "/v1/chat/completions";
constexpr const char* kNothing = "{}";  // some servers insist on JSON
/// Between two looks at the health of one that loads; each pause is longer than the one before.
constexpr Duration kFirstPause = 20ms;
constexpr Duration kLongestPause = 1s;
/// A look that takes longer is begun anew.
constexpr Duration kLongestLook = 10s;
constexpr Duration kLongestToSleep = 60s;
/// When a line is cut, the process behind it is often about to end, which says more.
constexpr Duration kTimeToDie = 300ms;

void put_port(std::string& text, std::uint16_t port) {
    constexpr std::string_view kPort = "${PORT}";
    const std::string number = std::to_string(port);
    for (std::size_t at = 0; (at = text.find(kPort, at)) != std::string::npos; at += number.size())
        text.replace(at, kPort.size(), number);
}

struct Wanted {
    std::string path = kUsualPath;
    std::string body;
};

/// {"path": …, "body": …}, or the body alone. What it calls the model is what the server knows it by.
Wanted read_input(const std::string& input, const std::string& served_name) {
    Json document = Json::parse(input, nullptr, false);
    Wanted wanted;
    if (document.is_object() && document.contains("path") && document["path"].is_string()) {
        wanted.path = document["path"].get<std::string>();
        Json body = document.contains("body") ? std::move(document["body"]) : Json::object();
        document = std::move(body);
    }
    if (document.is_object()) document["model"] = served_name;
    wanted.body = document.dump(-1, ' ', false, Json::error_handler_t::replace);
    return wanted;
}

bool is_path(const std::string& path) {
    return path.starts_with('/') && std::all_of(path.begin(), path.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

}  // namespace

ServerRunner::ServerRunner(NameId model, const wire::ModelServer& server, Instant now)
    : Runner(model, now),
      server_(server),
      deadline_(later(now, server.start_timeout)),
      next_look_(now),
      pause_(kFirstPause) {}

Result<std::unique_ptr<Runner>> ServerRunner::start(NameId model, const std::string& name, process::Command command,
                                                    const wire::ModelServer& server, Instant now) {
    std::unique_ptr<ServerRunner> runner(new ServerRunner(model, server, now));
    runner->name_ = name;
    runner->place_ = {server.address, server.port != 0 ? server.port : free_port(server.address)};
    if (runner->place_.port == 0)
        return fail(Fault::failed, fmt::format("there is no free port at {} for model '{}'", server.address, name));
    for (std::string& word : command.argv) put_port(word, runner->place_.port);
    for (auto& [key, value] : command.environment) put_port(value, runner->place_.port);
    if (const auto started = runner->Runner::start(command, process::text_fd("")); !started)
        return tl::unexpected(started.error());
    return runner;
}

pollfd ServerRunner::line() const {
    return exchange_ ? exchange_->waits_for() : pollfd{-1, 0, 0};
}

void ServerRunner::ask(const std::string& method, const std::string& target, const std::string& body) {
    exchange_ = std::make_unique<Exchange>(place_, method, target, body);
}

void ServerRunner::call(const std::string&, const std::string& input_json) {
    const Wanted wanted = read_input(input_json, server_.served_name);
    enter(Stage::busy);
    answer_ = {};
    next_look_ = kNever;
    if (is_path(wanted.path)) return ask("POST", wanted.path, wanted.body);
    owed_.emplace_back(Failure{fmt::format("the path '{}' of the call is none", wanted.path), false, 400});
}

void ServerRunner::cancel() {
    if (stage() != Stage::busy) return;
    exchange_.reset();
    owed_.clear();
    owed_.emplace_back(Failure{"cancelled"});
}

/// It knows no word for it.
void ServerRunner::leave(Instant) {
    if (stage() == Stage::leaving) return;
    exchange_.reset();
    owed_.clear();
    leave_by(kStart);
    kill();
}

void ServerRunner::fall_asleep(Instant now) {
    begin(Stage::falling_asleep, now);
    deadline_ = now + kLongestToSleep;
    ask("POST", server_.sleep, kNothing);
}

void ServerRunner::wake(Instant now) {
    begin(Stage::waking, now);
    deadline_ = later(now, server_.start_timeout);
    next_look_ = now;
    pause_ = kFirstPause;
    told_to_wake_ = true;
    ask("POST", server_.wake, kNothing);
}

Instant ServerRunner::next_due() const {
    if (!owed_.empty()) return kStart;
    switch (stage()) {
        case Stage::loading:
        case Stage::waking: return std::min(deadline_, next_look_);
        case Stage::falling_asleep: return deadline_;
        case Stage::busy: return next_look_;
        case Stage::idle:
        case Stage::asleep:
        case Stage::leaving: break;
    }
    return Runner::next_due();
}

std::vector<RunnerWord> ServerRunner::hear(Instant now, const Chatter& chatter) {
    if (exchange_) {
        exchange_->step();
        note_ready(true, true);  // what it wrote before it answered counts as well
    }
    read_out([&](std::string_view bytes) { chatter(bytes, false); });
    read_err(chatter);
    std::vector<RunnerWord> words;
    switch (stage()) {
        case Stage::waking:
            if (told_to_wake_) see_waking(now);
            [[fallthrough]];
        case Stage::loading: see_health(now, words); break;
        case Stage::falling_asleep: see_sleep(now, words); break;
        case Stage::busy: see_answer(now, words); break;
        case Stage::idle:
        case Stage::asleep:
        case Stage::leaving: break;
    }
    return words;
}

bool ServerRunner::is_healthy() const {
    return server_.health.empty() ? exchange_->is_connected() : exchange_->has_succeeded();
}

void ServerRunner::see_waking(Instant now) {
    if (!exchange_->is_whole() && exchange_->trouble().empty()) {
        next_look_ = kNever;
        return;
    }
    told_to_wake_ = false;
    if (!exchange_->has_succeeded()) deadline_ = now;  // it is not to be had so
    last_trouble_ = exchange_->trouble();
    if (exchange_->is_whole())
        last_trouble_ = fmt::format("{} answered with {}", server_.wake, exchange_->answer().status());
    exchange_.reset();
    next_look_ = now;
}

void ServerRunner::see_health(Instant now, std::vector<RunnerWord>& words) {
    if (now >= deadline_) {
        const std::string why = last_trouble_.empty() ? "" : fmt::format(" ({})", last_trouble_);
        if (stage() == Stage::waking) return give_up("could not be woken" + why, words);
        return give_up(fmt::format("was not ready within {:g} s{}", to_seconds(server_.start_timeout), why), words);
    }
    if (told_to_wake_) return;
    if (exchange_ && is_healthy()) {
        exchange_.reset();
        next_look_ = kNever;
        words.emplace_back(Ready{stage() == Stage::waking});
        return enter(Stage::idle);
    }
    if (exchange_ && (exchange_->is_whole() || !exchange_->trouble().empty())) {
        last_trouble_ = exchange_->is_whole()
                            ? fmt::format("{} answered with {}", server_.health, exchange_->answer().status())
                            : exchange_->trouble();
        exchange_.reset();
        next_look_ = now + pause_;
        pause_ = std::min(pause_ + pause_ / 2, kLongestPause);
    }
    if (now < next_look_) return;
    if (exchange_)
        last_trouble_ = fmt::format("{} was not answered in {:g} s", server_.health, to_seconds(kLongestLook));
    ask("GET", server_.health.empty() ? "/" : server_.health);
    next_look_ = now + kLongestLook;
}

void ServerRunner::see_sleep(Instant now, std::vector<RunnerWord>& words) {
    if (exchange_->has_succeeded()) {
        exchange_.reset();
        words.emplace_back(Asleep{});
        return enter(Stage::asleep);
    }
    if (exchange_->is_whole() || !exchange_->trouble().empty() || now >= deadline_) leave(now);
}

void ServerRunner::see_answer(Instant now, std::vector<RunnerWord>& words) {
    if (!owed_.empty()) return answer_with(std::exchange(owed_, {}).front(), words);
    for (PieceOfAnswer& piece : answer_.read(exchange_->answer())) words.emplace_back(std::move(piece));
    if (exchange_->is_whole()) return answer_with(answer_.finish(exchange_->answer()), words);
    if (exchange_->trouble().empty()) return;
    if (exchange_->is_cut() && next_look_ == kNever) next_look_ = now + kTimeToDie;
    if (exchange_->is_cut() && now < next_look_) return;
    answer_with(Failure{fmt::format("the server of model '{}' gave no answer: {}", name_, exchange_->trouble())},
                words);
}

void ServerRunner::answer_with(RunnerWord word, std::vector<RunnerWord>& words) {
    exchange_.reset();
    next_look_ = kNever;
    enter(Stage::idle);
    words.push_back(std::move(word));
}

void ServerRunner::give_up(const std::string& why, std::vector<RunnerWord>& words) {
    words.emplace_back(NotReady{fmt::format("the server of model '{}' {}", name_, why), stage() == Stage::waking});
    leave(kStart);
}

}  // namespace sy::worker
