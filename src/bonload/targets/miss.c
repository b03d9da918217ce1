#include "bonload/targets/miss.h"

#include <errno.h>

bool miss_is_normal(int code, bool makes_file, bool is_xattr)
{
    switch (code) {
    case ENOENT:
        return !makes_file;
    case EEXIST:
    case ENODATA:
    case ELOOP:
    case EMLINK:
    case ERANGE:
        return true;
    case ENOSPC:
    case E2BIG:
    case EOPNOTSUPP:
        return is_xattr;
    default:
        return false;
    }
}
