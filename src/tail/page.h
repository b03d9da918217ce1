#ifndef TAIL_PAGE_H
#define TAIL_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A page of the kernel's trace buffer, as trace_pipe_raw returns it. Its layout is described by
 * header_page and header_event in tracefs, and in the kernel's
 * Documentation/trace/ring-buffer-design.rst.
 */

/* Where the parts of a page are (header_page). */
struct tail_page_layout {
    unsigned commit_offset;
    unsigned commit_size;
    unsigned data_offset;
    unsigned data_size;
};

/* Reads `text`, the contents of header_page. Returns false when it has an unexpected form. */
bool tail_page_layout(struct tail_page_layout *layout, const char *text);

struct tail_page {
    const unsigned char *data;
    size_t bytes; /* number of valid bytes of data */
    size_t at;    /* position of the next record */
    uint64_t base_ns;
    uint64_t ns;       /* time of the record that tail_page_next() returned last */
    bool follows_loss; /* the kernel lost events before this page */
    uint64_t lost;     /* their number, or 1 if a full page had no room for it */
};

/*
 * Begins to read a page, of which `bytes` were read from the kernel. Returns false when this is not
 * a page.
 */
bool tail_page_begin(struct tail_page *page, const struct tail_page_layout *layout,
                     const unsigned char *memory, size_t bytes);

/* Returns the next record of the page and its size; NULL at the end. */
const unsigned char *tail_page_next(struct tail_page *page, size_t *bytes);

#endif
