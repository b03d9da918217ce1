#ifndef SYS_STOP_H
#define SYS_STOP_H

#include <stdbool.h>
#include <stdint.h>

#include "util/err.h"

/*
 * When to stop: on a signal or after the first failure. The flag lies in shared memory, so that
 * threads and forked seekers share it; all of them check it between two operations.
 *
 * This is the program's one piece of global mutable state: a signal handler cannot be given an
 * argument.
 */

/*
 * Prepares the flag and takes over every signal that ends a process by default, real-time signals
 * included. The exceptions are KILL, which cannot be caught, the signals for a fault in the program
 * itself (SEGV, BUS, ILL, FPE, ABRT, SYS, TRAP), and stop_wake_signal(). Signals that were ignored
 * at the start (HUP by nohup, INT in the background of a script) stay ignored, except PIPE.
 *
 * A second INT, TERM, HUP or QUIT ends the program at once: the user is impatient. No other signal
 * does, and neither does a second one of these within STOP_ECHO_NS of the first: that is the same
 * request, sent to the process and to its group.
 *
 * After the first signal nothing waits for a reader: if standard output or standard error is a
 * pipe, a socket or a terminal, further output to it is lost.
 *
 * Call it once, before any thread is started. Returns 0 or a negative errno.
 */
int stop_init(struct err *e);

/*
 * For a program that also prints its figures after a signal: its output stays connected to its
 * reader. The second request gives up a reader that does not read. Call it after stop_init().
 */
void stop_keeps_readers(void);

/*
 * For a process that a launcher started. A launcher sends the same request to the process and to
 * its group, which may arrive far apart on a busy machine, and uses KILL for processes that do not
 * end. So further requests within ten seconds of the first are ignored. Call it after stop_init().
 */
void stop_takes_repeats(void);

/* Requests less than 20 ms apart count as one. */
#define STOP_ECHO_NS UINT64_C(20000000)

/*
 * Ignores SIGUSR1 until stop_takes_inquiries() is called, so that an inquiry ("how far are you?")
 * that comes too early, or to a program that cannot answer, does not end the program. Call it
 * before anything else.
 */
void stop_ignores_inquiries(void);

/*
 * From now on SIGUSR1 is an inquiry, "how far are you?", for which one byte goes to the process
 * that can answer. If SIGUSR1 was ignored before the program began, it stays so. Call it after
 * stop_init().
 */
void stop_takes_inquiries(void);

/*
 * Sets the socket that the byte goes to, and the byte. -1: nobody can answer at the moment, and an
 * inquiry waits for the next socket. Call it in the main thread.
 */
void stop_inquiries_to(int socket, char byte);

/*
 * Called by the process that has read the byte. Until then further inquiries count as the same one.
 */
void stop_inquiry_ends(void);

/* True when the run is to stop. Costs one plain load; safe in threads and after fork. */
bool stop_requested(void);

/* The same for the loops of a test: 0 to continue, or -EINTR and a line in e. */
int stop_check(struct err *e);

/* Requests that the run stop. */
void stop_request(void);

/* The signal that requested the stop; 0: none did. Safe in threads and after fork. */
int stop_signal(void);

/*
 * Lets a signal cut this descriptor off from its reader, too, if it is a pipe, a socket or a
 * terminal. Only one descriptor can be named; call it with -1 before closing it.
 */
void stop_cuts_off(int fd);

/*
 * Prints a message() even after a signal; it is lost only if nobody reads. For what the user has to
 * know although the run was stopped. Call it in the main thread.
 */
void stop_message(const char *text);

/*
 * Blocks the signals that stop_init() took over in the calling thread, so that the main thread gets
 * them.
 */
void stop_block_signals(void);

/* The signal that interrupts a worker's long system call with EINTR; its handler does nothing. */
int stop_wake_signal(void);

/* In a forked child: leaves stopping to the parent, and makes the child die with it. */
void stop_init_child(void);

/* The signal that requested the stop has been answered: the process is not to end by it. */
void stop_forget(void);

/* Ends the process by the signal that requested the stop, if any, as if it had not been caught. */
void stop_end_by_signal(void);

#endif
