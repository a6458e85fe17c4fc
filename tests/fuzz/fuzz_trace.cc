// A trace file, ours or in the Standard Workload Format. What is accepted must come back from its own CSV unchanged.
#include <string_view>

#include "base/check.h"
#include "fuzz/target.h"
#include "input/swf.h"
#include "input/trace_file.h"
#include "output/trace_csv.h"

namespace {

void must_survive_its_csv(const sy::Trace& trace) {
    const auto again = sy::input::read_trace(sy::output::trace_csv(trace), "again");
    SY_CHECK(again.has_value(), "{}", again.error().message);
    SY_CHECK(*again == trace, "{} jobs were read and written differently", trace.jobs.size());
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    if (const auto trace = sy::input::read_trace(text, "fuzz")) must_survive_its_csv(*trace);
    if (const auto log = sy::input::read_swf(text, "fuzz")) must_survive_its_csv(log->trace);
    return 0;
}

std::vector<std::string> sy::fuzz::seeds() {
    return {
        "job_id,submit_s,duration_s,gpus\n1,70,61,1\n4,473,14,2\n5,473.000000001,1e3,8\n",
        "\xef\xbb\xbfwork,job_id,submit_s,duration_s,gpus,priority,user,model,deadline_s,estimate_s,cpus,memory_gb,"
        "kind,"
        "gpu_memory_gb,network_gb_s,name,colour\r\n"
        "online,\"a,1\",0,0.1,1,HIGH,ann,\"say \"\"x\"\"\",5,0.2,4,16.5,a100,40,1.25,nightly,blue\r\n"
        "stream,b, 2 ,3 , 4,3,,,,,,,,,,,\r\n",
        "; MaxProcs: 128\n1 0 5 60 8 -1 -1 8 120 -1 1 3 1 7 1 1 -1 -1\n2 -1 -1 0 -1 -1 -1 4 60 -1 5 3 1 -1 1 1 -1 -1\n",
    };
}
