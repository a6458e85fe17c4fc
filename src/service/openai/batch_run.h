// BatchRun: a batch of calls as a batch of workflows, so that it is planned, conducted, and gone on with after a crash
// like any other run. Calls that hang together by `depends_on` become the steps of one workflow; each other call is a
// request of its own.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/model/batch.h"
#include "service/openai/batch_file.h"

namespace sy::openai {

/// A line that never becomes a step, and why.
struct Unrunnable {
    std::string custom_id;
    Refusal refusal;
};

struct BatchRun {
    Json document;
    std::size_t steps = 0;
    std::vector<Unrunnable> unrunnable;  ///< Their models are not here, or they depend on such.
};

/// The model that a name means; nothing where there is none.
using FindModel = std::function<std::optional<std::string>(const std::string& name)>;

BatchRun make_batch_run(const std::vector<BatchLine>& lines, const FindModel& find_model);

/// Which line a step of such a run is.
const std::string& custom_id_of(const Request& request, const Workflow& workflow, std::size_t step);

}  // namespace sy::openai
