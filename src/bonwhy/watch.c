// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonwhy/watch.h"

#include <linux/io_uring.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#include "measure/clock.h"
#include "measure/control_group.h"
#include "util/kernel_file.h"
#include "util/units.h"

const struct call_kind call_kinds[MAX_CALL_KINDS + 1] = {
    {"read", SYS_read, CALL_TRANSFER, true, NOTE_NONE},
    {"pread64", SYS_pread64, CALL_TRANSFER, true, NOTE_NONE},
    {"readv", SYS_readv, CALL_TRANSFER, true, NOTE_NONE},
    {"preadv", SYS_preadv, CALL_TRANSFER, true, NOTE_NONE},
    {"preadv2", SYS_preadv2, CALL_TRANSFER, true, NOTE_NONE},
    {"write", SYS_write, CALL_TRANSFER, true, NOTE_PUT},
    {"pwrite64", SYS_pwrite64, CALL_TRANSFER, true, NOTE_PUT},
    {"writev", SYS_writev, CALL_TRANSFER, true, NOTE_PUT},
    {"pwritev", SYS_pwritev, CALL_TRANSFER, true, NOTE_PUT},
    {"pwritev2", SYS_pwritev2, CALL_TRANSFER, true, NOTE_PUT},
    {"fsync", SYS_fsync, CALL_SYNC, true, NOTE_SYNC_ALL},
    {"fdatasync", SYS_fdatasync, CALL_SYNC, true, NOTE_SYNC},
    {"sync_file_range", SYS_sync_file_range, CALL_SYNC, true, NOTE_NONE},
    {"syncfs", SYS_syncfs, CALL_SYNC, true, NOTE_NONE},
    {"sync", SYS_sync, CALL_SYNC, false, NOTE_NONE},
    {"msync", SYS_msync, CALL_SYNC, false, NOTE_NONE},
    {"openat", SYS_openat, CALL_CREATE, false, NOTE_CREATE},
    {"renameat2", SYS_renameat2, CALL_CHANGE, false, NOTE_RENAME},
    {"unlinkat", SYS_unlinkat, CALL_CHANGE, false, NOTE_REMOVE},
#ifdef SYS_open
    {"open", SYS_open, CALL_CREATE, false, NOTE_CREATE},
    {"rename", SYS_rename, CALL_CHANGE, false, NOTE_RENAME},
    {"unlink", SYS_unlink, CALL_CHANGE, false, NOTE_REMOVE},
    {"dup2", SYS_dup2, CALL_FORGET, false, NOTE_NONE},
#endif
#ifdef SYS_renameat
    {"renameat", SYS_renameat, CALL_CHANGE, false, NOTE_RENAME},
#endif
    {"ftruncate", SYS_ftruncate, CALL_CHANGE, true, NOTE_NONE},
    {"fallocate", SYS_fallocate, CALL_CHANGE, true, NOTE_NONE},
    {"io_submit", SYS_io_submit, CALL_CHANGE, false, NOTE_NONE},
    {"aio transfer", AIO_CALL, CALL_TRANSFER, false, NOTE_NONE},
    {"io_uring read", RING_CALL + IORING_OP_READ, CALL_TRANSFER, true, NOTE_NONE},
    {"io_uring write", RING_CALL + IORING_OP_WRITE, CALL_TRANSFER, true, NOTE_NONE},
    {"io_uring fsync", RING_CALL + IORING_OP_FSYNC, CALL_SYNC, true, NOTE_NONE},
    {"execve", SYS_execve, CALL_FORGET, false, NOTE_NONE},
    {"close", SYS_close, CALL_FORGET, true, NOTE_NONE},
    {"dup3", SYS_dup3, CALL_FORGET, false, NOTE_NONE},
};

/* Writes a filter of the kernel for the calls of all kinds, or of those of all processes. */
static void filter_calls(char text[static FILTER_TEXT], bool only_around)
{
    size_t used = 0;
    for (unsigned i = 0; call_kinds[i].name; i++)
        if (call_kinds[i].number < AIO_CALL && (!only_around || call_kinds[i].type == CALL_SYNC ||
                                                call_kinds[i].number == SYS_io_submit))
            used += (size_t)snprintf(text + used, FILTER_TEXT - used, "%sid == %" PRIu32,
                                     used > 0 ? " || " : "", call_kinds[i].number);
}

