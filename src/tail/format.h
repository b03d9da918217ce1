#ifndef TAIL_FORMAT_H
#define TAIL_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Where the fields of a kernel event are in its records, according to the event's file `format` in
 * tracefs.
 */

struct tail_field {
    unsigned offset;
    unsigned size; /* 0: the event has no such field */
    bool is_text;  /* an array of characters, which may be as long as a number */
};

/*
 * Looks up a field in `text`, the contents of such a file. Returns false when there is no such
 * field.
 */
bool tail_format_field(const char *text, const char *name, struct tail_field *field);

/* Finds the number that identifies the event in the trace. Returns false when `text` has none. */
bool tail_format_id(const char *text, unsigned *id);

/*
 * Returns the value of a number of 1, 2, 4 or 8 bytes, and 0 for other fields and for a field that
 * is not within `bytes`.
 */
uint64_t tail_field_value(const struct tail_field *field, const unsigned char *record,
                          size_t bytes);

#endif
