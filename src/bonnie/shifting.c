// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonnie/shifting.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What a rank knows about the data file of a worker. */
struct data_state {
    uint64_t valid_bytes;
    uint64_t generation;
    uint64_t rewritten;
};

/*
 * lending_rank() is the rank whose files this rank works on; borrowing_rank() is the rank that
 * works on this rank's files.
 */
static unsigned lending_rank(const struct run_context *r)
{
    return (r->plan->rank + r->shift) % r->plan->ranks;
}

static unsigned borrowing_rank(const struct run_context *r)
{
    return (r->plan->rank + r->plan->ranks - r->shift) % r->plan->ranks;
}

/* Sends bytes to one of these two ranks, and receives as many from the other. */
static int swap_bytes(struct run_context *r, unsigned to, unsigned from, const void *sent,
                      void *got, size_t bytes, struct err *e)
{
    const struct parcel p = {.to = to, .from = from, .sent = sent, .got = got, .bytes = bytes};
    return coordinator_exchange(r->coordinator, &p, e);
}

bool shifting_is_for(const struct run_context *r, const struct workload *w)
{
    return r->shift > 0 && w->shifts && (!w->uses_engine || plan_stores(r->plan));
}

/* ---- data files ------------------------------------------------------------------------------ */

/* Sends the numbers of changes of all blocks to the rank that may change them next. */
static int swap_changes(struct run_context *r, unsigned to, unsigned from, struct err *e)
{
    struct generations *g = &r->contents.changes;
    size_t bytes = g->count * sizeof *g->counters;
    if (!g->counters)
        return 0;
    void *got = malloc(bytes);
    if (!got)
        return err_system(e, ENOMEM, "memory to count the changes of blocks");
    int rc = swap_bytes(r, to, from, (const void *)g->counters, got, bytes, e);
    if (rc == 0)
        memcpy((void *)g->counters, got, bytes);
    free(got);
    return rc;
}

static int swap_states(struct run_context *r, unsigned to, unsigned from, struct err *e)
{
    unsigned count = r->plan->workers;
    struct data_state *states = calloc(2 * (size_t)count, sizeof *states);
    if (!states)
        return err_system(e, ENOMEM, "memory for %u workers", count);
    struct data_state *got = states + count;
    for (unsigned i = 0; i < count; i++)
        states[i] = (struct data_state){.valid_bytes = r->work[i].data.valid_bytes,
                                        .generation = r->contents.files[i].generation,
                                        .rewritten = r->contents.files[i].rewritten};
    int rc = swap_bytes(r, to, from, states, got, count * sizeof *got, e);
    for (unsigned i = 0; rc == 0 && i < count; i++) {
        r->work[i].data.valid_bytes = got[i].valid_bytes;
        r->contents.files[i].generation = got[i].generation;
        r->contents.files[i].rewritten = got[i].rewritten;
    }
    free(states);
    return rc;
}

static int borrow_data(struct run_context *r, struct err *e)
{
    const struct plan *p = r->plan;
    int rc = swap_states(r, borrowing_rank(r), lending_rank(r), e);
    if (rc == 0)
        rc = swap_changes(r, borrowing_rank(r), lending_rank(r), e);
    if (rc != 0)
        return rc;
    unsigned first = lending_rank(r) * p->workers;
    for (unsigned i = 0; i < p->workers; i++) {
        struct data_file *d = &r->work[i].data;
        int fd = scratch_open_named_file(&r->scratch, first + i, e);
        if (fd < 0)
            return fd;
        r->lent[i].has_data = true;
        r->lent[i].fd = d->fd;
        d->fd = fd;
    }
    r->contents.first_number = first;
    return 0;
}

/* ---- metadata files -------------------------------------------------------------------------- */

static int visit_files(struct run_context *r, const struct file_set_state *states, struct err *e)
{
    int rc = 0;
    for (unsigned i = 0; rc == 0 && i < r->plan->workers; i++) {
        struct file_set *files = &r->work[i].files;
        r->lent[i].files = *files;
        r->lent[i].has_files = true;
        struct file_set_setup setup = files->setup;
        setup.number = lending_rank(r) * r->plan->workers + i;
        file_set_init(files, &setup);
        rc = file_set_visit(files, &states[i], e);
    }
    return rc;
}

static int borrow_or_return_files(struct run_context *r, bool borrows, struct err *e)
{
    unsigned count = r->plan->workers;
    struct file_set_state *states = calloc(2 * (size_t)count, sizeof *states);
    if (!states)
        return err_system(e, ENOMEM, "memory for %u workers", count);
    for (unsigned i = 0; i < count; i++)
        states[i] = file_set_state(&r->work[i].files);
    int rc = swap_bytes(r, borrows ? borrowing_rank(r) : lending_rank(r),
                        borrows ? lending_rank(r) : borrowing_rank(r), states, states + count,
                        count * sizeof *states, e);
    if (rc == 0 && borrows)
        rc = visit_files(r, states + count, e);
    for (unsigned i = 0; rc == 0 && !borrows && i < count; i++) {
        run_context_give_back(r, i);
        r->work[i].files.wanted = states[count + i].wanted;
        r->work[i].files.made = states[count + i].made;
    }
    free(states);
    return rc;
}

/* ---- both ------------------------------------------------------------------------------------ */

int shifting_begin(struct run_context *r, const struct workload *w, struct err *e)
{
    return workload_has_data(w) ? borrow_data(r, e) : borrow_or_return_files(r, true, e);
}

int shifting_end(struct run_context *r, const struct workload *w, struct err *e)
{
    if (!workload_has_data(w))
        return borrow_or_return_files(r, false, e);
    for (unsigned i = 0; i < r->plan->workers; i++)
        run_context_give_back(r, i);
    int rc = swap_states(r, lending_rank(r), borrowing_rank(r), e);
    return rc == 0 ? swap_changes(r, lending_rank(r), borrowing_rank(r), e) : rc;
}
