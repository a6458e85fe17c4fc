// Answers: what a server sends back over a line that stays open, taken apart into whole answers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sy::bench {

struct Answer {
    unsigned status = 0;  ///< 0 where what came is no answer.
    std::string body;
};

class Answers {
public:
    void add(std::string_view bytes) { heard_.append(bytes); }
    /// The next that has come whole.
    std::optional<Answer> next();

private:
    std::string heard_;
};

}  // namespace sy::bench
