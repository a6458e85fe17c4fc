// FolderLock: one server a folder. The lock goes with the process, however it ends.
#pragma once

#include <string>
#include <utility>

#include "base/result.h"

namespace sy::store {

class FolderLock {
public:
    static Result<FolderLock> take(const std::string& folder);
    FolderLock(FolderLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
    FolderLock& operator=(FolderLock&& other) noexcept {
        std::swap(file_, other.file_);
        return *this;
    }
    ~FolderLock();

private:
    explicit FolderLock(int file) : file_(file) {}
    int file_;
};

}  // namespace sy::store
