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
 * A trace instance of the program's own. While a test runs, the kernel records events into it, of
 * which the newest overwrite the oldest. It is opened as root; a process that holds its descriptors
 * can use it afterwards. The remover removes it when the program ends.
 */

#define TAIL_NOTE 320

struct tail_trace {
    bool is_open;
    bool is_wanted;
    char note[TAIL_NOTE]; /* what cannot be seen, and why; empty: everything can be seen */
    int instances;        /* directory of all instances */
    char name[TAIL_INSTANCE_NAME];
    bool sees_all; /* this kernel has all events for the test that began last */
    int set_event;
    int tracing_on;
    int filters[TAIL_EVENTS];
    int *pipes; /* for each CPU; -1: there is no such CPU */
    unsigned cpus;
    size_t page_bytes;
    struct tail_page_layout layout;
    struct tail_decoder decoder;
    struct helper remover;
};

/* The most descriptors that an instance takes: for events, CPUs, and the rest of it. */
unsigned tail_trace_descriptors(void);

/*
 * Makes the instance. If the user may not, or the kernel cannot, there is no instance and t->note
 * says why, which is not a failure. Returns 0 or a negative errno.
 */
int tail_trace_open(struct tail_trace *t, struct err *e);

/* The threads and devices whose events are recorded. */
struct tail_watch {
    int first_thread; /* lowest thread ID */
    int last_thread;  /* highest thread ID */
    const struct device_set *devices;
    const char *filesystem; /* its type, "ext4"; empty: unknown */
};

/* Begins to record. Earlier records are lost. Returns 0 or a negative errno. */
int tail_trace_begin(struct tail_trace *t, const struct tail_watch *w);

/* Stops recording. After that the instance costs no time. */
void tail_trace_end(struct tail_trace *t);

/*
 * Reads a page of the records of a CPU into `page`, which has room for t->page_bytes. Returns the
 * number of bytes, or 0 when there are no more records now.
 */
size_t tail_trace_read(const struct tail_trace *t, unsigned cpu, unsigned char *page);

/* Removes the instance, and waits until it is gone. */
void tail_trace_close(struct tail_trace *t);

/*
 * Writes a new name for a trace instance. Returns false when there are no random numbers. An
 * instance is in use as long as its file `tracing_on` is open.
 */
bool tail_instance_name(char name[TAIL_INSTANCE_NAME]);

/*
 * --cleanup: removes the instances that killed runs of any program left, and says so in a line for
 * each. Only root can.
 */
void tail_trace_cleanup(void);

#endif
