/*
 * The random file: any bytes make a seed, and equal bytes make the same seed; an empty file makes
 * none.
 */
#include "fuzz.h"
#include "sys/seed_file.h"

static int seed_of(const uint8_t *data, size_t size, uint64_t *seed)
{
    struct err e;
    err_init(&e);
    FILE *file = fuzz_file(data, size);
    int rc = seed_file_read(file, "random", seed, &e);
    fclose(file);
    MUST((rc == 0) == (e.code == 0));
    return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t first;
    uint64_t second;
    int rc = seed_of(data, size, &first);
    MUST((rc == 0) == (size > 0));
    MUST(seed_of(data, size, &second) == rc);
    MUST(rc != 0 || first == second);
    return 0;
}
