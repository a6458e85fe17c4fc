#include "service/server/reign.h"

#include <utility>

#include <fmt/format.h>

#include "service/loop/loop.h"

namespace sy::server {

Reign::Reign(store::Leadership leadership, Duration lease, News news)
    : leadership_(std::move(leadership)),
      lease_(lease),
      news_(std::move(news)),
      renewed_(loop::Loop::now()),
      thread_([this] { renew_until_told(); }) {}

Reign::~Reign() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    wake_.notify_all();
    thread_.join();
    if (leaves_) static_cast<void>(leadership_.give_up());
}

void Reign::renew_until_told() {
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, lease_ / 3, [this] { return ending_; })) {
        lock.unlock();
        const Instant asked = loop::Loop::now();
        if (!heard(leadership_.renew(), asked)) return;
        lock.lock();
    }
}

bool Reign::heard(const Result<store::Reign>& answer, Instant asked) {
    if (answer && *answer == store::Reign::deposed) {
        news_.lost("another server leads now");
        return false;
    }
    if (answer) {
        renewed_ = asked;
        if (std::exchange(unsure_, false)) news_.sure();
        if (*answer == store::Reign::forgotten) news_.forgotten();
    } else if (loop::Loop::now() - renewed_ > lease_ && !std::exchange(unsure_, true)) {
        news_.unsure(fmt::format("the lease could not be renewed: {}", answer.error().message));
    }
    return true;
}

}  // namespace sy::server
