// Sabotage: bugs we plant on purpose, to show that the checks can fail.
//
// In every ordinary build `sabotaged` is a constant false and its branches vanish. Only the test that hunts these bugs
// compiles with SWITCHYARD_SABOTAGE and chooses one.
#pragma once

namespace sy {

enum class Bug {
    none,
    late_report_accepted,  ///< The server takes a result from an attempt that was void already.
    effects_before_sync,   ///< The server acts before its journal is on disk.
    lease_ignored,         ///< A worker goes on with its task after its lease has run out.
    old_start_obeyed,      ///< A worker starts an attempt it was already told to stop.
    retry_forgotten,       ///< The server voids an attempt and does not queue its task again.
    room_not_awaited,      ///< The server starts a task where a model that must go is still loaded.
    wake_up_lost,          ///< The server does not ask to be woken, so a silent worker is never missed.
};

#ifdef SWITCHYARD_SABOTAGE
inline Bug planted_bug = Bug::none;
inline bool sabotaged(Bug bug) {
    return planted_bug == bug;
}
#else
constexpr bool sabotaged(Bug) {
    return false;
}
#endif

}  // namespace sy
