// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A fuzz target is a file with this one function. It gets arbitrary bytes, and aborts when the code
 * under test breaks a promise of its header. In a build with --enable-fuzzing, libFuzzer makes the
 * bytes; in any other build replay.c takes them from the corpus. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);         \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* The bytes as a text, in memory of exactly its size, so that reading past its end is noticed. */
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
