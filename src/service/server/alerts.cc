#include "service/server/alerts.h"

#include <utility>

#include <fmt/format.h>

#include "service/server/alert_command.h"
#include "service/server/webhook.h"

namespace sy::server {

Alerts::Alerts(loop::Loop& loop, AlertOptions options, Say say, Processes processes)
    : loop_(loop), options_(std::move(options)), say_(std::move(say)) {
    if (!options_.command.empty())
        command_ =
            std::make_unique<AlertCommand>(loop_, options_.command, options_.patience, say_, std::move(processes));
    if (options_.webhook.empty()) return;
    webhook_ = std::make_unique<Webhook>(options_.webhook, options_.patience, [this](const std::string& line) {
        loop_.post([say = say_, line] { say(line); });
    });
}

Alerts::~Alerts() {
    for (const Held& held : held_)
        if (held.timer) loop_.cancel(*held.timer);
}

void Alerts::raise(const Alert& alert) {
    Held& held = held_[static_cast<std::size_t>(alert.kind)];
    if (loop::Loop::now() >= held.quiet_until) return send(alert, held);
    ++held.count;
    held.latest = alert;
    if (held.timer) return;
    held.timer = loop_.at(held.quiet_until, [this, &held] {
        held.timer.reset();
        Alert latest = held.latest;
        latest.held_back = held.count - 1;
        send(latest, held);
    });
}

void Alerts::send(const Alert& alert, Held& held) {
    held.quiet_until = loop::Loop::now() + options_.at_most_every;
    held.count = 0;
    const std::string more = alert.held_back == 0 ? "" : fmt::format(" ({} more were held back)", alert.held_back);
    say_(fmt::format("alert: {}: {}{}", name_of(alert.kind), alert.message, more));
    if (command_) command_->tell(alert);
    if (webhook_) webhook_->tell(alert);
}

}  // namespace sy::server
