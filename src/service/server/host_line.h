// HostLine: the line over which a host and the service speak, as the service holds it.
#pragma once

#include <memory>
#include <string>

#include "service/http/stream.h"
#include "service/server/hosts.h"
#include "service/wire/frames.h"

namespace sy::server {

/// One at a time of each host. It outlives its place there for as long as its connection does.
struct Hosts::Line {
    GpuId host;             ///< Its first GPU.
    http::Request request;  ///< By which it was let in, less its body.
    std::shared_ptr<http::Stream> stream;
    wire::Frames frames;
    std::string unsent;
    bool over = false;  ///< Nothing that comes on it counts any more.
    bool leaving = false;
    bool may_leave = false;  ///< And was told so.
};

}  // namespace sy::server