/* Looks a thread up in /proc; once more if it has executed another program. */
static void look_up(struct person *one)
{
    char path[64], text[2048];
    snprintf(path, sizeof path, "/proc/%d/status", one->thread);
    one->is_kernel = true;
    one->process = one->thread;
    if (!kernel_file_text(path, text, sizeof text))
        return;
    const char *group = strstr(text, "\nTgid:");
    if (group)
        one->process = atoi(group + strlen("\nTgid:"));
    one->is_kernel = !strstr(text, "\nVmSize:");
    snprintf(path, sizeof path, "/proc/%d/comm", one->process);
    kernel_file_text(path, one->name, sizeof one->name);
    one->name[strcspn(one->name, "\n")] = '\0';
}

struct person *watch_person(struct watch *w, int thread)
{
    unsigned at = (unsigned)thread * 2654435761U % PEOPLE_PLACES; /* Knuth's multiplicative hash */
    while (w->people[at].thread != 0 && w->people[at].thread != thread)
        at = (at + 1) % PEOPLE_PLACES;
    struct person *one = &w->people[at];
    if (one->thread == thread)
        return one;
    if (thread <= 0 || w->people_count >= PEOPLE_PLACES / 4 * 3)
        return NULL;
    w->people_count++;
    one->thread = thread;
    look_up(one);
    return one;
}

static struct descriptor_entry *find_descriptor(struct watch *w, int process, int fd)
{
    unsigned at = ((unsigned)process * 2654435761U ^ (unsigned)fd * 40503U) % MAX_DESCRIPTORS;
    struct descriptor_entry *d = &w->descriptors[at];
    if (d->process != process || d->fd != fd)
        *d = (struct descriptor_entry){.process = process, .fd = fd, .file = FILE_NOT_LOOKED_AT};
    return d;
}

/* Whether the kernel's requests to this device are those of a filesystem: they name its device or,
 * if that is a partition, the disk, so that what is beside the partition counts, too. */
static bool has_requests(const struct storage *s, uint32_t device)
{
    for (unsigned i = 0; i < s->devices.count; i++) {
        const struct device *d = &s->devices.devices[i];
        if (tail_device(d->major, d->minor) == device)
            return d->has_parts ? s->devices.devices[d->top].is_part : i < s->devices.filesystem;
    }
    return false;
}

static unsigned find_storage(struct watch *w, dev_t device)
{
    unsigned i = 0;
    while (i < w->storage_count && w->storages[i].number != device)
        i++;
    if (i < w->storage_count || i == MAX_STORAGES)
        return i == MAX_STORAGES ? i - 1 : i;
    struct mount_info info = {.root = "", .major = major(device), .minor = minor(device)};
    struct storage *s = &w->storages[w->storage_count++];
    *s = (struct storage){.number = device};
    device_find(&s->devices, &info);
    w->is_new = true;
    return i;
}

/* Finds out which file a descriptor is now. Returns false when it is gone. */
static bool look_at(struct watch *w, struct descriptor_entry *d)
{
    char link[64], path[PATH_MAX];
    struct stat is;
    unsigned i = 0;
    snprintf(link, sizeof link, "/proc/%d/fd/%d", d->process, d->fd);
    if (!kernel_file_link(link, path, sizeof path) || stat(link, &is) != 0)
        return false;
    d->file = FILE_NONE;
    if (!S_ISREG(is.st_mode) && !S_ISBLK(is.st_mode) && !S_ISDIR(is.st_mode))
        return true;
    while (i < w->file_count && strcmp(w->files[i].path, path) != 0)
        i++;
    d->file = i < MAX_FILES ? (int)i : MAX_FILES - 1; /* "other files" */
    if (i < w->file_count || i == MAX_FILES)
        return true;
    struct file *f = &w->files[w->file_count++];
    snprintf(f->path, sizeof f->path, "%s", i == MAX_FILES - 1 ? "other files" : path);
    f->is_directory = S_ISDIR(is.st_mode);
    f->bytes = (uint64_t)is.st_size;
    f->storage = find_storage(w, S_ISBLK(is.st_mode) ? is.st_rdev : is.st_dev);
    return true;
}

