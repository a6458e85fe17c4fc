// A fuzz target: one function that takes any bytes and must not crash, and inputs to start from.
//
// Under clang it is linked with libFuzzer (`make fuzz`); in the ordinary build replay.cc calls it with the seeds and
// with random changes of them, so that every `make test` fuzzes a little.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);

namespace sy::fuzz {

std::vector<std::string> seeds();

}  // namespace sy::fuzz
