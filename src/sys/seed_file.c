#include "sys/seed_file.h"

#include <stdlib.h>

#include "sys/input.h"
#include "util/rng.h"

static uint64_t hash_of(const char *bytes, size_t length)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < length; i++)
        hash = rng_mix(hash ^ (unsigned char)bytes[i]);
    return hash;
}

int seed_file_seed(const char *path, uint64_t *seed, struct err *e)
{
    char *bytes;
    size_t length;
    int rc = input_read("read random file", path, SEED_FILE_BYTES, &bytes, &length, e);
    if (rc != 0)
        return rc;
    if (length > 0)
        *seed = hash_of(bytes, length);
    else
        rc = err_say(e, "random file %s: is empty, one byte or more is needed", path);
    free(bytes);
    return rc;
}
