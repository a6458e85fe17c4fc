// Wide: room for the product of two amounts, so that fractions are compared without rounding.
#pragma once

namespace sy::allocate {

__extension__ using Wide = __int128;

}  // namespace sy::allocate
