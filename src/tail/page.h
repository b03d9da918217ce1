#ifndef TAIL_PAGE_H
#define TAIL_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A page of the kernel's trace buffer, as trace_pipe_raw gives it (the layout is told by
 * header_page and header_event in tracefs, and in Documentation/trace/ring-buffer-design.rst of the
 * kernel).
 */

/* Where the parts of a page lie (header_page). */
struct tail_page_layout {
    unsigned commit_offset;
    unsigned commit_size;
    unsigned data_offset;
    unsigned data_size;
};

/* Reads the text of header_page. Returns false when it is of another form. */
bool tail_page_layout(struct tail_page_layout *layout, const char *text);

struct tail_page {
    const unsigned char *data;
    size_t bytes; /* of data that are valid */
    size_t at;    /* where the next record begins */
    uint64_t base_ns;
    uint64_t ns;       /* when the record was made that tail_page_next() returned */
    bool follows_loss; /* events before this page were overwritten, */
    uint64_t lost;     /* and this is their number; 0: not known */
};

/* Begins to read a page of which `bytes` were read. Returns false when it is no page. */
bool tail_page_begin(struct tail_page *page, const struct tail_page_layout *layout,
                     const unsigned char *memory, size_t bytes);

/* The next record of the page and its size; NULL at the end. */
const unsigned char *tail_page_next(struct tail_page *page, size_t *bytes);

#endif
