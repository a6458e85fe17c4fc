// Uplink: a host's line to the server. It is dialled on a thread of its own, again and again until somebody who leads
// takes it; of several servers the first that does. Then it belongs to the loop.
//
// What is said while there is none is lost; whoever has something to say that must not be waits for `opened`.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "service/loop/loop.h"
#include "service/tls/channel.h"
#include "service/wire/frames.h"
#include "service/wire/host_messages.h"

namespace sy::outpost {

struct Servers {
    std::vector<std::string> addresses;  ///< "http://…", "https://…" or "unix:…": tried in turn.
    std::string bearer;                  ///< The token to show; empty: none.
    tls::ClientFiles files = {};
    std::string target;  ///< What to ask for.
    std::string body;    ///< Who we are, as JSON.
};

class Uplink {
public:
    struct News {
        std::function<void(const std::string& server)> opened;
        std::function<void(const wire::ToHost&)> heard;
        std::function<void(const std::string& why)> lost;
        /// A server answered that it does not want us. Others are tried, and this one again.
        std::function<void(const Error&)> refused;
    };

    Uplink(loop::Loop& loop, Servers servers, News news);
    ~Uplink();
    Uplink(const Uplink&) = delete;
    Uplink& operator=(const Uplink&) = delete;

    bool is_open() const { return fd_ >= 0; }
    /// When something last came.
    Instant heard_at() const { return heard_at_; }
    /// Goes out with the next flush.
    void send(const wire::FromHost& message);
    std::size_t unsent() const { return unsent_.size() + clear_.size(); }
    void flush();
    /// And dials again.
    void hang_up(const std::string& why);

private:
    struct Shared;
    struct Dialled;

    void dial();
    void take(Dialled dialled);
    void read();

    loop::Loop& loop_;
    News news_;
    std::shared_ptr<Shared> shared_;
    int fd_ = -1;
    std::optional<tls::Channel> channel_;
    wire::Frames frames_;
    std::string clear_;   ///< Not sealed yet.
    std::string unsent_;  ///< As it goes over the line.
    bool waits_for_room_ = false;
    Instant heard_at_ = kStart;
};

}  // namespace sy::outpost