static void look_at_files(struct watch *w, int process)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd", process);
    DIR *all = kernel_file_list(path);
    for (const struct dirent *entry = all ? readdir(all) : NULL; entry; entry = readdir(all))
        if (entry->d_name[0] != '.')
            look_at(w, find_descriptor(w, process, atoi(entry->d_name)));
    if (all)
        closedir(all);
}

/* Share of a device's bytes: who asked for as much has a part in waits for it. */
#define LEAST_SHARE 0.1

/* What does not sync may wait for what was read ahead so long. */
#define READAHEAD_NS (BILLION / 20)

static void examine(struct watch *w, const struct person *by, const struct tail_event *end,
                    int file, const struct call_kind *k, struct call_stats *stats)
{
    const struct storage *s = file >= 0 ? &w->storages[w->files[file].storage] : NULL;
    const bool is_aio = k->number == AIO_CALL;
    const bool is_ring = k->number >= RING_CALL;
    const bool syncs = k->type == CALL_SYNC;
    ASSUME(w);
    if (is_aio || (!s && is_ring && w->storage_count == 1)) /* or the file is a registered one */
        s = &w->storages[is_aio ? by->argument : 0];
    const bool is_seen =
        s && (w->sees_all_devices || (s->since_ns != 0 && by->start_ns >= s->since_ns));
    struct tail_record r = {.start_ns = by->start_ns, .latency_ns = end->ns - by->start_ns};
    const struct tail_op op = {.start_ns = by->start_ns,
                               .end_ns = end->ns,
                               .before_ns = syncs ? TAIL_BUFFERED_NS : READAHEAD_NS,
                               .thread = is_ring && syncs ? -1 : by->thread,
                               .is_queued = is_aio || (is_ring && !syncs),
                               .is_sent = is_ring,
                               .device = end->device,
                               .sector = end->sector,
                               .sectors = is_aio ? end->sectors : 0,
                               .sees_all = w->calls.sees_all && w->around.sees_all && is_seen,
                               .is_limited = s && s->is_limited,
                               .devices = s ? &s->devices : &w->devices};
    tail_history_explain(&w->history, &op, &r);
    uint64_t ns = r.spans.ns[CAUSE_DEVICE] + r.spans.ns[CAUSE_QUEUE] + r.spans.ns[CAUSE_FLUSH];
    if (s && !r.is_lost && ns > 0) {
        struct tail_share users[WRITERS] = {{0}};
        uint64_t bytes = tail_history_bytes(&w->history, &op, users, WRITERS);
        for (unsigned i = 0; i < WRITERS && users[i].thread != 0; i++) {
            double share = (double)users[i].amount / (double)bytes;
            if (share >= LEAST_SHARE)
                tail_share_add(r.spans.blamed, TAIL_BLAMED, users[i].thread,
                               (uint64_t)((double)ns * share));
        }
    }
    tail_slowest_add(&stats->slowest, &r);
}

