// WrittenMark: how far a server has written a store in Redis, noted in the server's own folder. A server that was
// started anew remembers nothing, and could not tell a store that lost its end from one that never had it: by this it
// can.
//
// Noted after every commit and never waited for: it survives the process, and of a machine that loses its power it may
// be some seconds old. Then less of a loss is noticed. Servers that share a folder share it; only who leads writes.
#pragma once

#include <cstdint>
#include <string>

#include "service/store/leadership.h"
#include "service/store/redis_place.h"

namespace sy::store {

class WrittenMark {
public:
    WrittenMark(const std::string& folder, const RedisPlace& place);
    ~WrittenMark();
    WrittenMark(WrittenMark&& other) noexcept;
    WrittenMark(const WrittenMark&) = delete;
    WrittenMark& operator=(const WrittenMark&) = delete;
    WrittenMark& operator=(WrittenMark&&) = delete;

    /// Nothing where nothing was written, or another store.
    Seen read() const;
    void write(const Seen& written);
    const std::string& path() const { return path_; }

private:
    std::string path_;
    std::string place_;  ///< As it stands in the file.
    int file_ = -1;      ///< From the first write on.
};

}  // namespace sy::store
