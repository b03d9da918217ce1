// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonnie/lending.h"

/* What a rank knows about the files of a worker. */
struct worker_state {
    uint64_t valid_bytes; /* of its data file */
    uint64_t generation;
    uint64_t rewritten;
    struct file_set_state files;
};

bool lending_is_for(const struct run_context *r, const struct workload *w)
{
    return r->shift > 0 && w->shifts && (!w->uses_engine || plan_stores(r->plan));
}

static unsigned lending_rank(const struct run_context *r)
{
    return (r->plan->rank + r->shift) % r->plan->ranks;
}

/* Sends an array to the rank that borrows this rank's files, or back to the one that has lent its
 * own, and replaces it by the array that comes from the other of these two. */
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

/* Swaps what is known about the files, with the numbers of changes of all blocks of data files;
 * what is borrowed is then opened. */
int lending_swap(struct run_context *r, const struct workload *w, bool gives_back, struct err *e)
{
    unsigned count = r->plan->workers;
    unsigned first = lending_rank(r) * count;
    bool has_data = workload_has_data(w);
    struct generations *g = &r->contents.changes;
    struct worker_state *states = calloc(count, sizeof *states);
    if (!states)
        return err_system(e, ENOMEM, "allocate memory for %u workers", count);
    for (unsigned i = 0; i < count; i++) {
        states[i] = (struct worker_state){.valid_bytes = r->work[i].data.valid_bytes,
                                          .generation = r->contents.files[i].generation,
                                          .rewritten = r->contents.files[i].rewritten,
                                          .files = r->work[i].files.state};
        if (gives_back)
            run_context_give_back(r, i);
    }
    int rc = swap(r, gives_back, states, count * sizeof *states, e);
    for (unsigned i = 0; rc == 0 && i < count; i++) {
        struct file_set *files = &r->work[i].files;
        struct file_set_setup setup = files->setup;
        if (has_data) {
            r->work[i].data.valid_bytes = states[i].valid_bytes;
            r->contents.files[i].generation = states[i].generation;
            r->contents.files[i].rewritten = states[i].rewritten;
        } else if (gives_back) {
            files->state.wanted = states[i].files.wanted;
            files->state.made = states[i].files.made;
        } else { /* the worker works on the files of its counterpart */
            setup.number = first + i;
            r->lent[i].files = *files;
            r->lent[i].has_files = true;
            file_set_init(files, &setup);
            rc = file_set_visit(files, &states[i].files, e);
        }
    }
    free(states);
    if (rc == 0 && has_data && g->counters)
        rc = swap(r, gives_back, (void *)g->counters, g->count * sizeof *g->counters, e);
    if (rc != 0 || gives_back || !has_data)
        return rc;
    for (unsigned i = 0; i < count; i++) {
        const struct made_name name = made_name(MADE_FILE, first + i);
        int fd = openat(r->scratch.fd, name.text, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0)
            return err_system(e, errno, "open %s/%s/%s", r->scratch.path, r->scratch.name,
                              name.text);
        r->lent[i].has_data = true;
        r->lent[i].fd = r->work[i].data.fd;
        r->work[i].data.fd = fd;
    }
    r->contents.first_number = first;
    return 0;
}
