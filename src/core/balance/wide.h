// Wide: integers of 128 bits, for products of two figures that each fill a word.
#pragma once

namespace sy::balance {

__extension__ typedef unsigned __int128 Wide;  // NOLINT: `using` has no place for __extension__
__extension__ typedef __int128 SignedWide;     // NOLINT

}  // namespace sy::balance
