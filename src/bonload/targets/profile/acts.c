#include "bonload/targets/profile/acts.h"

#include <errno.h>
#include <stdlib.h>

#include "bonload/plan/settings.h"
#include "bonload/targets/target.h"
#include "measure/clock.h"
#include "sys/stop.h"
#include "util/units.h"

/* Number of stamps' file numbers for each of a profile's files: a log needs one per segment. */
#define NUMBERS_PER_FILE LOG_SEGMENTS

/* Checks that the filesystem has room for the files, plus a sixteenth and 1 MiB for itself. */
static int check_room(const struct acts *a, struct err *e)
{
    struct scratch_space space = {0};
    char needed[UNITS_TEXT];
    char there[UNITS_TEXT];
    int rc = scratch_space(&a->storage.scratch, &space, e);
    uint64_t bytes = profile_bytes(a->profile);
    bytes += bytes / 16 + MIB;
    if (rc != 0 || bytes <= space.bytes)
        return rc;
    units_format_readable(needed, bytes);
    units_format_readable(there, space.bytes);
    return err_say(e, "%s: the profile %s needs %s, and %s are free", a->storage.scratch.path,
                   a->profile->name, needed, there);
}

static int open_scratch(struct acts *a, const char *directory, struct err *e)
{
    int rc = scratch_open(&a->storage.scratch, directory, PATH_FAILS, e);
    if (rc != 0)
        return rc;
    a->has_scratch = true;
    rc = check_room(a, e);
    return rc == 0 ? scratch_make(&a->storage.scratch, e) : rc;
}

static bool file_is_committed(const struct profile *p, unsigned file, uint64_t *record_bytes)
{
    for (unsigned i = 0; i < PROFILE_STEPS; i++) {
        const struct profile_step *s = &p->steps[i];
        if (s->file != file || (s->act != ACT_COMMIT && s->act != ACT_APPEND))
            continue;
        *record_bytes = s->bytes;
        return s->act == ACT_COMMIT;
    }
    return false;
}

static int open_profile_file(struct acts *a, unsigned i, struct err *e)
{
    const struct profile_file *f = &a->profile->files[i];
    struct log *l = &a->logs[i];
    unsigned number = i * NUMBERS_PER_FILE;
    switch (f->kind) {
    case PROFILE_NO_FILE:
        return 0;
    case PROFILE_LOG:
        l->syncs = file_is_committed(a->profile, i, &l->record_bytes);
        return log_open(l, &a->storage, f, number, &a->syncs, e);
    case PROFILE_PAGES:
        return pages_open(&a->pages[i], &a->storage, f, number, e);
    case PROFILE_MAILBOX:
        return mailbox_open(&a->mailboxes[i], &a->storage, f, &a->syncs, e);
    }
    return 0;
}

int acts_open(struct acts *a, const struct target_setup *setup, struct err *e)
{
    const struct plan *plan = setup->plan;
    a->profile = plan->settings->profile;
    a->storage.verify = plan->verify;
    a->storage.verified = setup->verified;
    pattern_init(&a->storage.pattern, DATA_RANDOM, 100, PATTERN_UNIT_MAX, plan->seed, 0);
    int rc = open_scratch(a, plan->url ? plan->url : ".", e);
    for (unsigned i = 0; rc == 0 && i < PROFILE_FILES; i++)
        rc = open_profile_file(a, i, e);
    return rc;
}

int acts_close(struct acts *a, struct err *e)
{
    int rc = 0;
    for (unsigned i = 0; i < PROFILE_FILES; i++) {
        log_close(&a->logs[i]);
        pages_close(&a->pages[i]);
        int removed = mailbox_close(&a->mailboxes[i], e);
        rc = rc ? rc : removed;
    }
    if (a->has_scratch) {
        int closed = scratch_close(&a->storage.scratch, e);
        rc = rc ? rc : closed;
    }
    a->has_scratch = false;
    return rc;
}

/* Size of a buffer that is large enough for a step, in bytes. */
static uint64_t step_bytes(const struct profile *p, const struct profile_step *s)
{
    const struct profile_file *f = &p->files[s->file];
    if (f->kind == PROFILE_MAILBOX)
        return f->bytes;
    return s->act == ACT_WRITE_RUN ? f->unit * s->count : f->unit;
}

