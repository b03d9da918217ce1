// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "util/err.h"

/*
 * When the run must stop: on a signal, or after the first failure. The flag is in shared memory for
 * all threads and forked seekers, which check it between two operations.
 *
 * This is the program's only global mutable state, because a signal handler gets no argument.
 */

/*
 * Prepares the flag, and takes over every signal that ends a process by default, real-time signals
 * included, with these exceptions: KILL, which cannot be caught; the signals for a fault in the
 * program itself (SEGV, BUS, ILL, FPE, ABRT, SYS, TRAP); and stop_wake_signal(). Signals that were
 * ignored at the start (HUP by nohup, INT in the background of a script) stay ignored, except PIPE.
 *
 * A second INT, TERM, HUP or QUIT ends the program at once: the user is impatient. No other signal
 * does so, and neither does a second one of these within STOP_ECHO_NS of the first: that is the
 * same request, sent to the process and to its group.
 *
 * After the first signal, nothing waits for a reader: if standard output or standard error is a
 * pipe, a socket or a terminal, further output to it is lost.
 *
 * Call this once, before any thread starts.
 */
int stop_init(struct err *e);

/*
 * For a program that prints its figures even after a signal: its output stays connected to its
 * reader. After a second request, it no longer waits for a reader that does not read. Call this
 * after stop_init().
 */
void stop_keeps_readers(void);

/*
 * For a process that a launcher has started. A launcher sends the same request to the process and
 * to its group. On a busy machine, these may come far apart. The launcher also kills processes that
 * do not end. So further requests within ten seconds of the first are ignored. Call this after
 * stop_init().
 */
void stop_takes_repeats(void);

/* Requests less than this apart count as one. */
#define STOP_ECHO_NS UINT64_C(20000000)

/*
 * Ignores SIGUSR1 until stop_takes_inquiries() is called. So an inquiry ("how far are you?") does
 * not end a program that gets it too early, or that cannot answer. Call this before anything else.
 */
void stop_ignores_inquiries(void);

/*
 * Makes SIGUSR1 an inquiry, "how far are you?", for which the process that can answer gets one
 * byte. If SIGUSR1 was ignored when the program started, it stays ignored. Call this after
 * stop_init().
 */
void stop_takes_inquiries(void);

/*
 * Sets the socket that gets the byte, and the byte. -1: nobody can answer now, and an inquiry waits
 * for the next socket. Call this in the main thread.
 */
void stop_inquiries_to(int socket, char byte);

/*
 * Ends an inquiry. The process that has read the byte calls this; until then further inquiries
 * count as the same one.
 */
void stop_inquiry_ends(void);

/* Whether the run must stop. Costs one plain load. Safe in threads and after fork. */
bool stop_requested(void);

/* Returns 0, also before stop_init(), or -EINTR with a line in e if the run must stop. */
int stop_check(struct err *e);

void stop_request(void);

/* The signal that requested the stop; 0: none has. Safe in threads and after fork. */
int stop_signal(void);

/*
 * Lets a signal also cut this descriptor off from its reader, if it is a pipe, a socket or a
 * terminal. There can be only one such descriptor; call this with -1 before closing it.
 */
void stop_cuts_off(int fd);

/*
 * Prints a message() even after a signal. It is lost only if nobody reads it. For what the user
 * must know although the run was stopped. Call this in the main thread.
 */
void stop_message(const char *text);

/* Blocks the signals of stop_init() in the calling thread, so that the main thread gets them. */
void stop_block_signals(void);

/* The signal that interrupts a worker's long system call with EINTR. Its handler does nothing. */
int stop_wake_signal(void);

/* Prepares a forked child: only the parent acts on signals, and the child dies with the parent. */
void stop_init_child(void);

/* Forgets the signal that requested the stop, so that the process does not end by it. */
void stop_forget(void);

/*
 * Ends the process by the signal that requested the stop, if any, as if it was never caught;
 * process 1 of a container, which no signal ends, with status 128 + the signal's number.
 */
void stop_end_by_signal(void);
