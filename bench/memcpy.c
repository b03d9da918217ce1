// SPDX-License-Identifier: GPL-2.0-or-later
/* The making of contents is compared with this: memcpy of 64 KiB into 32 buffers in turn, which is
 * what bonnie fills at that depth. Prints GB/s for a number of MiB. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHUNK   65536
#define BUFFERS 32

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void copy(char *buffers, const char *from, size_t chunks)
{
    for (size_t i = 0; i < chunks; i++) {
        memcpy(buffers + i % BUFFERS * CHUNK, from, CHUNK);
        __asm__ volatile(""
                         :
                         : "r"(buffers)
                         : "memory"); /* keeps the compiler from leaving out copies */
    }
}

int main(int argc, char *argv[])
{
    if (argc != 2)
        return 1;
    size_t chunks = (strtoul(argv[1], NULL, 10) << 20) / CHUNK;
    char *from = malloc(CHUNK);
    char *buffers = malloc(BUFFERS * CHUNK);
    if (!from || !buffers || chunks == 0)
        return 1;
    memset(from, 1, CHUNK);
    copy(buffers, from, BUFFERS); /* the first access to the memory must not count */
    double start = seconds();
    copy(buffers, from, chunks);
    printf("%.3f\n", (double)chunks * CHUNK / 1e9 / (seconds() - start));
    free(buffers);
    free(from);
    return 0;
}
