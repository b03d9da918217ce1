#ifndef SYS_STOP_H
#define SYS_STOP_H

#include <stdbool.h>
#include <stdint.h>

#include "util/err.h"

/*
 * When to stop: on a signal or after the first failure. The flag lies in shared memory, so that
 * threads and forked seekers see the same one; between two operations everybody looks at it.
 *
 * This is the program's one piece of global mutable state: a signal handler can be told nothing.
 */

/*
 * Prepares the flag and takes over every signal that ends a process by default, real-time signals
 * included, but KILL, which cannot be caught, those that tell of a fault in the program itself
 * (SEGV, BUS, ILL, FPE, ABRT, SYS, TRAP), and stop_wake_signal(). What was ignored at the start
 * (HUP by nohup, INT in the background of a script) stays ignored, but PIPE.
 *
 * A second INT, TERM, HUP or QUIT ends the program at once: somebody is impatient. No other signal
 * does, and neither does a second one of these that comes within STOP_ECHO_NS of the first: it is
 * the same request, sent to the process and to its group.
 *
 * From the first signal on nothing waits for a reader: where standard output and standard error
 * are pipes, sockets or terminals, what is still written to them is lost.
 *
 * To be called once, before any thread is started. Returns 0 or a negative errno.
 */
int stop_init(struct err *e);

/*
 * For a program that prints its figures after a signal, too: its output is not cut off from its
 * reader. One who does not read is given up with the second request. To be called after
 * stop_init().
 */
void stop_keeps_readers(void);

/*
 * For a process that a launcher started: it sends the same request to the process and to its group,
 * which on a busy machine may arrive far apart, and knows KILL for those who do not end. So what
 * comes within ten seconds of the first is no impatience. To be called after stop_init().
 */
void stop_takes_repeats(void);

/* Two requests that are less than 20 ms apart are one. */
#define STOP_ECHO_NS UINT64_C(20000000)

/*
 * From now on SIGUSR1 does not end the program: it is an inquiry, "how far are you?", for which one
 * byte goes to the process that can tell. To be called after stop_init(). What SIGUSR1 was ignored
 * for at the start stays so.
 */
void stop_takes_inquiries(void);

/*
 * Where that byte goes: a socket with a reader, before the next inquiry; -1: there is nobody to
 * tell at the moment, and an inquiry waits for the next one. Call it in the main thread.
 */
void stop_inquiries_to(int socket, char byte);

/* Said by who has read the byte: until then further inquiries are the same one. */
void stop_inquiry_ends(void);

/* True when the run is to end. Costs one plain load; safe in threads and after fork. */
bool stop_requested(void);

/* The same for the loops of a test: 0 to go on, or -EINTR and a line in e. */
int stop_check(struct err *e);

/* Asks everybody to stop. */
void stop_request(void);

/* The signal that asked to stop, 0 if none did. Safe in threads and after fork. */
int stop_signal(void);

/*
 * Has a signal cut this descriptor off from its reader too, if it is a pipe, a socket or a
 * terminal. One descriptor can be named; -1, for none any more, before it is closed.
 */
void stop_cuts_off(int fd);

/*
 * message() that is seen after a signal too: it is lost only if nobody reads. For what the user has
 * to know although the run was stopped. Call it in the main thread.
 */
void stop_message(const char *text);

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