static void count_call(struct watch *w, struct person *by, const struct tail_event *end,
                       int64_t result)
{
    unsigned i = 0;
    while (call_kinds[i].name && call_kinds[i].number != by->call)
        i++;
    if (!call_kinds[i].name)
        return;
    const struct call_kind *k = &call_kinds[i];
    struct call_stats *stats = &w->stats[i];
    int file = FILE_NONE;          /* or it cannot be known any more */
    int changed = -1;              /* a descriptor that is another file from now on */
    if (k->number == SYS_execve) { /* which closes descriptors, but says not which */
        look_up(by);
        for (unsigned n = 0; n < MAX_DESCRIPTORS; n++)
            if (w->descriptors[n].process == by->process)
                w->descriptors[n].file = FILE_NOT_LOOKED_AT;
    }
    if (k->type == CALL_CREATE || (k->type == CALL_FORGET && !k->has_file))
        changed = (int)result; /* a new one, or the copy of another one */
    else if (k->type == CALL_FORGET)
        changed = (int)by->argument;
    if (changed >= 0) {
        struct descriptor_entry *d = find_descriptor(w, by->process, changed);
        if (d->file >= 0 && d->created_ns != 0)
            w->files[d->file].is_brief = 2 * (end->ns - d->created_ns) < end->ns - w->created_ns;
        d->file = FILE_NOT_LOOKED_AT;
        d->created_ns = k->type == CALL_CREATE && (by->argument & O_CREAT) ? end->ns : 0;
        w->created_ns = w->created_ns == 0 ? d->created_ns : w->created_ns;
        const struct person *process = watch_person(w, by->process);
        if (d->created_ns != 0) {
            look_at(w, d);
            file = d->file >= 0 ? d->file : FILE_CREATED;
        } else if (k->type == CALL_CREATE && process && process->is_unnamed) {
            look_at(w, d);
        }
    }
    if (k->type == CALL_FORGET || (k->type == CALL_CREATE && !(by->argument & O_CREAT)))
        return;
    const bool is_unnamed = by->call >= RING_CALL && by->is_unnamed;
    if (k->has_file && !is_unnamed) {
        struct descriptor_entry *d = find_descriptor(w, by->process, (int)by->argument);
        if (d->file == FILE_NOT_LOOKED_AT && !look_at(w, d) && d->created_ns != 0)
            d->file = FILE_CREATED;
        if (d->file != FILE_NOT_LOOKED_AT)
            file = d->file;
        else
            w->unknown += k->type == CALL_TRANSFER;
    }
    if (k->type == CALL_TRANSFER && k->has_file && file < 0 && file != FILE_CREATED && !is_unnamed)
        return;
    if (k->number == SYS_fallocate && file >= 0)
        w->files[file].is_reserved = true;
    if (k->note != NOTE_NONE && result >= 0 && w->takes_notes && w->note_count < MAX_NOTES)
        w->notes[w->note_count++] =
            (struct note){.at = by->call == SYS_pwrite64 ? by->at : NOTE_NEXT,
                          .bytes = k->note == NOTE_PUT ? (uint32_t)result : 0,
                          .file = (int16_t)file,
                          .act = (uint8_t)k->note};
    uint64_t latency_ns = end->ns - by->start_ns;
    w->counted++;
    histogram_record(&stats->latencies, latency_ns);
    stats->bytes += k->type == CALL_TRANSFER && result > 0 ? (uint64_t)result : 0;
    if (file >= 0) {
        w->files[file].calls++;
        w->files[file].waited_ns += latency_ns;
    }
    if (latency_ns >= stats->slow_ns && latency_ns > tail_slowest_least(&stats->slowest))
        examine(w, by, end, file, k, stats);
    if (stats->latencies.count % 128 == 0 && w->slowest == 0)
        stats->slow_ns = tail_slow_from(&stats->latencies);
}

/* Looks at the files of a process whose calls do not name them; at others when it opens them. */
static void look_at_unnamed(struct watch *w, int process)
{
    struct person *one = watch_person(w, process);
    if (one && !one->is_unnamed)
        look_at_files(w, process);
    if (one)
        one->is_unnamed = true;
}

