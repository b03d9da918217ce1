#include "sys/seed_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "sys/named_file.h"
#include "util/rng.h"

int seed_file_read(FILE *file, const char *path, uint64_t *seed, struct err *e)
{
    uint64_t hash = 0;
    uint64_t length = 0;
    for (int c; length < SEED_FILE_BYTES && (c = fgetc(file)) != EOF; length++)
        hash = rng_mix(hash ^ (uint64_t)c);
    if (ferror(file))
        return err_system(e, errno, "read random file %s", path);
    if (length == 0)
        return err_say(e, "random file %s: is empty, one byte or more is needed", path);
    *seed = hash;
    return 0;
}

int seed_file_seed(const char *path, uint64_t *seed, struct err *e)
{
    FILE *file;
    int rc = named_file_read(&file, "read random file", path, e);
    if (rc != 0)
        return rc;
    rc = seed_file_read(file, path, seed, e);
    fclose(file);
    return rc;
}
