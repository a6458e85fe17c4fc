// Result: a value, or why the world or the user did not give us one.
//
// An Error is a sentence for a person: it names the thing, the value and the limit, and says what would fix it. "Cannot
// run now" is not an error but a value with reasons (core/model/reason.h).
#pragma once

#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace sy {

/// What failed, as far as an exit code tells: see docs/exit-codes.md.
enum class Fault {
    failed,         ///< The world said no: a file that cannot be read, a run that broke a promise.
    usage,          ///< The command line is wrong.
    invalid_input,  ///< A file or value that breaks a rule.
    infeasible,     ///< Well formed, but nothing could ever run it.
    unreachable,    ///< No server answers.
};

struct Error {
    Fault fault = Fault::failed;
    std::string message;
    std::string fix;  ///< What the user can do about it; may be empty.
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(Fault fault, std::string message, std::string fix = {}) {
    return tl::unexpected<Error>(Error{fault, std::move(message), std::move(fix)});
}

}  // namespace sy