static uint64_t buffer_bytes(const struct profile *p)
{
    uint64_t most = STORAGE_ALIGNMENT;
    for (unsigned work = 0; work <= PROFILE_WORKS; work++) {
        const struct profile_step *steps = work < PROFILE_WORKS ? p->works[work].steps : p->steps;
        for (unsigned i = 0; i < PROFILE_STEPS; i++)
            if (step_bytes(p, &steps[i]) > most)
                most = step_bytes(p, &steps[i]);
    }
    return round_up(most, STORAGE_ALIGNMENT);
}

int actor_open(struct actor *t, struct acts *a, uint64_t stream, struct err *e)
{
    *t = (struct actor){.acts = a};
    rng_init(&t->random, a->storage.pattern.seed, stream);
    t->buffer = aligned_alloc(STORAGE_ALIGNMENT, buffer_bytes(a->profile));
    return t->buffer ? 0 : err_system(e, ENOMEM, "memory for the requests of a thread");
}

void actor_close(struct actor *t)
{
    free(t->buffer);
    t->buffer = NULL;
}

/* Reads pages, and checks them in time that does not count as the program's. */
static int read_pages(struct actor *t, struct pages *p, unsigned count)
{
    uint64_t page;
    uint32_t ended;
    t->step = STEP_READ;
    for (unsigned i = 0; i < count; i++) {
        int code = pages_read(p, &t->random, t->buffer, &page, &ended);
        if (code != 0)
            return code;
        uint64_t before_ns = clock_ns();
        bool is_right = pages_are_right(p, t->buffer, page, ended);
        t->aside_ns += clock_ns() - before_ns;
        if (!is_right) {
            t->step = STEP_DAMAGED;
            return EIO;
        }
        t->bytes += p->file->unit;
    }
    return 0;
}

static int sync_profile_file(struct actor *t, unsigned file, bool all)
{
    struct acts *a = t->acts;
    bool is_log = a->profile->files[file].kind == PROFILE_LOG;
    int fd = is_log ? log_fd(&a->logs[file]) : a->pages[file].fd;
    t->step = STEP_SYNC;
    return t->makes_requests ? storage_sync_timed(fd, all, &a->syncs, &t->sync_ns)
                             : storage_sync(fd, all);
}

static int do_step(struct actor *t, const struct profile_step *s)
{
    struct acts *a = t->acts;
    struct log *l = &a->logs[s->file];
    struct pages *p = &a->pages[s->file];
    struct mailbox *m = &a->mailboxes[s->file];
    t->step = STEP_WRITE;
    switch (s->act) {
    case ACT_NONE:
        return 0;
    case ACT_READ:
        return read_pages(t, p, s->count);
    case ACT_WRITE:
    case ACT_WRITE_OUT:
        return pages_write(p, &t->random, t->buffer, s->count, s->act == ACT_WRITE_OUT);
    case ACT_WRITE_RUN:
        return pages_write_run(p, &t->random, t->buffer, s->count);
    case ACT_APPEND:
    case ACT_COMMIT:
        t->step = l->syncs ? STEP_SYNC : STEP_WRITE;
        t->bytes += l->record_bytes;
        return log_append(l, &t->sync_ns);
    case ACT_SYNC:
    case ACT_SYNC_ALL:
        return sync_profile_file(t, s->file, s->act == ACT_SYNC_ALL);
    case ACT_DELIVER:
        t->bytes += m->file->bytes;
        return mailbox_deliver(m, t->buffer, &t->sync_ns, &t->step);
    case ACT_EXPIRE:
        t->step = STEP_UNLINK;
        return mailbox_expire(m);
    }
    return 0;
}

uint32_t actor_do(struct actor *t, const struct profile_step *steps)
{
    int code = 0;
    t->sync_ns = t->aside_ns = t->bytes = 0;
    for (unsigned i = 0; code == 0 && i < PROFILE_STEPS && steps[i].act != ACT_NONE; i++)
        code = do_step(t, &steps[i]);
    return code ? failure_of((enum target_step)t->step, code) : 0;
}

void acts_fail(struct acts *a, uint32_t failure)
{
    uint32_t none = 0;
    atomic_compare_exchange_strong(&a->failure, &none, failure);
    stop_request();
}
