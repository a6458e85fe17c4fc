// SQLite store: the store in one file of a folder, with a write-ahead log and a sync at every commit.
//
// One row a group: packing is what makes a commit cheap. Journals carry a digest of their own, so that a damaged row is
// noticed and refused, not misread (R12); a torn commit at the end of the log is cut off.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/units.h"
#include "service/store/database.h"
#include "service/store/store.h"

namespace sy::store {

/// In this folder, which is made where there is none. An error where another process has it. `say` is told what
/// somebody should know of how it was found.
Result<std::unique_ptr<Store>> open_sqlite_store(const std::string& folder, Bytes reserve = {},
                                                 const std::function<void(const std::string&)>& say = {});

}  // namespace sy::store
