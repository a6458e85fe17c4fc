// llama-swap: its YAML read as a catalogue of models (config.example.yaml of mostlygeek/llama-swap says what it holds).
//
// What decides there by hand which models live side by side (groups, matrix, ttl) is not needed here: memory decides.
// Such keys, and those we have no use for, are accepted, and a note says so for each.
#pragma once

#include "input/model_file.h"

namespace sy::input {

/// A model with a `cmd` is llama-swap's.
bool is_llama_swap(const Document& document);

/// Throws what reading.h does.
ModelFile read_llama_swap(const Document& document);

}  // namespace sy::input
