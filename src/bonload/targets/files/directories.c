#include "bonload/targets/files/directories.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/*
 * Directories keep only descriptors below this one, to leave the others to requests: a process
 * usually has 1024.
 */
#define MOST_DESCRIPTOR 512

/* Number of slots in which a directory may be kept. */
#define PROBES 4

struct kept_directory {
    struct below at;
    _Atomic bool is_gone; /* removed: the slot stays taken, but is not used */
    size_t length;
    char name[];
};

void directories_init(struct directories *d)
{
    for (size_t i = 0; i < DIRECTORIES_SLOTS; i++)
        atomic_init(&d->slots[i], NULL);
}

/* FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/). */
static size_t first_slot(const char *name, size_t length)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)name[i]) * UINT64_C(0x100000001b3);
    return (size_t)(hash ^ hash >> 32);
}

/* The kept directory of that name, or NULL. *slot becomes the first free slot for it, or NULL. */
static struct kept_directory *look_up(struct directories *d, const char *name, size_t length,
                                      _Atomic(struct kept_directory *) **slot)
{
    size_t first = first_slot(name, length);
    *slot = NULL;
    for (size_t i = 0; i < PROBES; i++) {
        _Atomic(struct kept_directory *) *at = &d->slots[(first + i) % DIRECTORIES_SLOTS];
        struct kept_directory *kept = atomic_load_explicit(at, memory_order_acquire);
        if (!kept) {
            *slot = at;
            return NULL;
        }
        if (kept->length == length && memcmp(kept->name, name, length) == 0)
            return kept;
    }
    return NULL;
}

/* Keeps the directory that was found, unless another thread has taken the slot. */
static void keep_directory(_Atomic(struct kept_directory *) *slot, const char *name, size_t length,
                           struct below_entry *entry)
{
    struct kept_directory *none = NULL;
    struct kept_directory *kept = malloc(sizeof *kept + length);
    if (!kept)
        return;
    kept->at = entry->found;
    kept->length = length;
    atomic_init(&kept->is_gone, false);
    memcpy(kept->name, name, length);
    if (atomic_compare_exchange_strong(slot, &none, kept))
        entry->found.fd = -1;
    else
        free(kept);
}

int directories_find(struct directories *d, const struct below *top, const char *name,
                     enum below_missing missing, struct below_entry *entry)
{
    const char *slash = strrchr(name, '/');
    if (!slash || *name == '/')
        return below_find(top, name, missing, entry);
    size_t length = (size_t)(slash - name);
    _Atomic(struct kept_directory *) *slot;
    const struct kept_directory *kept = look_up(d, name, length, &slot);
    if (kept && !atomic_load_explicit(&kept->is_gone, memory_order_relaxed)) {
        *entry =
            (struct below_entry){.directory = kept->at.fd, .name = slash + 1, .found = {.fd = -1}};
        return 0;
    }
    int rc = below_find(top, name, missing, entry);
    if (rc == 0 && slot && entry->found.fd < MOST_DESCRIPTOR)
        keep_directory(slot, name, length, entry);
    return rc;
}

bool directories_check(struct directories *d, const char *name)
{
    struct stat st;
    _Atomic(struct kept_directory *) *slot;
    const char *slash = strrchr(name, '/');
    struct kept_directory *kept = slash ? look_up(d, name, (size_t)(slash - name), &slot) : NULL;
    if (!kept || (fstat(kept->at.fd, &st) == 0 && st.st_nlink > 0))
        return false;
    return !atomic_exchange(&kept->is_gone, true);
}

void directories_close(struct directories *d)
{
    for (size_t i = 0; i < DIRECTORIES_SLOTS; i++) {
        struct kept_directory *kept = atomic_exchange(&d->slots[i], NULL);
        if (kept)
            below_close(&kept->at);
        free(kept);
    }
}
