// Marks: which members are meant, forgotten all at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sy::pipeline {

class Marks {
public:
    void resize(std::size_t members) {
        set_in_.assign(members, 0);
        turn_ = 0;
    }
    void forget_all() { ++turn_; }
    void set(std::uint32_t member) { set_in_[member] = turn_; }
    bool has(std::uint32_t member) const { return set_in_[member] == turn_; }

private:
    std::vector<std::uint64_t> set_in_;  ///< By member: the turn in which it was marked.
    std::uint64_t turn_ = 0;
};

}  // namespace sy::pipeline