static void take_request(struct watch *w, const struct tail_event *e)
{
    const bool is_aio = e->kind < TAIL_SUBMIT;
    const uint64_t key = is_aio ? e->sector ^ (uint64_t)e->device << 40 : e->sector;
    struct person *r = &w->requests[key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - REQUEST_BITS)];
    const bool is_known = r->start_ns != 0 && r->at == key;
    if (is_known && e->kind == TAIL_FILE) {
        r->argument = e->device;
    } else if (r->at == key && (e->kind == TAIL_COMPLETE || e->kind == TAIL_DONE)) {
        if (is_known)
            count_call(w, r, e, is_aio ? (int64_t)e->sectors * 512 : (int32_t)e->device);
        *r = (struct person){0};
    } else if (e->kind == TAIL_SUBMIT || (e->kind == TAIL_INSERT && !is_known) ||
               (e->kind == TAIL_ISSUE && r->at != key)) {
        const struct person *by = watch_person(w, e->thread);
        unsigned i = 0;
        while (is_aio && i < w->storage_count && !tail_event_is_on(e, &w->storages[i].devices))
            i++;
        if (!by ||
            (is_aio && (by->start_ns == 0 || by->call != SYS_io_submit || i == w->storage_count))) {
            if (e->kind == TAIL_INSERT && r->start_ns == 0)
                r->at = key; /* any thread may issue it, but it is of this one */
            return;
        }
        uint32_t opcode = e->device; /* several are of one row */
        if (opcode == IORING_OP_READV || opcode == IORING_OP_READ_FIXED)
            opcode = IORING_OP_READ;
        else if (opcode == IORING_OP_WRITEV || opcode == IORING_OP_WRITE_FIXED)
            opcode = IORING_OP_WRITE;
        *r = *by;
        r->at = key;
        r->call = is_aio ? AIO_CALL : RING_CALL + opcode;
        r->argument = is_aio ? i : UINT32_MAX;
        r->start_ns = is_aio ? by->start_ns : e->ns;
        r->is_unnamed = !is_aio && e->sectors % 2 != 0; /* IOSQE_FIXED_FILE */
        if (r->is_unnamed)
            look_at_unnamed(w, by->process);
    }
}

static void take_call(struct watch *w, const struct tail_event *e)
{
    struct person *by = watch_person(w, e->thread);
    if (!by)
        return;
    struct person *process = by->is_followed ? NULL : watch_person(w, by->process);
    by->is_followed = true;
    if (process)
        process->is_followed = true;
    if (e->kind == TAIL_CALL) {
        by->call = e->device;
        if (e->device == SYS_io_submit)
            look_at_unnamed(w, by->process);
        by->argument = e->sectors;
        by->at = e->sector;
        by->start_ns = e->ns;
    } else if (by->start_ns != 0 && by->call == e->device) {
        count_call(w, by, e, (int64_t)e->sector);
        by->start_ns = 0;
    }
}

static void take(void *context, const struct tail_trace *from, struct tail_event *e)
{
    struct watch *w = context;
    struct person *by;
    if (from == &w->calls) { /* an event in a thread of the target */
        if (e->kind == TAIL_CALL || e->kind == TAIL_RETURN)
            take_call(w, e);
        else if (e->kind >= TAIL_SUBMIT)
            take_request(w, e);
        else
            tail_history_add(&w->history, e);
        return;
    }
    switch ((enum tail_kind)e->kind) {
    case TAIL_CALL:
    case TAIL_RETURN:
        by = watch_person(w, e->thread);
        w->uses_aio |= e->device == SYS_io_submit;
        if (by)
            by->syncs = e->kind == TAIL_CALL && e->device != SYS_io_submit;
        break;
    case TAIL_ASK_COMMIT: /* only who syncs asks on purpose */
        by = watch_person(w, e->thread);
        if (by && by->syncs)
            tail_history_add(&w->history, e);
        break;
    case TAIL_BIO: /* kept with the process that made it, for which a write counts */
        by = watch_person(w, e->thread);
        if (!by)
            break;
        e->thread = by->process;
        tail_history_add(&w->history, e);
        for (struct storage *s = w->storages; s < w->storages + w->storage_count; s++)
            if (e->writes && has_requests(s, e->device)) {
                s->written += (uint64_t)e->sectors * 512;
                tail_share_add(s->writers, WRITERS, by->process, (uint64_t)e->sectors * 512);
            }
        break;
    default:
        for (unsigned i = 0; i < w->storage_count && e->kind == TAIL_FLUSH_BEGIN; i++)
            w->storages[i].flushes += has_requests(&w->storages[i], e->device);
        tail_history_add(&w->history, e);
        if (w->uses_aio && e->kind <= TAIL_COMPLETE)
            take_request(w, e);
    }
}

