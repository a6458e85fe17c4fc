// Lines: the sockets on which workers speak to the server. A worker's newest line counts; what is said to a worker that
// has none is dropped, and the protocol makes up for it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "service/loop/loop.h"
#include "service/wire/messages.h"

namespace sy::server {

class Lines {
public:
    using Hear = std::function<void(const wire::ToServer&)>;

    Lines(loop::Loop& loop, Hear hear) : loop_(loop), hear_(std::move(hear)) {}
    ~Lines();
    Lines(const Lines&) = delete;
    Lines& operator=(const Lines&) = delete;

    Result<void> listen(const std::string& path);
    /// Goes out with the next flush.
    void send(GpuId gpu, const wire::ToWorker& message);
    void flush();
    bool has_line(GpuId gpu) const { return by_gpu_.contains(gpu.value()); }
    /// When its worker last said something; if it never did, since when it could have.
    Instant heard(GpuId gpu) const;

private:
    struct Line;

    void take_in();
    void read(const std::shared_ptr<Line>& line);
    void write(const std::shared_ptr<Line>& line);
    void hang_up(Line& line);

    loop::Loop& loop_;
    Hear hear_;
    int listener_ = -1;
    std::unordered_map<int, std::shared_ptr<Line>> lines_;
    std::unordered_map<std::uint32_t, std::shared_ptr<Line>> by_gpu_;
    std::unordered_map<std::uint32_t, Instant> heard_;
    Instant listening_ = kNever;
    std::vector<std::shared_ptr<Line>> to_flush_;
};

}  // namespace sy::server
