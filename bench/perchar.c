// SPDX-License-Identifier: GPL-2.0-or-later
/* Bare loops with which the per-character tests are compared: putc and getc over the bytes of a
 * file, and nothing else. Prints the KiB/s of both. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double put(const char *path, const unsigned char *bytes, size_t count)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return -1;
    double start = seconds();
    for (size_t i = 0; i < count; i++)
        putc(bytes[i], file);
    if (fflush(file) != 0 || fsync(fileno(file)) != 0 || fclose(file) != 0)
        return -1;
    return seconds() - start;
}

static double get(const char *path, unsigned char *bytes, size_t count)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return -1;
    double start = seconds();
    for (size_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)getc(file);
    fclose(file);
    return seconds() - start;
}

int main(int argc, char *argv[])
{
    if (argc != 3)
        return 1;
    size_t count = strtoul(argv[2], NULL, 10) << 20;
    unsigned char *bytes = malloc(count);
    if (!bytes)
        return 1;
    for (size_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)rand();
    double written = put(argv[1], bytes, count);
    double read = get(argv[1], bytes, count);
    unlink(argv[1]);
    free(bytes);
    if (written <= 0 || read <= 0) {
        perror(argv[1]);
        return 1;
    }
    printf("%.0f %.0f\n", (double)count / 1024 / written, (double)count / 1024 / read);
    return 0;
}
