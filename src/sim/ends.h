// Ends: which running job ends next. The event kernel of the simulator.
//
// A heap with four children to a node: half the levels of a binary one, and the children share a cache line. Equal
// instants come in order of job. An entry whose job was put aside meanwhile is void; whoever takes it notices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "base/time.h"

namespace sy::sim {

struct JobEnd {
    Instant at;
    std::uint32_t job = 0;

    friend bool operator<(const JobEnd& a, const JobEnd& b) { return std::tie(a.at, a.job) < std::tie(b.at, b.job); }
};

class Ends {
public:
    bool empty() const { return heap_.empty(); }
    std::size_t size() const { return heap_.size(); }
    const JobEnd& next() const { return heap_.front(); }

    void add(JobEnd end) {
        std::size_t hole = heap_.size();
        heap_.push_back(end);
        while (hole > 0 && end < heap_[(hole - 1) / kChildren]) {
            heap_[hole] = heap_[(hole - 1) / kChildren];
            hole = (hole - 1) / kChildren;
        }
        heap_[hole] = end;
    }

    void drop_next() {
        const JobEnd last = heap_.back();
        heap_.pop_back();
        if (heap_.empty()) return;
        std::size_t hole = 0;
        for (;;) {
            const std::size_t child = hole * kChildren + 1;
            if (child >= heap_.size()) break;
            const std::size_t least = least_of(child);
            if (!(heap_[least] < last)) break;
            heap_[hole] = heap_[least];
            hole = least;
        }
        heap_[hole] = last;
    }

private:
    static constexpr std::size_t kChildren = 4;

    std::size_t least_of(std::size_t first) const {
        std::size_t least = first;
        for (std::size_t i = first + 1; i < first + kChildren && i < heap_.size(); ++i)
            if (heap_[i] < heap_[least]) least = i;
        return least;
    }

    std::vector<JobEnd> heap_;
};

}  // namespace sy::sim
