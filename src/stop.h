#ifndef BONNIE_STOP_H
#define BONNIE_STOP_H

#include <stdbool.h>

#include "util/err.h"

/*
 * When to stop: on a signal or after the first failure. The flag lies in shared memory, so that
 * threads and forked seekers see the same one; between two operations everybody looks at it.
 *
 * This is the program's one piece of global mutable state: a signal handler can be told nothing.
 */

/*
 * Prepares the flag and takes INT, TERM, HUP, QUIT, PIPE, XCPU, XFSZ and ALRM over; what was
 * ignored at the start (HUP by nohup, INT in the background of a script) stays ignored, but PIPE. A
 * second signal ends the program at once, unless it is a PIPE or XCPU, which come by themselves.
 * To be called once, before any thread is started. Returns 0 or a negative errno.
 */
int stop_init(struct err *e);

/* True when the run is to end. Costs one plain load; safe in threads and after fork. */
bool stop_requested(void);

/* The same for the loops of a test: 0 to go on, or -EINTR and a line in e. */
int stop_check(struct err *e);

/* Asks everybody to stop. */
void stop_request(void);

/* The signal that asked to stop, 0 if none did. */
int stop_signal(void);

/* Blocks in the calling thread the signals that stop_init took over: the main thread gets them. */
void stop_block_signals(void);

/*
 * The signal that wakes a worker from a long system call; its handler does nothing, the interrupted
 * call returns EINTR.
 */
int stop_wake_signal(void);

/* In a forked child: leaves stopping to the parent, dies with it. */
void stop_init_child(void);

/* Ends the process by the signal that asked to stop, if one did, as if it had not been caught. */
void stop_end_by_signal(void);

#endif
