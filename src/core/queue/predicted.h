// Predicted: least predicted GPU-time first (S9, P17b). What sjf and srsf need to be told, a predictor guesses from
// jobs that have ended; the guess is made when the job comes and is kept.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "core/estimate/run_time.h"
#include "core/queue/order.h"

namespace sy::queue {

class Predicted final : public Order {
public:
    explicit Predicted(std::shared_ptr<estimate::RunTime> predictor) : predictor_(std::move(predictor)) {}

    /// In GPU-microseconds.
    Rank rank(const Candidate& task) override {
        const Rank micros = predictor_->predict(features_of(task)).count() / 1000;
        const Rank most = std::numeric_limits<Rank>::max() / std::max<Rank>(task.gpus, 1);
        return std::min(micros, most) * task.gpus;
    }
    bool remembers() const override { return true; }
    void ended(const Candidate& task, Duration ran) override { predictor_->learn(features_of(task), ran); }
    bool can_be_saved() const override { return predictor_->can_be_saved(); }
    void save(ByteWriter& writer) const override { predictor_->save(writer); }
    bool load(ByteReader& reader) override { return predictor_->load(reader); }

private:
    static estimate::JobFeatures features_of(const Candidate& task) {
        return {task.user, task.model, task.name, task.gpus, task.estimate, task.submitted, task.level};
    }

    std::shared_ptr<estimate::RunTime> predictor_;
};

}  // namespace sy::queue
