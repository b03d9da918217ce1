#ifndef TAIL_FORMAT_H
#define TAIL_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the fields of a kernel event lie, as its file `format` in tracefs says. */

struct tail_field {
    unsigned offset;
    unsigned size; /* 0: the event has no such field */
};

/* Looks the field up in the text of such a file. Returns false when there is none. */
bool tail_format_field(const char *text, const char *name, struct tail_field *field);

/* The number by which the event is known in the trace. Returns false when the text has none. */
bool tail_format_id(const char *text, unsigned *id);

/* The value of a number of 1, 2, 4 or 8 bytes; of other fields, and beyond `bytes`, 0. */
uint64_t tail_field_value(const struct tail_field *field, const unsigned char *record,
                          size_t bytes);

#endif
