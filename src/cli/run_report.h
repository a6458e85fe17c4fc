// RunReport: what was planned against what happened, for people and for programs.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "core/model/batch.h"
#include "core/model/plan.h"

namespace sy::cli {

/// A run as a batch with two plans: the one that was made and the one that came about.
struct RunCourse {
    Batch batch;
    Plan planned;
    Plan actual;
    std::size_t loaded_beside = 0;  ///< Loads that began while the GPU was at work with another model.
};
RunCourse course_of(const nlohmann::ordered_json& timeline);

nlohmann::ordered_json report_json(const nlohmann::ordered_json& run, const RunCourse& course);
std::string report_text(const nlohmann::ordered_json& run, const RunCourse& course);

}  // namespace sy::cli
