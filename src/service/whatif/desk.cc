#include "service/whatif/desk.h"

#include <utility>

#include "base/check.h"

namespace sy::whatif {

Desk::~Desk() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
        for (const Place& place : line_) place.inquiry->is_off = true;
    }
    wake_.notify_all();
    thread_.join();
}

bool Desk::is_full() const {
    const std::lock_guard lock(mutex_);
    return line_.size() >= limits_.in_line;
}

void Desk::ask(std::shared_ptr<Inquiry> inquiry, Told told) {
    {
        const std::lock_guard lock(mutex_);
        SY_CHECK(line_.size() < limits_.in_line, "a full desk was asked");
        line_.push_back({std::move(inquiry), std::move(told)});
    }
    wake_.notify_all();
}

void Desk::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        wake_.wait(lock, [this] { return ending_ || !line_.empty(); });
        if (ending_) return;
        const Place place = line_.front();
        lock.unlock();
        Answer answer;
        if (!place.inquiry->is_off) answer = answer_to(*place.inquiry, limits_);
        lock.lock();
        line_.pop_front();
        if (ending_ || place.inquiry->is_off) continue;
        post_([told = place.told, inquiry = place.inquiry, answer = std::move(answer)] {
            if (!inquiry->is_off) told(answer);
        });
    }
}

}  // namespace sy::whatif
