#include "core/schedule/fit.h"

#include <array>

#include "base/named.h"
#include "core/schedule/conservative.h"
#include "core/schedule/easy.h"
#include "core/schedule/skip.h"
#include "core/schedule/strict.h"

namespace sy::schedule {

namespace {

constexpr std::array kFits{
    named<const Fit, Conservative>("conservative"),
    named<const Fit, Easy>("easy"),
    named<const Fit, Skip>("skip"),
    named<const Fit, Strict>("strict"),
};

}  // namespace

std::unique_ptr<const Fit> make_fit(std::string_view name) {
    return make_named(kFits, name);
}

std::vector<std::string_view> fit_names() {
    return names_of(kFits);
}

}  // namespace sy::schedule
