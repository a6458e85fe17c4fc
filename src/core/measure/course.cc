#include "core/measure/course.h"

#include <algorithm>

namespace sy::measure {

void Course::set(Instant at, double busy, double waiting) {
    if (!begun_) {
        begun_ = true;
        begin_ = at;
        now_ = at;
    }
    advance(at);
    busy_now_ = busy;
    waiting_now_ = waiting;
}

void Course::advance(Instant to) {
    while (now_ < to) {
        const auto index = static_cast<std::size_t>((now_ - begin_) / step_);
        if (index >= most_) {
            halve();
            continue;
        }
        if (busy_.size() <= index) {
            busy_.resize(index + 1, 0);
            waiting_.resize(index + 1, 0);
        }
        const Instant step_end = begin_ + step_ * static_cast<std::int64_t>(index + 1);
        const Instant until = std::min(to, step_end);
        const double part = static_cast<double>((until - now_).count()) / static_cast<double>(step_.count());
        busy_[index] += busy_now_ * part;
        waiting_[index] += waiting_now_ * part;
        now_ = until;
        // A long quiet time would be walked step by step: make the steps fit it first.
        while ((to - begin_) / step_ >= static_cast<std::int64_t>(most_)) halve();
    }
}

void Course::halve() {
    for (std::vector<double>* values : {&busy_, &waiting_}) {
        for (std::size_t i = 0; i < values->size(); i += 2) {
            const double second = i + 1 < values->size() ? (*values)[i + 1] : 0;
            (*values)[i / 2] = ((*values)[i] + second) / 2;
        }
        values->resize((values->size() + 1) / 2);
    }
    step_ *= 2;
}

}  // namespace sy::measure
