#ifndef UTIL_MUL_DIV_H
#define UTIL_MUL_DIV_H

#include <stdint.h>

/* Returns a * b / c, rounded down. a * b may need 128 bits, but the quotient must fit into 64. */
static inline uint64_t mul_div(uint64_t a, uint64_t b, uint64_t c)
{
    __extension__ typedef unsigned __int128 uint128;
    return (uint64_t)((uint128)a * b / c);
}

#endif
