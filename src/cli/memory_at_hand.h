// Memory at hand: what a service frees in one turn it needs again in the next.
#pragma once

namespace sy::cli {

/// glibc keeps seven freed pieces of each size at hand for a thread, and a turn of the service frees hundreds. How many
/// it keeps can only be said before a program begins, so this one begins again, once, with that in its environment; the
/// workers it starts have it from there. Comes back where that is said already, or cannot be.
///
/// To be called before anything else: whatever is open or running by then is lost. Measured: a tenth of the processor
/// time of a call.
void keep_memory_at_hand(char** words);

}  // namespace sy::cli
