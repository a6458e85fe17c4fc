// Connection: the one door to hiredis. Commands go out together and their answers come back in order; every failure is
// an Error in words.
//
// A line that broke is made anew by the next question, with user, password and database. Whether what was asked on the
// old one may be asked again only the asker knows. A server older than Redis 7.0 is refused.
//
// One thread at a time.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "service/redis/address.h"
#include "service/redis/command.h"
#include "service/redis/reply.h"

struct redisContext;

namespace sy::redis {

/// What the last failure was, for those who can do something about it.
enum class Trouble {
    none,
    gone,              ///< No server, no answer in time, or the line broke.
    refused_password,  ///< A wrong one, one where none is set, or none where one is.
    not_allowed,       ///< The user may not do that.
    wrong_version,
    read_only,  ///< A replica.
    out_of_memory,
    cannot_write,  ///< Its disk does not take what it should keep.
    loading,       ///< It reads its files; soon it will answer.
    no_script,
    other,
};

/// A server that may be there again soon. A replica is what a name leads to while another takes over.
constexpr bool may_pass(Trouble trouble) {
    return trouble == Trouble::gone || trouble == Trouble::loading || trouble == Trouble::read_only;
}

struct Patience {
    Duration connect = 2s;
    Duration answer = 10s;
    Duration again = 30s;  ///< How long `ask_again` goes on.
};

class Connection {
public:
    static Result<Connection> open(const Address& address, Patience patience = {});

    /// An answer that is an error is a failure.
    Result<Reply> ask(Command& command) { return ask(command, Duration(0)); }
    Result<Reply> ask(Command&& command) { return ask(command); }
    /// For a command that may wait so long before it is answered.
    Result<Reply> ask(Command& command, Duration longer);
    /// Until it is answered, by a server that may have to be started first. For what may be asked twice.
    Result<Reply> ask_again(Command& command, Duration longer = Duration(0));
    Result<Reply> ask_again(Command&& command) { return ask_again(command); }
    Result<std::vector<Reply>> ask_again(std::span<Command> commands);
    /// All of them are sent before the first answer is read. The first failure counts; the others are carried out all
    /// the same.
    Result<std::vector<Reply>> ask(std::span<Command> commands);

    Trouble trouble() const { return trouble_; }
    const Address& address() const { return address_; }

private:
    struct Close {
        void operator()(redisContext* line) const;
    };
    Connection(Address address, Patience patience);

    template <class Ask>
    auto again(Ask ask) -> decltype(ask());
    Result<void> be_open();
    Result<void> connect();
    Result<void> introduce();
    Result<void> check_version();
    Result<void> send(std::string_view bytes);
    /// May be an error of Redis's.
    Result<Reply> hear();
    tl::unexpected<Error> lost(const std::string& why);
    tl::unexpected<Error> refused(std::string_view answer);

    Address address_;
    Patience patience_;
    std::unique_ptr<redisContext, Close> line_;
    Trouble trouble_ = Trouble::none;
};

}  // namespace sy::redis
