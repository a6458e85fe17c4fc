// Doubts: which nodes failed which requests and have not been heard of since.
//
// A node that failed a request may be dead, which is known only when it was silent for long enough. To send the request
// there again before is in vain, as often as a request may be sent another way. Bounded by the requests under way and
// the ways each may be given.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/ids.h"
#include "core/pipeline/members/crew_view.h"

namespace sy::pipelines {

class Doubts {
public:
    void add(RequestId request, const std::string& node);
    /// Whether the way passes a node that failed the request.
    bool stand_against(RequestId request, const std::vector<pipeline::NamedStage>& way) const;
    /// The node was heard of, or is gone for good: whoever doubted it, in order, does so no more.
    std::vector<RequestId> settle(const std::string& node);
    void forget(RequestId request);

private:
    std::map<RequestId, std::set<std::string>> by_request_;
    std::map<std::string, std::set<RequestId>> by_node_;
};

}  // namespace sy::pipelines
