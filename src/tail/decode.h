#ifndef TAIL_DECODE_H
#define TAIL_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tail/event.h"
#include "tail/format.h"

/* The kernel's events that show causes, and how their records become a struct tail_event. */

/* Which occurrences of an event the kernel has to record. */
enum tail_scope {
    SCOPE_DEVICES,    /* those on the devices below the files */
    SCOPE_FILESYSTEM, /* those on the filesystem's device */
    SCOPE_THREAD,     /* those in the program's threads */
    SCOPE_WOKEN,      /* those that make one of the program's threads ready to run */
    SCOPE_SWITCHED,   /* those that give a CPU to one of the program's threads, or take it away */
};

/* Number of kernel events in the table. */
enum { TAIL_EVENTS = 17 };

/* Path of an event in tracefs ("block/block_rq_issue"). */
const char *tail_event_path(unsigned index);
enum tail_scope tail_event_scope(unsigned index);

/*
 * What an event shows, in words ("locks"), for the message that this kernel lacks the event. Events
 * of one purpose are of use only together.
 */
const char *tail_event_purpose(unsigned index);

#define TAIL_EVENT_FIELDS 4

/* The formats of the records of the running kernel. */
struct tail_decoder {
    struct tail_format {
        bool is_known;
        unsigned id;
        struct tail_field fields[TAIL_EVENT_FIELDS];
    } formats[TAIL_EVENTS];
    struct tail_field id;     /* fields that all events have */
    struct tail_field thread; /* thread that was running */
};

/*
 * Reads `text`, the contents of the event's file `format`. Returns false when a field is missing or
 * has an unexpected size; the event then counts as missing.
 */
bool tail_decoder_learn(struct tail_decoder *d, unsigned index, const char *text);

/* After all events: forgets those of a purpose for which another one is missing. */
void tail_decoder_finish(struct tail_decoder *d);

/* Whether that event is missing, though operations on that filesystem ("ext4") may cause it. */
bool tail_decoder_misses(const struct tail_decoder *d, unsigned index, const char *filesystem);

/*
 * Turns a record of the trace into events. One record can make two of them, when a CPU goes from
 * one thread to another. Returns the number of events.
 */
unsigned tail_decode(const struct tail_decoder *d, const unsigned char *record, size_t bytes,
                     uint64_t ns, struct tail_event events[static 2]);

#endif
