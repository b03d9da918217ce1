#include "bonload/targets/profile/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int pages_open(struct pages *p, const struct storage *storage, const struct profile_file *file,
               unsigned number, struct err *e)
{
    p->storage = storage;
    p->file = file;
    p->number = number;
    p->count = file->bytes / file->unit;
    p->begun = calloc(p->count, sizeof *p->begun);
    p->ended = calloc(p->count, sizeof *p->ended);
    for (unsigned i = 0; i < PAGES_LATCHES; i++)
        pthread_mutex_init(&p->latches[i], NULL);
    p->fd = storage_make_file(storage, file, number, e);
    if (p->fd < 0)
        return p->fd;
    if (!p->begun || !p->ended)
        return err_system(e, ENOMEM, "memory for the pages of '%s'", file->name);
    return storage_fill(storage, file, p->fd, number, p->count * file->unit, e);
}

void pages_close(struct pages *p)
{
    if (!p->file)
        return;
    if (p->fd >= 0)
        close(p->fd);
    for (unsigned i = 0; i < PAGES_LATCHES; i++)
        pthread_mutex_destroy(&p->latches[i]);
    free(p->begun);
    free(p->ended);
    p->file = NULL;
}

/* The latch of a page. Latches are taken in ascending order, so there is no deadlock. */
static unsigned latch_of(const struct pages *p, uint64_t page)
{
    return (unsigned)(page * PAGES_LATCHES / p->count);
}

/* Writes the next generation of consecutive pages. */
static int write_pages(struct pages *p, uint64_t first, unsigned count, unsigned char *buffer)
{
    const uint64_t unit = p->file->unit;
    const unsigned last_latch = latch_of(p, first + count - 1);
    for (unsigned i = latch_of(p, first); i <= last_latch; i++)
        pthread_mutex_lock(&p->latches[i]);
    for (unsigned i = 0; i < count; i++) {
        uint32_t generation = atomic_fetch_add(&p->begun[first + i], 1) + 1;
        pattern_fill(&p->storage->pattern, buffer + i * unit, unit, p->number, (first + i) * unit,
                     generation);
    }
    int code = storage_write(p->fd, buffer, count * unit, (int64_t)(first * unit));
    for (unsigned i = 0; code == 0 && i < count; i++)
        atomic_store(&p->ended[first + i], atomic_load(&p->begun[first + i]));
    for (unsigned i = latch_of(p, first); i <= last_latch; i++)
        pthread_mutex_unlock(&p->latches[i]);
    return code;
}

int pages_write(struct pages *p, struct rng *random, unsigned char *buffer, unsigned count,
                bool begins_out)
{
    int code = 0;
    for (unsigned i = 0; code == 0 && i < count; i++) {
        uint64_t page = rng_below(random, p->count);
        code = write_pages(p, page, 1, buffer);
        if (code == 0 && begins_out &&
            sync_file_range(p->fd, (off_t)(page * p->file->unit), (off_t)p->file->unit,
                            SYNC_FILE_RANGE_WRITE) != 0 &&
            errno != EINTR && errno != ENOSYS)
            code = errno;
    }
    return code;
}

int pages_write_run(struct pages *p, struct rng *random, unsigned char *buffer, unsigned count)
{
    if (count > p->count)
        count = (unsigned)p->count;
    uint64_t first = rng_below(random, p->count - count + 1);
    return write_pages(p, first, count, buffer);
}

int pages_read(struct pages *p, struct rng *random, unsigned char *buffer, uint64_t *page,
               uint32_t *ended_before)
{
    *page = rng_below(random, p->count);
    *ended_before = atomic_load(&p->ended[*page]);
    for (;;) {
        ssize_t got = pread(p->fd, buffer, p->file->unit, (off_t)(*page * p->file->unit));
        if (got == (ssize_t)p->file->unit)
            return 0;
        if (got >= 0)
            return EIO; /* pages are never partial */
        if (errno != EINTR)
            return errno;
    }
}

/*
 * While a page is being written, a read may return any generation, and even parts of two. If it
 * cuts a unit's stamp in two, the unit looks as if no write had made it.
 */
static bool is_in_motion(enum corruption_kind kind)
{
    return kind == CORRUPTION_TORN || kind == CORRUPTION_FLIPPED;
}

bool pages_are_right(struct pages *p, const unsigned char *buffer, uint64_t page,
                     uint32_t ended_before)
{
    const struct storage *s = p->storage;
    const size_t unit = s->pattern.unit_bytes;
    bool was_still = atomic_load(&p->begun[page]) == ended_before;
    bool is_right = true;
    struct pattern_origin found;
    if (s->verify == VERIFY_OFF)
        return true;
    for (uint64_t at = 0; at < p->file->unit; at += unit) {
        const struct pattern_place expected = {
            .file = p->number,
            .unit = (page * p->file->unit + at) / unit,
            .generation = was_still ? ended_before : PATTERN_ANY,
        };
        enum corruption_kind kind =
            pattern_check(&s->pattern, buffer + at, &expected, s->verify == VERIFY_FULL, &found);
        is_right &= kind == CORRUPTION_NONE || (!was_still && is_in_motion(kind));
    }
    atomic_fetch_add(&s->verified->bytes, p->file->unit);
    if (!is_right)
        atomic_fetch_add(&s->verified->damaged, 1);
    return is_right;
}
