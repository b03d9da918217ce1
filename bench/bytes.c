// SPDX-License-Identifier: GPL-2.0-or-later
/* Bare loops with which getc_putc is compared: eight ways of moving single bytes, in its order, and
 * nothing else. Usage: bytes FILE KIB. Prints the KiB/s of each; write and read move only 1/64 of
 * the size. */
#include <fcntl.h>
#include <pthread.h>
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

static const char *path;

/* The same size as in getc_putc; a larger buffer would not stay in the cache. */
#define BLOCK 65536

static size_t size;

static void report(double start, size_t count)
{
    printf("%.0f ", (double)count / 1024 / (seconds() - start));
}

static void system_calls(unsigned char bytes[static BLOCK])
{
    int out = open(path, O_WRONLY);
    int in = open(path, O_RDONLY);
    double start = seconds();
    for (size_t i = 0; i < size / 64; i++)
        if (write(out, &bytes[i % BLOCK], 1) != 1)
            exit(1);
    report(start, size / 64);
    start = seconds();
    for (size_t i = 0; i < size / 64; i++)
        if (read(in, &bytes[i % BLOCK], 1) != 1)
            exit(1);
    report(start, size / 64);
    close(out);
    close(in);
}

/* Each loop is in a function of its own: the same loop may take twice as long when it is inlined
 * into different places. */
#define LOOP(name, statement)                                                                      \
    __attribute__((noinline, aligned(64))) static void name(FILE *stream, unsigned char *bytes)    \
    {                                                                                              \
        for (size_t i = 0; i < BLOCK; i++)                                                         \
            statement;                                                                             \
    }
LOOP(put_locked, putc(bytes[i], stream))
LOOP(get_locked, bytes[i] = (unsigned char)getc(stream))
LOOP(put_unlocked, putc_unlocked(bytes[i], stream))
LOOP(get_unlocked, bytes[i] = (unsigned char)getc_unlocked(stream))

/* The file exists already, and keeps its size. */
static void all_blocks(void (*loop)(FILE *, unsigned char *), int flags, unsigned char *bytes)
{
    FILE *stream = fdopen(open(path, flags), flags == O_WRONLY ? "w" : "r");
    if (!stream)
        exit(1);
    double start = seconds();
    for (size_t at = 0; at < size; at += BLOCK)
        loop(stream, bytes);
    fflush(stream);
    report(start, size);
    fclose(stream);
}

static void *wait_for_ever(void *unused)
{
    pause();
    return unused;
}

int main(int argc, char *argv[])
{
    pthread_t thread;
    unsigned char bytes[BLOCK];
    if (argc != 3)
        return 1;
    path = argv[1];
    size = strtoul(argv[2], NULL, 10) * 1024 / BLOCK * BLOCK;
    for (size_t i = 0; i < BLOCK; i++)
        bytes[i] = (unsigned char)rand();
    FILE *file = fopen(path, "w");
    if (!file)
        return 1;
    for (size_t at = 0; at < size; at += BLOCK)
        fwrite(bytes, 1, BLOCK, file);
    if (fclose(file) != 0)
        return 1;
    system_calls(bytes);
    all_blocks(put_locked, O_WRONLY, bytes);
    all_blocks(get_locked, O_RDONLY, bytes);
    if (pthread_create(&thread, NULL, wait_for_ever, NULL) != 0)
        return 1;
    all_blocks(put_locked, O_WRONLY, bytes);
    all_blocks(get_locked, O_RDONLY, bytes);
    all_blocks(put_unlocked, O_WRONLY, bytes);
    all_blocks(get_unlocked, O_RDONLY, bytes);
    printf("\n");
    unlink(path);
    return 0;
}
