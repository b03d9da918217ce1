#ifndef SYNC_MPI_MESSAGES_H
#define SYNC_MPI_MESSAGES_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sync/ranks.h"
#include "util/err.h"

/*
 * The messages between rank 0 and another rank of an MPI job: one function for each kind and
 * direction. mpi.c knows what they mean together. No function waits for a message that has not
 * arrived. Those that send wait until the message has left, which short ones do at once, and give
 * up at a signal. Functions that return int return 0, or a negative errno with a line in e.
 */
struct mpi {
    MPI_Comm comm;
    bool has_ended;   /* in rank 0: all others have said that they leave */
    bool has_stopped; /* the run has failed, and this rank knows it */
    /* this is the last meeting, so an arrival at an earlier one that was broken off is ignored */
    bool is_last;
    struct err failure;
    uint64_t signal_ns; /* when a signal was first noticed, by clock_ns(); 0: there was none */
    uint64_t begin_ns;  /* start of the current meeting */
    bool *has_come;     /* for each rank, whether it has come to the current meeting */
    char first_host[RANK_HOST_SIZE];
    void *buffer; /* the last message received */
    size_t room;
    uint64_t longest_sleep_ns; /* longest sleep of a rank that waits */
};

/*
 * Initialises MPI, and finds the number of this rank and the number of ranks. The caller must pass
 * *out to mpi_end().
 */
int mpi_begin(struct mpi **out, unsigned *rank, unsigned *ranks, struct err *e);
void mpi_end(struct mpi *s);

/*
 * The state of a rank that waits: it polls again and again, and sleeps longer and longer in
 * between.
 */
struct mpi_wait {
    uint64_t start_ns;
    uint64_t spin_until_ns;
    uint64_t sleep_ns;
    uint64_t longest_sleep_ns;
    uint64_t seen_ns;   /* when the clock was last read */
    uint64_t absent_ns; /* time for which this rank itself was stopped meanwhile */
};
struct mpi_wait mpi_wait_begin(const struct mpi *s);
void mpi_wait_again(struct mpi_wait *w); /* a message has arrived, so more may follow at once */
void mpi_wait_sleep(struct mpi_wait *w);
/*
 * The time on a clock that stands still while this rank itself is stopped. Call it at every poll.
 */
uint64_t mpi_wait_now(struct mpi_wait *w);
uint64_t mpi_waited_ns(struct mpi_wait *w);

/* Makes each rank poll less often if several of them share a CPU. */
void mpi_share_cpus(struct mpi *s, unsigned ranks_per_cpu);

/*
 * For messages that may be long, and then leave only when the other side receives them:
 * mpi_has_left() says whether a message has left, and the other function gives it up. The bytes
 * must stay in place until one of these has happened.
 */
bool mpi_has_left(MPI_Request *request);
void mpi_give_up(MPI_Request *request);

/* To rank 0: this rank has come, and brings these bytes. Rank 0 receives them into s->buffer. */
int mpi_start_arrival(struct mpi *s, const void *bytes, size_t count, MPI_Request *request,
                      struct err *e);
bool mpi_has_arrival(struct mpi *s);
int mpi_receive_arrival(struct mpi *s, unsigned *rank, size_t *bytes, struct err *e);
bool mpi_drop_arrival(struct mpi *s); /* returns whether there was one */

/* From rank 0: its answer, when all have come. */
int mpi_send_answer(struct mpi *s, unsigned rank, const void *bytes, size_t count, struct err *e);
bool mpi_has_answer(struct mpi *s);
int mpi_receive_answer(struct mpi *s, void *bytes, size_t count, struct err *e);

/* To rank 0: this rank has failed. */
void mpi_send_failure(struct mpi *s, const struct err *e);
bool mpi_take_failure(struct mpi *s, unsigned *rank, struct err *e);

/* From rank 0: a rank has failed, and all must stop. */
void mpi_send_stop(struct mpi *s, unsigned ranks);
bool mpi_take_stop(struct mpi *s);

/* To rank 0: this rank will send nothing more. */
void mpi_send_leaving(struct mpi *s);
bool mpi_take_leaving(struct mpi *s);

/* From rank 0 to rank 1: rank 0 is alive, and waits for others. */
void mpi_send_patience(struct mpi *s);
bool mpi_take_patience(struct mpi *s);

/* From any rank to any other. */
int mpi_start_parcel(struct mpi *s, unsigned to, const void *bytes, size_t count,
                     MPI_Request *request, struct err *e);
bool mpi_take_parcel(struct mpi *s, unsigned from, void *bytes,
                     size_t count); /* returns whether it has arrived */

/*
 * Asks another rank for its clock 16 times, as rank 0, and uses the shortest round trip. The other
 * rank answers as long as rank 0 asks. The uncertainty is half of that round trip, because the
 * question or the answer may have taken all of it. If a signal comes before the first answer,
 * *offset stays as it was.
 */
void mpi_compare_clock(struct mpi *s, unsigned rank, struct clock_offset *offset);
bool mpi_answer_ping(struct mpi *s); /* returns whether there was one */

#endif
