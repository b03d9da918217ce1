// SPDX-License-Identifier: GPL-2.0-or-later
/* The random file: any bytes make a seed, and equal bytes make the same seed; an empty file makes
 * none. */
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "sys/input.h"

static int seed_of(const uint8_t *data, size_t size, uint64_t *seed)
{
    struct err e;
    err_init(&e);
    char path[64];
    int fd = memfd_create("random", MFD_CLOEXEC);
    MUST(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int rc = seed_file_seed(path, seed, &e);
    close(fd);
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