static void watch_devices(struct watch *w)
{
    struct device_set *to = &w->devices;
    to->root = "";
    for (unsigned i = 0; i < w->storage_count; i++)
        for (unsigned n = 0; n < w->storages[i].devices.count && to->count < MAX_DEVICES; n++) {
            const struct device *d = &w->storages[i].devices.devices[n];
            if (!device_set_has(to, d->major, d->minor))
                to->devices[to->count++] = *d;
        }
    to->filesystem = to->count;
    if (!w->sees_all_devices)
        tail_trace_watch(&w->around, &(struct tail_watch){.devices = to, .calls = w->syncs});
    for (unsigned i = 0; i < w->storage_count; i++)
        if (w->storages[i].since_ns == 0) {
            device_read(&w->storages[i].devices, &w->storages[i].before);
            w->storages[i].since_ns = clock_ns();
        }
    w->is_new = false;
}

void watch_read(struct watch *w)
{
    tail_history_read(&w->history, take, w);
    if (w->is_new)
        watch_devices(w);
}

static void follow_new(struct watch *w)
{
    w->history.lost_events += !tail_trace_follow(&w->calls, w->new_threads);
    *w->new_threads = '\0';
}

static void follow_thread(void *context, int thread)
{
    struct watch *w = context;
    char path[64];
    struct stat is;
    struct person *one = watch_person(w, thread);
    if (!one || one->is_followed)
        return;
    size_t used = strlen(w->new_threads);
    if (used + 16 > sizeof w->new_threads) {
        follow_new(w);
        used = 0;
    }
    snprintf(w->new_threads + used, sizeof w->new_threads - used, "%d ", thread);
    one->is_followed = true;
    if (one->process != thread)
        return;
    w->process = thread;
    look_at_files(w, thread); /* to know their devices before its next call */
    snprintf(path, sizeof path, "/proc/%d/cwd", thread);
    if (stat(path, &is) == 0)
        find_storage(w, is.st_dev);
}

void watch_follow(struct watch *w, const struct target *t)
{
    target_visit(t, follow_thread, w);
    if (*w->new_threads)
        follow_new(w);
    for (unsigned i = 0; i < w->storage_count; i++) { /* a command may enter a group */
        struct storage *s = &w->storages[i];
        struct io_limit limit;
        io_limit_find(&limit, &s->devices, w->process);
        for (enum io_limit_kind kind = 0; kind < IO_LIMIT_KINDS; kind++)
            s->is_limited |= limit.per_second[kind] > 0;
    }
    if (w->is_new)
        watch_devices(w);
}

int watch_open(struct watch *w, const struct target *t, struct err *e)
{
    char filter[FILTER_TEXT];
    int rc = tail_trace_open(&w->calls, TAIL_CALLS, e);
    if (rc == 0 && w->calls.is_open)
        rc = tail_trace_open(&w->around, TAIL_AROUND, e);
    if (rc != 0)
        return rc;
    if (!w->calls.is_open || !w->around.is_open)
        return err_say(e, "%s", w->calls.is_open ? w->around.note.text : w->calls.note.text);
    w->notes = w->takes_notes ? malloc(MAX_NOTES * sizeof *w->notes) : NULL;
    if ((w->takes_notes && !w->notes) ||
        tail_history_open(&w->history, (const struct tail_trace *[]){&w->calls, &w->around}, 2) !=
            0)
        return err_system(e, ENOMEM, "allocate memory for events");
    filter_calls(filter, false);
    filter_calls(w->syncs, true);
    /* a filesystem with a journal: its events are recorded, whatever the filesystem is */
    struct tail_watch all = {.filesystem = "ext4", .calls = filter};
    w->sees_all_devices = t->is_command;
    watch_follow(w, t);
    rc = tail_trace_begin(&w->calls, &all);
    all.calls = w->syncs;
    if (rc == 0)
        rc = tail_trace_begin(&w->around, &all);
    if (rc != 0)
        return err_system(e, -rc, "begin to trace");
    watch_devices(w);
    watch_follow(w, t); /* threads that have come in the meantime */
    w->start_ns = clock_ns();
    return 0;
}

void watch_end(struct watch *w)
{
    watch_read(w);
    tail_trace_end(&w->calls);
    tail_trace_end(&w->around);
    watch_read(w);
    facts_look(&w->facts, &(struct mount_info){.root = ""}, &w->devices, false);
}

void watch_close(struct watch *w)
{
    tail_trace_close(&w->calls);
    tail_trace_close(&w->around);
    tail_history_close(&w->history);
    free(w->notes);
}
