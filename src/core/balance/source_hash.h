// Source hash (S7): the same key goes to the same replica as long as that one is available; sessions stick.
//
// Nobody looks at load: a key that sends half of all requests keeps one replica busy. See KeyTable for what moves when.
#pragma once

#include "core/balance/key_table.h"
#include "core/balance/mix.h"
#include "core/balance/policy.h"

namespace sy::balance {

class SourceHash final : public Policy {
public:
    explicit SourceHash(const Settings& settings) : table_(settings.buckets) {}

    Slot pick(const Fleet& fleet, const Request& request) override {
        table_.refresh(fleet);
        return table_.owner(mix(request.key));
    }

private:
    KeyTable table_;
};

}  // namespace sy::balance
