#ifndef SYNC_MPI_MESSAGES_H
#define SYNC_MPI_MESSAGES_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sync/ranks.h"
#include "util/err.h"

/*
 * The messages between rank 0 and another rank of an MPI job, one function for each kind and
 * direction; what they mean together is in mpi.c. None waits for a message that is not there; those
 * that send wait until it has left, which short messages do at once, and give up at a signal.
 * Functions that return an int return 0 or a negative errno with a line in e.
 */
struct mpi {
    MPI_Comm comm;
    bool has_ended;   /* rank 0: all others have said that they leave */
    bool has_stopped; /* the run has failed, and this rank knows it */
    bool is_last; /* the last meeting: an arrival at one that was broken off counts for nothing */
    struct err failure;
    uint64_t signal_ns; /* when a signal was seen first; 0: none was */
    uint64_t begin_ns;  /* of the present meeting */
    bool *has_come;     /* of each rank, to the present meeting */
    char first_host[RANK_HOST_SIZE];
    void *buffer; /* what has been received */
    size_t room;
    uint64_t longest_sleep_ns; /* of a rank that waits */
};

/* Initialises MPI, and tells who this is among how many. *out is to be handed to mpi_end(). */
int mpi_begin(struct mpi **out, unsigned *rank, unsigned *ranks, struct err *e);
void mpi_end(struct mpi *s);

/* How a rank waits: it looks again and again, and sleeps between, longer and longer. */
struct mpi_wait {
    uint64_t start_ns;
    uint64_t spin_until_ns;
    uint64_t sleep_ns;
    uint64_t longest_sleep_ns;
    uint64_t seen_ns;   /* when the clock was last asked for */
    uint64_t absent_ns; /* how long this rank itself was stopped meanwhile */
};
struct mpi_wait mpi_wait_begin(const struct mpi *s);
void mpi_wait_again(struct mpi_wait *w); /* something has come: more may follow at once */
void mpi_wait_sleep(struct mpi_wait *w);
/* To be asked in every turn: a clock that stands while this rank itself is stopped. */
uint64_t mpi_wait_now(struct mpi_wait *w);
uint64_t mpi_waited_ns(struct mpi_wait *w);

/* Where several ranks share a CPU, each looks less often. */
void mpi_share_cpus(struct mpi *s, unsigned ranks_per_cpu);

/*
 * What may be long leaves only when the other side takes it. Whether it has left; and to give it
 * up: until one of both has happened, the bytes must stay.
 */
bool mpi_has_left(MPI_Request *request);
void mpi_give_up(MPI_Request *request);

/* To rank 0: this rank has come, and brings something. Received into s->buffer. */
int mpi_start_arrival(struct mpi *s, const void *bytes, size_t count, MPI_Request *request,
                      struct err *e);
bool mpi_has_arrival(struct mpi *s);
int mpi_receive_arrival(struct mpi *s, unsigned *rank, size_t *bytes, struct err *e);
bool mpi_drop_arrival(struct mpi *s); /* true: there was one */

/* From rank 0: its answer, when all have come. */
int mpi_send_answer(struct mpi *s, unsigned rank, const void *bytes, size_t count, struct err *e);
bool mpi_has_answer(struct mpi *s);
int mpi_receive_answer(struct mpi *s, void *bytes, size_t count, struct err *e);

/* To rank 0: this rank has failed. */
void mpi_send_failure(struct mpi *s, const struct err *e);
bool mpi_take_failure(struct mpi *s, unsigned *rank, struct err *e);

/* From rank 0: a rank has failed, all are to end. */
void mpi_send_stop(struct mpi *s, unsigned ranks);
bool mpi_take_stop(struct mpi *s);

/* To rank 0: this rank sends nothing more. */
void mpi_send_leaving(struct mpi *s);
bool mpi_take_leaving(struct mpi *s);

/* From rank 0 to rank 1: it has come, and waits for others. */
void mpi_send_patience(struct mpi *s);
bool mpi_take_patience(struct mpi *s);

/* From any rank to any other. */
int mpi_start_parcel(struct mpi *s, unsigned to, const void *bytes, size_t count,
                     MPI_Request *request, struct err *e);
bool mpi_take_parcel(struct mpi *s, unsigned from, void *bytes,
                     size_t count); /* true: it is there */

/*
 * Rank 0 asks a rank for its clock, by the best of 16 round trips; the other answers as long as it
 * is asked. The uncertainty is half of that round trip: the question may have taken all of it, or
 * the answer. Where a signal comes before the first answer, what was known stays.
 */
void mpi_compare_clock(struct mpi *s, unsigned rank, struct clock_offset *offset);
bool mpi_answer_ping(struct mpi *s); /* true: there was one */

#endif
