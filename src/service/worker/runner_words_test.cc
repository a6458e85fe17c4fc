#include "service/worker/runner_words.h"

#include <gtest/gtest.h>

namespace sy::worker {
namespace {

template <class T>
const T* as(const RunnerWord& word) {
    return std::get_if<T>(&word);
}

TEST(RunnerWords, EachWordIsUnderstood) {
    EXPECT_NE(as<Ready>(parse_word(R"({"ready": {}})", "")), nullptr);
    const RunnerWord result = parse_word(R"({"result": {"id": "7.1", "output": {"a": [1, 2]}}})", "7.1");
    ASSERT_NE(as<Output>(result), nullptr);
    EXPECT_EQ(as<Output>(result)->json, R"({"a":[1,2]})");
    const RunnerWord error = parse_word(R"({"error": {"id": "7.1", "message": "too long", "kind": "input"}})", "7.1");
    ASSERT_NE(as<Failure>(error), nullptr);
    EXPECT_EQ(as<Failure>(error)->message, "too long");
    EXPECT_FALSE(as<Failure>(error)->out_of_memory);
    const RunnerWord progress = parse_word(R"({"progress": {"id": "7.1", "fraction": 0.25}})", "7.1");
    ASSERT_NE(as<Progress>(progress), nullptr);
    EXPECT_EQ(as<Progress>(progress)->fraction, 0.25);
}

TEST(RunnerWords, AResultMaySayHowMuchMemoryItTook) {
    const auto peak = [](const std::string& said) {
        return as<Output>(parse_word(R"({"result": {"id": "1", "output": 1)" + said + "}}", "1"))->peak_bytes;
    };
    EXPECT_EQ(peak(R"(, "peak_memory_mb": 1500.5)"), 1'500'500'000U);
    EXPECT_EQ(peak(""), 0U);
    for (const char* odd : {"-1", "1e300", "\"much\"", "null"})
        EXPECT_EQ(peak(std::string(R"(, "peak_memory_mb": )") + odd), 0U) << odd;
}

TEST(RunnerWords, WantOfMemoryIsRecognisedByKindOrByItsWords) {
    EXPECT_TRUE(as<Failure>(parse_word(R"({"error": {"id": "1", "kind": "oom"}})", "1"))->out_of_memory);
    EXPECT_TRUE(as<Failure>(parse_word(R"({"error": {"id": "1", "message": "CUDA out of memory. Tried"}})", "1"))
                    ->out_of_memory);
    EXPECT_TRUE(speaks_of_gpu_memory("RuntimeError: CUDA_ERROR_OUT_OF_MEMORY"));
    EXPECT_FALSE(speaks_of_gpu_memory("MemoryError"));
}

TEST(RunnerWords, AnythingElseIsChatter) {
    for (const char* line : {"", "loading weights 50 %", "{", "[1]", "{}", R"({"result": 1})", R"({"result": {}})",
                             R"({"result": {"id": "other", "output": 1}})", R"({"result": {"id": 7, "output": 1}})",
                             "{\"error\": {\"id\": \"other\"}}", "\xff\xfe"})
        EXPECT_NE(as<Chatter>(parse_word(line, "7.1")), nullptr) << line;
}

TEST(RunnerWords, WhatWeSayIsOneLineEach) {
    EXPECT_EQ(run_line("7.1", R"({"a":1})"), "{\"run\":{\"id\":\"7.1\",\"input\":{\"a\":1}}}\n");
    EXPECT_EQ(cancel_line("7.1"), "{\"cancel\":{\"id\":\"7.1\"}}\n");
    EXPECT_EQ(unload_line(), "{\"unload\":{}}\n");
}

}  // namespace
}  // namespace sy::worker
