#include "learned/xgboost.h"

#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>
#include <xgboost/c_api.h>

namespace sy::learned {

namespace {

tl::unexpected<Error> library_error(std::string_view doing) {
    std::string_view said = XGBGetLastError();
    // The first line has the reason, between a time stamp and a place in the library's source; the rest is a stack
    // trace.
    said = said.substr(0, said.find('\n'));
    return fail(Fault::failed, fmt::format("XGBoost failed {}: {}", doing, said));
}

void free_booster(void* booster) {
    XGBoosterFree(booster);
}

void free_matrix(void* matrix) {
    XGDMatrixFree(matrix);
}

using Matrix = std::unique_ptr<void, void (*)(void*)>;

Result<Matrix> matrix_of(std::span<const float> rows, std::size_t columns, std::span<const float> targets) {
    DMatrixHandle handle = nullptr;
    if (XGDMatrixCreateFromMat(rows.data(), targets.size(), columns, std::numeric_limits<float>::quiet_NaN(),
                               &handle) != 0)
        return library_error("to take its rows");
    Matrix matrix(handle, free_matrix);
    if (XGDMatrixSetFloatInfo(handle, "label", targets.data(), targets.size()) != 0)
        return library_error("to take its targets");
    return matrix;
}

using Parameter = std::pair<const char*, std::string>;

/// Huber's error: run times are full of outliers. Leaves of some rows at least: habits, not accidents.
std::array<Parameter, 10> parameters_of(const TreeOptions& options) {
    return {{{"verbosity", "0"},
             {"nthread", "1"},
             {"seed", std::to_string(options.seed)},
             {"booster", "gbtree"},
             {"tree_method", "hist"},
             {"objective", "reg:pseudohubererror"},
             {"base_score", "0"},
             {"min_child_weight", "20"},
             {"max_depth", std::to_string(options.depth)},
             {"eta", fmt::format("{}", options.rate)}}};
}

}  // namespace

Trees::Trees(Handle booster, std::size_t columns) : booster_(std::move(booster)), columns_(columns) {}

Result<Trees> Trees::train(std::span<const float> rows, std::size_t columns, std::span<const float> targets,
                           const TreeOptions& options) {
    if (targets.empty() || columns == 0 || rows.size() != columns * targets.size())
        return fail(Fault::invalid_input,
                    fmt::format("{} values are not {} rows of {}", rows.size(), targets.size(), columns));
    const auto matrix = matrix_of(rows, columns, targets);
    if (!matrix) return tl::unexpected(matrix.error());
    DMatrixHandle data = matrix->get();
    BoosterHandle handle = nullptr;
    if (XGBoosterCreate(&data, 1, &handle) != 0) return library_error("to begin");
    Handle booster(handle, free_booster);
    for (const auto& [name, value] : parameters_of(options))
        if (XGBoosterSetParam(handle, name, value.c_str()) != 0) return library_error("to take its parameters");
    for (std::uint32_t round = 0; round < options.rounds; ++round)
        if (XGBoosterUpdateOneIter(handle, static_cast<int>(round), data) != 0) return library_error("to train");
    return Trees(std::move(booster), columns);
}

Result<float> Trees::predict(std::span<const float> row) const {
    constexpr const char* kConfig =
        R"({"type":0,"training":false,"iteration_begin":0,"iteration_end":0,"strict_shape":false,"cache_id":0,"missing":NaN})";
    if (row.size() != columns_)
        return fail(Fault::invalid_input, fmt::format("a row of {} values, trained on {}", row.size(), columns_));
    const std::string values =
        fmt::format(R"({{"data":[{},true],"shape":[1,{}],"typestr":"<f4","version":3}})",
                    reinterpret_cast<std::uintptr_t>(row.data()), row.size());  // the library's way to pass an array
    const bst_ulong* shape = nullptr;
    bst_ulong dimensions = 0;
    const float* result = nullptr;
    if (XGBoosterPredictFromDense(booster_.get(), values.c_str(), kConfig, nullptr, &shape, &dimensions, &result) != 0)
        return library_error("to predict");
    return *result;
}

}  // namespace sy::learned
