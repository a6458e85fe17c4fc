#include "output/packed.h"

#include <numeric>
#include <vector>

namespace sy::output {

namespace {

void add_number(std::string& out, std::uint64_t number) {
    while (number >= 0x80) {
        out += static_cast<char>(number | 0x80);
        number >>= 7;
    }
    out += static_cast<char>(number);
}

std::uint64_t folded(std::int64_t number) {
    return number >= 0 ? 2 * static_cast<std::uint64_t>(number) : 2 * static_cast<std::uint64_t>(-number) - 1;
}

}  // namespace

Duration tick_of(const Plan& plan) {
    std::int64_t tick = 0;
    const auto measure = [&tick](Instant t) { tick = std::gcd(tick, (t - kStart).count()); };
    for (const PlannedJob& job : plan.jobs) {
        measure(job.start);
        measure(job.end);
        if (!job.load) continue;
        measure(job.load->start);
        measure(job.load->end);
    }
    return tick == 0 ? Duration(1s) : Duration(tick);
}

std::string packed_times(const Plan& plan, std::size_t gpu_count, Duration tick) {
    std::vector<std::vector<const PlannedJob*>> by_gpu(gpu_count);
    for (const PlannedJob& job : plan.jobs) by_gpu[job.gpus.first.value()].push_back(&job);
    const auto ticks = [tick](Duration d) { return static_cast<std::uint64_t>(d / tick); };
    std::string bytes;
    std::int64_t before = 0;
    for (const auto& jobs : by_gpu) {
        add_number(bytes, jobs.size());
        Instant free = kStart;
        for (const PlannedJob* job : jobs) {
            add_number(bytes, folded(std::int64_t{job->job} - before));
            add_number(bytes, 2 * ticks((job->load ? job->load->start : job->start) - free) + (job->load ? 1 : 0));
            if (job->load) {
                add_number(bytes, ticks(job->load->end - job->load->start));
                add_number(bytes, ticks(job->start - job->load->end));
            }
            add_number(bytes, ticks(job->end - job->start));
            before = job->job;
            free = job->end;
        }
    }
    return base64(bytes);
}

std::string base64(const std::string& bytes) {
    constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const auto byte = [&bytes](std::size_t i) {
        return i < bytes.size() ? static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) : 0U;
    };
    std::string out;
    out.reserve(bytes.size() / 3 * 4 + 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::uint32_t three = byte(i) << 16U | byte(i + 1) << 8U | byte(i + 2);
        out += kDigits[three >> 18U];
        out += kDigits[three >> 12U & 63U];
        out += i + 1 < bytes.size() ? kDigits[three >> 6U & 63U] : '=';
        out += i + 2 < bytes.size() ? kDigits[three & 63U] : '=';
    }
    return out;
}

}  // namespace sy::output
