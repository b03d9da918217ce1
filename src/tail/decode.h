#ifndef TAIL_DECODE_H
#define TAIL_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tail/event.h"
#include "tail/format.h"

/* The kernel's events that causes are seen in, and how their records become a struct tail_event. */

/* Which of an event's occurrences the kernel is asked to record. */
enum tail_scope {
    SCOPE_DEVICES,    /* those on the devices below the files */
    SCOPE_FILESYSTEM, /* those of the filesystem's device */
    SCOPE_THREAD,     /* those of the program's threads */
    SCOPE_WOKEN,      /* those in which one of them becomes ready, */
    SCOPE_SWITCHED,   /* or begins or ends to run */
};

/* The number of kernel events in the table. */
enum { TAIL_EVENTS = 17 };

/* Where an event is in tracefs ("block/block_rq_issue"), and what it is for. */
const char *tail_event_path(unsigned index);
enum tail_scope tail_event_scope(unsigned index);

/*
 * What is seen in it, in words ("locks"), for the case that this kernel does not have it. NULL: it
 * is there only if a filesystem is loaded.
 */
const char *tail_event_purpose(unsigned index);

#define TAIL_EVENT_FIELDS 4

/* How to read the records of this kernel. */
struct tail_decoder {
    struct tail_format {
        bool is_known;
        unsigned id;
        struct tail_field fields[TAIL_EVENT_FIELDS];
    } formats[TAIL_EVENTS];
    struct tail_field id;     /* the fields that all events have */
    struct tail_field thread; /* the thread that was running */
};

/*
 * Reads the text of the event's file `format`. Returns false when a field is missing or of another
 * size, in which case the event counts as missing.
 */
bool tail_decoder_learn(struct tail_decoder *d, unsigned index, const char *text);

/*
 * What a record of the trace tells, of which there may be two (a thread gives its CPU to another
 * one). Returns the number of events.
 */
unsigned tail_decode(const struct tail_decoder *d, const unsigned char *record, size_t bytes,
                     uint64_t ns, struct tail_event events[static 2]);

#endif
