#include "service/server/reign.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>

namespace sy::server {

Reign::Reign(store::Leadership leadership, Duration lease, News news)
    : leadership_(std::move(leadership)),
      lease_(lease),
      news_(std::move(news)),
      thread_([this] { renew_until_told(); }) {}

Reign::~Reign() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    wake_.notify_all();
    thread_.join();
    if (!is_lost_) static_cast<void>(leadership_.give_up());
}

void Reign::renew_until_told() {
    using Clock = std::chrono::steady_clock;
    auto renewed = Clock::now();
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, lease_ / 3, [this] { return ending_; })) {
        lock.unlock();
        const auto asked = Clock::now();
        const auto reign = leadership_.renew();
        if (reign && *reign == store::Reign::ours) renewed = asked;
        if (reign && *reign == store::Reign::forgotten) news_.forgotten();
        std::string why;
        if (reign && *reign == store::Reign::deposed) why = "another server leads now";
        if (why.empty() && Clock::now() - renewed > lease_)
            why = reign ? "Redis has forgotten who leads"
                        : fmt::format("the lease could not be renewed: {}", reign.error().message);
        if (!why.empty()) {
            is_lost_ = true;
            return news_.lost(why);
        }
        lock.lock();
    }
}

}  // namespace sy::server
