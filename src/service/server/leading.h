// Leading: how a server that shares its store with others comes to be the one that writes.
#pragma once

#include <memory>
#include <optional>

#include "base/result.h"
#include "service/loop/loop.h"
#include "service/server/past.h"
#include "service/server/reign.h"
#include "service/server/serve.h"
#include "service/store/documents.h"
#include "service/store/store.h"
#include "service/tls/terms.h"

namespace sy::server {

struct Led {
    std::unique_ptr<store::Store> store;
    Past past;  ///< Of that store.
    std::unique_ptr<store::Documents> documents;
    std::unique_ptr<Reign> reign;
};

/// Stands by as long as another leads. Nothing where it was told to end before that.
Result<std::optional<Led>> come_to_lead(loop::Loop& loop, const ServeOptions& options,
                                        const std::optional<tls::Terms>& tls, Reign::News news);

}  // namespace sy::server
