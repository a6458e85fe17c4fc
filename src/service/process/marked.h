// Marked: processes found by a setting in their environment, whoever their parent is by now.
//
// A worker that dies together with its server leaves what it ran to nobody we know. Its tasks carry a mark that names
// their place, and what they start inherits it, unless it goes out of its way to clear its environment.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace sy::process {

using Mark = std::pair<std::string, std::string>;  ///< A setting: name and value.

/// Those of our user that were started with this setting.
std::vector<pid_t> find_marked(const Mark& mark);

/// Whether a process was started with a setting of this name whose value begins like this.
bool is_marked(pid_t pid, const std::string& name, const std::string& value_begins);

/// Kills them and waits until they are gone.
void end_marked(const Mark& mark);

}  // namespace sy::process
