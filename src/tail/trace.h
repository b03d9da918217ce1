#ifndef TAIL_TRACE_H
#define TAIL_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "measure/device.h"
#include "tail/decode.h"
#include "tail/page.h"
#include "tail/remover.h"
#include "util/err.h"

/*
 * A trace instance of the program's own: the kernel records into it while a test runs, the newest
 * events overwriting the oldest. It is opened as root; whoever holds its descriptors can use it
 * afterwards. It is removed when the program ends, by the remover.
 */

#define TAIL_NOTE 320

struct tail_trace {
    bool is_open;
    bool is_wanted;
    char note[TAIL_NOTE]; /* what cannot be seen, in words, and why; empty: nothing of the kind */
    int instances;        /* the directory in which it is */
    char name[TAIL_INSTANCE_NAME];
    int set_event;
    int tracing_on;
    int filters[TAIL_EVENTS];
    int *pipes; /* of each CPU; -1: there is no such CPU */
    unsigned cpus;
    size_t page_bytes;
    struct tail_page_layout layout;
    struct tail_decoder decoder;
    struct confined remover;
};

/*
 * Makes the instance. Where the user may not, or the kernel cannot, there is none, and t->note says
 * why, which is not a failure. Returns 0 or a negative errno.
 */
int tail_trace_open(struct tail_trace *t, struct err *e);

/* The threads and devices whose events are recorded. */
struct tail_watch {
    int first_thread; /* all threads with numbers from this one */
    int last_thread;  /* to this one */
    const struct device_set *devices;
};

/* Begins to record. What was recorded before is lost. Returns 0, or a negative errno. */
int tail_trace_begin(struct tail_trace *t, const struct tail_watch *w);

/* Ends it. Costs nothing any more from then on. */
void tail_trace_end(struct tail_trace *t);

/*
 * Reads a page of what a CPU has recorded into page, which has t->page_bytes. Returns the number of
 * bytes, 0 if there is nothing more at the moment.
 */
size_t tail_trace_read(const struct tail_trace *t, unsigned cpu, unsigned char *page);

/* Removes the instance, and waits until that is done. */
void tail_trace_close(struct tail_trace *t);

/* Removes the instances that killed runs have left; says so in a line for each. */
void tail_trace_cleanup(void);

#endif
