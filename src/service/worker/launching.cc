#include "service/worker/launching.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include "service/process/account.h"

namespace sy::worker {

namespace {

/// The task's own, the same for all its attempts: what one saved there the next can go on from (P17d). Whoever has
/// something to save makes it: most have not, and a million empty folders are slow.
std::string checkpoint_folder(const wire::Work& work, const agent::Launch& launch, const Options& options) {
    std::string own = fmt::format("{}/checkpoints/{}", options.folder, launch.task.value());
    if (work.account.empty()) return own;
    ::mkdir(own.c_str(), 0700);  // others may not make one there
    process::hand_over(own, work.account);
    return own;
}

}  // namespace

process::Mark mark_of(const Options& options) {
    return {wire::kPlaceMark, fmt::format("{}#{}", options.folder, options.gpu.value())};
}

process::Command command_of(const wire::Work& work, const agent::Launch& launch, const Options& options) {
    process::Command command{work.argv, {}, work.folder, work.model.empty() ? work.input : ""};
    if (work.model.empty()) {
        command.limits = work.limits;
        command.account = work.account;
        command.may_be_root = work.may_be_root;
    }
    for (const wire::Setting& setting : work.environment) command.environment.emplace_back(setting.key, setting.value);
    command.environment.push_back(mark_of(options));
    if (work.model.empty()) {
        command.environment.emplace_back("SWITCHYARD_TASK", std::to_string(launch.task.value()));
        command.environment.emplace_back("SWITCHYARD_ATTEMPT", std::to_string(launch.attempt));
        command.environment.emplace_back("SWITCHYARD_CHECKPOINT", checkpoint_folder(work, launch, options));
        if (launch.attempt > 1) command.environment.emplace_back("SWITCHYARD_RESUMED", "1");
    } else {
        command.environment.emplace_back("SWITCHYARD_MODEL", work.model);
    }
    return command;
}

}  // namespace sy::worker
