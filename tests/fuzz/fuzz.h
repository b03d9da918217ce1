#ifndef BONNIE_TESTS_FUZZ_H
#define BONNIE_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A fuzz target is a file with this one function. It is handed any bytes whatever, and breaks off
 * when the code under test does not keep what its header promises. Built with --enable-fuzzing,
 * libFuzzer makes the bytes up; in any other build replay.c takes them from the corpus.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);         \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* The bytes as a text, in memory of just its size, so that reading on behind it is noticed. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    MUST(text);
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

/* The bytes as a file. */
static inline FILE *fuzz_file(const uint8_t *data, size_t size)
{
    FILE *file = size > 0 ? fmemopen((void *)(uintptr_t)data, size, "r") : fopen("/dev/null", "r");
    MUST(file);
    return file;
}

#endif
