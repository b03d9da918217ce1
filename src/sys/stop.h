// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <sys/types.h>

#include "util/err.h"

/* When the run must stop: on a signal, or after the first failure. The flag is in shared memory for
 * threads and forked seekers, and global, because a signal handler gets no argument. */

/* Prepares the flag, and takes over every signal that ends a process by default, real-time signals
 * included, but KILL, those for a fault in the program itself (SEGV, BUS, ILL, FPE, ABRT, SYS,
 * TRAP) and STOP_WAKE_SIGNAL. What was ignored at the start (HUP by nohup, INT in the background of
 * a script) stays ignored, except PIPE. Call this once, before any thread starts.
 *
 * A second INT, TERM, HUP or QUIT ends the program at once: the user is impatient. But one within
 * STOP_ECHO_NS of the first is the same request, sent to the process and to its group.
 *
 * After the first signal, nothing waits for a reader: if standard output or standard error is a
 * pipe, a socket or a terminal, further output to it is lost. */
int stop_init(struct err *e);

/* For a program that prints its figures even after a signal: its output stays connected to its
 * reader, whom a second request no longer waits for. Call this after stop_init(). */
void stop_keeps_readers(void);

/* For a process that a launcher has started, which sends the same request to the process and to its
 * group, maybe far apart, and kills what does not end: further requests within ten seconds of the
 * first are ignored. Call this after stop_init(). */
void stop_takes_repeats(void);

/* Requests less than this apart count as one. */
#define STOP_ECHO_NS UINT64_C(20000000)

/* What becomes of SIGUSR1, unless it was ignored when the program started. false: nothing, so that
 * it does not end a program that cannot answer; call this before anything else. true: it is an
 * inquiry ("how far are you?"), for which the process that can answer gets one byte. */
void stop_takes_inquiries(bool can_answer);

/* The main thread sets the socket that gets the byte; -1: an inquiry waits for the next socket. */
void stop_inquiries_to(int socket, char byte);

/* Called by who has read the byte; until then further inquiries count as the same one. */
void stop_inquiry_ends(void);

/* Whether the run must stop. Costs one plain load. Safe in threads and after fork. */
bool stop_requested(void);

/* Returns 0, also before stop_init(), or -EINTR with a line in e if the run must stop. */
int stop_check(struct err *e);

void stop_request(void);

/* Whether a system call that returned `result` was interrupted, and is made again. */
static inline bool stop_retries(ssize_t result)
{
    return result < 0 && errno == EINTR && !stop_requested();
}

/* Calls fsync(2) or the like, and again if it was interrupted. */
static inline int sync_again(int fd, int (*sync)(int fd))
{
    int rc;
    do
        rc = sync(fd);
    while (stop_retries(rc));
    return rc;
}

/* The signal that requested the stop; 0: none has. Safe in threads and after fork. */
int stop_signal(void);

/* Lets a signal also cut this one descriptor off from its reader, if it is a pipe, a socket or a
 * terminal, until this is called with -1, before it is closed. */
void stop_cuts_off(int fd);

/* Writes to standard output in the main thread even after a signal, which has cut it off. Gives up
 * when its reader takes nothing for a second. */
void stop_print(const char *text, size_t length);

/* Prints a message() in the main thread even after a signal, unless nobody reads it. */
void stop_message(const char *text);

/* Blocks the signals of stop_init() in the calling thread, so that the main thread gets them. */
void stop_block_signals(void);

/* The signal that interrupts a worker's long system call with EINTR. Its handler does nothing. */
#define STOP_WAKE_SIGNAL SIGRTMIN

/* Prepares a forked child: only the parent acts on signals, and the child dies with the parent. */
void stop_init_child(void);

/* Forgets the signal that requested the stop, so that the process does not end by it. */
void stop_forget(void);

/* Ends the process by the signal that requested the stop, if any; process 1 of a container, which
 * no signal ends, with status 128 + the signal's number. */
void stop_end_by_signal(void);
