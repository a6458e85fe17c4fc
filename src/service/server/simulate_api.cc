// What if: policies tried on a trace or on the live queue. The work is done at the desk, on another thread; a client
// that hangs up calls it off, and one that listens is told how far it is.
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "service/http/stream.h"
#include "service/server/api.h"
#include "service/server/json_answer.h"
#include "service/whatif/desk.h"
#include "service/whatif/wish.h"

namespace sy::server {

namespace {

using Json = nlohmann::ordered_json;

constexpr Duration kBetweenProgress = 200ms;

/// An answer that comes piece by piece: how far it is, again and again, and in the end the result.
class Telling : public std::enable_shared_from_this<Telling> {
public:
    Telling(loop::Loop& loop, std::shared_ptr<http::Stream> stream, std::shared_ptr<whatif::Inquiry> inquiry)
        : loop_(loop), stream_(std::move(stream)), inquiry_(std::move(inquiry)) {}

    void tell_progress() {
        if (is_done_ || !stream_->is_open()) return;
        stream_->push(event("progress", Json{{"order", inquiry_->order.load()},
                                             {"orders", inquiry_->orders.load()},
                                             {"ended", inquiry_->ended.load()},
                                             {"jobs", inquiry_->jobs.load()}}
                                            .dump()));
        loop_.at(loop::Loop::now() + kBetweenProgress, [self = shared_from_this()] { self->tell_progress(); });
    }

    void finish(const whatif::Answer& answer) {
        is_done_ = true;
        const std::string line = answer.body.substr(0, answer.body.find_last_not_of('\n') + 1);
        stream_->push(event(answer.status == 200 ? "result" : "refused", line));
        stream_->finish();
    }

private:
    static std::string event(std::string_view name, std::string_view data) {
        return fmt::format("event: {}\ndata: {}\n\n", name, data);
    }

    loop::Loop& loop_;
    std::shared_ptr<http::Stream> stream_;
    std::shared_ptr<whatif::Inquiry> inquiry_;
    bool is_done_ = false;
};

http::Response busy(std::size_t in_line) {
    auto response =
        json_response(503, Json{{"error", fmt::format("{} simulations are in line, which is the limit", in_line)},
                                {"fix", "try again soon"}});
    response.headers.emplace_back("Retry-After", "5");
    return response;
}

/// A small request is read here, to know whether it is about the live queue; a large one brings a trace and is read at
/// the desk.
bool wants_live(const http::Request& request, const whatif::Limits& limits) {
    if (request.body.size() > limits.small_body) return false;
    const auto wish = whatif::read_wish(request.body, limits);
    return wish && wish->live;
}

}  // namespace

struct Api::Simulation {
    Simulation(loop::Loop& on, schedule::Policy policy, std::function<std::string(GpuId)> kinds)
        : loop(on), in_force(std::move(policy)), kind_of(std::move(kinds)) {}

    loop::Loop& loop;
    schedule::Policy in_force;
    std::function<std::string(GpuId)> kind_of;
    whatif::Desk desk{{}, [this](std::function<void()> call) { loop.post(std::move(call)); }};
};

void Api::try_policies(loop::Loop& loop, schedule::Policy in_force, std::function<std::string(GpuId)> kind_of) {
    simulation_ = std::make_shared<Simulation>(loop, std::move(in_force), std::move(kind_of));
}

void Api::simulate(const http::Request& request, const http::Server::Answer& answer) {
    whatif::Desk& desk = simulation_->desk;
    if (desk.is_full()) return answer(busy(desk.limits().in_line));
    const bool live = wants_live(request, desk.limits());
    auto inquiry = std::make_shared<whatif::Inquiry>(
        request.body,
        whatif::standing_of({engine_.core(), engine_.names(), simulation_->in_force, simulation_->kind_of}, live,
                            desk.limits()));
    if (request.when_gone) request.when_gone([inquiry] { inquiry->is_off = true; });
    if (request.header("accept").find("text/event-stream") == std::string::npos)
        return desk.ask(inquiry, [answer](const whatif::Answer& told) {
            answer({told.status, told.body, "application/json", {}});
        });
    http::Response response{200, "", "text/event-stream", {{"Cache-Control", "no-store"}}};
    response.opened = [&desk, inquiry, &loop = simulation_->loop](std::shared_ptr<http::Stream> stream) {
        const auto telling = std::make_shared<Telling>(loop, std::move(stream), inquiry);
        telling->tell_progress();
        desk.ask(inquiry, [telling](const whatif::Answer& told) { telling->finish(told); });
    };
    answer(response);
}

}  // namespace sy::server
