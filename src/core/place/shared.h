// Shared: a value that copies of a floor have in common, copied only by one that changes it while others look on.
//
// A cluster of 10,000 nodes is told of them one by one: whoever has the value alone changes it where it is.
#pragma once

#include <memory>

namespace sy::place {

template <class T>
class Shared {
public:
    const T& operator*() const { return *value_; }
    const T* operator->() const { return value_.get(); }

    /// To change it. One owner at a time, so the count is exact.
    T& own() {
        if (value_.use_count() > 1) value_ = std::make_shared<T>(*value_);
        return *value_;
    }

private:
    std::shared_ptr<T> value_ = std::make_shared<T>();
};

}  // namespace sy::place
