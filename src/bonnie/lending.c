// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonnie/lending.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bonnie/workloads/workload.h"

/* What a rank knows about the data file of a worker. */
struct data_state {
    uint64_t valid_bytes;
    uint64_t generation;
    uint64_t rewritten;
};

/* The rank whose files this rank works on. */
static unsigned lending_rank(const struct run_context *r)
{
    return (r->plan->rank + r->shift) % r->plan->ranks;
}

/*
 * Sends an array to the rank that borrows this rank's files, or back to the one that has lent its
 * own, and replaces it by the array that comes from the other of these two.
 */
static int swap(struct run_context *r, bool gives_back, void *array, size_t bytes, struct err *e)
{
    unsigned borrowing = (r->plan->rank + r->plan->ranks - r->shift) % r->plan->ranks;
    void *got = malloc(bytes);
    if (!got)
        return err_system(e, ENOMEM, "allocate memory for what another rank has written");
    const struct parcel p = {.to = gives_back ? lending_rank(r) : borrowing,
                             .from = gives_back ? borrowing : lending_rank(r),
                             .sent = array,
                             .got = got,
                             .bytes = bytes};
    int rc = r->coordinator->ops->exchange(r->coordinator, &p, e);
    if (rc == 0)
        memcpy(array, got, bytes);
    free(got);
    return rc;
}

bool lending_is_for(const struct run_context *r, const struct workload *w)
{
    return r->shift > 0 && w->shifts && (!w->uses_engine || plan_stores(r->plan));
}

/* Swaps what is known about data files, with the numbers of changes of all their blocks. */
static int swap_data(struct run_context *r, bool gives_back, struct err *e)
{
    unsigned count = r->plan->workers;
    struct generations *g = &r->contents.changes;
    struct data_state *states = calloc(count, sizeof *states);
    if (!states)
        return err_system(e, ENOMEM, "allocate memory for %u workers", count);
    for (unsigned i = 0; i < count; i++)
        states[i] = (struct data_state){.valid_bytes = r->work[i].data.valid_bytes,
                                        .generation = r->contents.files[i].generation,
                                        .rewritten = r->contents.files[i].rewritten};
    int rc = swap(r, gives_back, states, count * sizeof *states, e);
    for (unsigned i = 0; rc == 0 && i < count; i++) {
        r->work[i].data.valid_bytes = states[i].valid_bytes;
        r->contents.files[i].generation = states[i].generation;
        r->contents.files[i].rewritten = states[i].rewritten;
    }
    free(states);
    if (rc == 0 && g->counters)
        rc = swap(r, gives_back, (void *)g->counters, g->count * sizeof *g->counters, e);
    return rc;
}

static int borrow_data(struct run_context *r, struct err *e)
{
    const struct plan *p = r->plan;
    int rc = swap_data(r, false, e);
    unsigned first = lending_rank(r) * p->workers;
    for (unsigned i = 0; rc == 0 && i < p->workers; i++) {
        struct data_file *d = &r->work[i].data;
        int fd = scratch_open_named_file(&r->scratch, first + i, e);
        if (fd < 0)
            return fd;
        r->lent[i].has_data = true;
        r->lent[i].fd = d->fd;
        d->fd = fd;
    }
    if (rc == 0)
        r->contents.first_number = first;
    return rc;
}

/* Lets a worker work on the metadata files of its counterpart in the rank that lends them. */
static int visit_files(struct run_context *r, unsigned worker, const struct file_set_state *state,
                       struct err *e)
{
    struct file_set *files = &r->work[worker].files;
    struct file_set_setup setup = files->setup;
    setup.number = lending_rank(r) * r->plan->workers + worker;
    r->lent[worker].files = *files;
    r->lent[worker].has_files = true;
    file_set_init(files, &setup);
    return file_set_visit(files, state, e);
}

static int swap_files(struct run_context *r, bool gives_back, struct err *e)
{
    unsigned count = r->plan->workers;
    struct file_set_state *states = calloc(count, sizeof *states);
    if (!states)
        return err_system(e, ENOMEM, "allocate memory for %u workers", count);
    for (unsigned i = 0; i < count; i++)
        states[i] = r->work[i].files.state;
    int rc = swap(r, gives_back, states, count * sizeof *states, e);
    for (unsigned i = 0; rc == 0 && i < count; i++) {
        if (!gives_back) {
            rc = visit_files(r, i, &states[i], e);
            continue;
        }
        run_context_give_back(r, i);
        r->work[i].files.state.wanted = states[i].wanted;
        r->work[i].files.state.made = states[i].made;
    }
    free(states);
    return rc;
}

int lending_begin(struct run_context *r, const struct workload *w, struct err *e)
{
    return workload_has_data(w) ? borrow_data(r, e) : swap_files(r, false, e);
}

int lending_end(struct run_context *r, const struct workload *w, struct err *e)
{
    if (!workload_has_data(w))
        return swap_files(r, true, e);
    for (unsigned i = 0; i < r->plan->workers; i++)
        run_context_give_back(r, i);
    return swap_data(r, true, e);
}
