#include "core/estimate/registry.h"

#include <array>

#include "base/named.h"
#include "core/estimate/baselines.h"
#include "core/estimate/rolling.h"

namespace sy::estimate {

namespace {

/// Like Named, but of things that learn: they are not const.
struct Line {
    std::string_view name;
    std::unique_ptr<RunTime> (*make)();
};

template <class T>
constexpr Line line(std::string_view name) {
    return {name, [] { return std::unique_ptr<RunTime>(std::make_unique<T>()); }};
}

constexpr std::array kRunTimes{
    line<GlobalMean>("mean"),
    line<OwnersWord>("owner"),
    line<Rolling>("rolling"),
};

}  // namespace

std::unique_ptr<RunTime> make_run_time(std::string_view name) {
    return make_named(kRunTimes, name);
}

std::vector<std::string_view> run_time_names() {
    return names_of(kRunTimes);
}

}  // namespace sy::estimate
