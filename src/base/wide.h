// Wide: integers of 128 bits, for products of two figures that each fill a word.
#pragma once

namespace sy {

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

}  // namespace sy
