#include "service/server/webhook.h"

#include <utility>

#include <fmt/format.h>

#include "service/http/client.h"

namespace sy::server {

Webhook::Webhook(std::string url, Duration patience, std::function<void(const std::string&)> say)
    : url_(std::move(url)), patience_(patience), say_(std::move(say)), thread_([this] { work(); }) {}

Webhook::~Webhook() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    wake_.notify_one();
    thread_.join();
}

void Webhook::tell(const Alert& alert) {
    {
        const std::lock_guard lock(mutex_);
        if (waiting_.size() < kMostWaiting) {
            waiting_.push_back(json_of(alert));
            wake_.notify_one();
            return;
        }
    }
    say_(fmt::format("{} alerts wait for {}, this one is not sent", kMostWaiting, url_));
}

void Webhook::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        wake_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
        if (ending_) return;
        const std::string text = std::move(waiting_.front());
        waiting_.pop_front();
        lock.unlock();
        post(text);
        lock.lock();
    }
}

void Webhook::post(const std::string& text) const {
    constexpr std::string_view kScheme = "http://";
    const std::size_t slash = url_.find('/', kScheme.size());
    const std::string path = slash == std::string::npos ? "/" : url_.substr(slash);
    const auto answer = http::ask(url_.substr(0, slash), "POST", path, text, {.patience = patience_});
    if (!answer) return say_(fmt::format("an alert did not reach {}: {}", url_, answer.error().message));
    if (answer->status >= 300) say_(fmt::format("{} answered an alert with {}", url_, answer->status));
}

}  // namespace sy::server
