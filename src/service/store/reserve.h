// Reserve: room on a disk, kept back by a file of that size, to be given up when the disk is full (R11).
#pragma once

#include <string>
#include <utility>

#include "base/units.h"

namespace sy::store {

class Reserve {
public:
    /// A file of an earlier life is taken over. With a size of 0 there is nothing to keep and nothing to give up.
    Reserve(std::string path, Bytes size) : path_(std::move(path)), size_(size) {}

    /// False where there is not enough room. Once it was given up, as much again must be free: what has just become
    /// free is needed first.
    bool keep();
    /// False where there was nothing to give up.
    bool give_up();

private:
    bool take_room() const;

    std::string path_;
    Bytes size_;
    bool was_used_ = false;
};

}  // namespace sy::store
