// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "util/base.h"

/* Objects without pointers, one after another, in the form in which they travel between hosts of
 * one architecture: only those words that are not 0, because most of a histogram is empty whatever
 * it has counted. The reader must know which objects a bundle has. */
struct bundle {
    uint64_t *words;
    size_t count;
    size_t room;
    bool is_short; /* memory ran out, so the bundle is incomplete */
};

/* Appends an object. A zeroed bundle is empty. */
void bundle_put(struct bundle *b, const void *object, size_t bytes);

size_t bundle_bytes(const struct bundle *b);
void bundle_release(struct bundle *b);

/* The part of a bundle that has not been read yet. */
struct bundle_reader {
    const unsigned char *at;
    size_t bytes;
};

/* Reads the next object. Returns false when there is none, or when it has another size. */
bool bundle_take(struct bundle_reader *r, void *object, size_t bytes);
