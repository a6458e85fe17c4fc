// Kind: a short word for a sort of card, from the name the driver has for it.
#pragma once

#include <string>
#include <string_view>

namespace sy::device {

/// "h100" of "NVIDIA H100 80GB HBM3", "rtx-4090" of "NVIDIA GeForce RTX 4090": lower case, without maker, memory, form.
std::string kind_of(std::string_view name);

}  // namespace sy::device
