// SPDX-License-Identifier: GPL-2.0-or-later
#include "tail/trace.h"

#include <linux/mount.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <time.h>

#include "sys/seccomp_rules.h"
#include "sys/stop.h"
#include "util/descriptor.h"
#include "util/kernel_file.h"
#include "util/portable.h"

/* Which occurrences of an event the kernel has to record. */
enum tail_scope {
    SCOPE_DEVICES,
    SCOPE_USERS,
    SCOPE_FILESYSTEM, /* and those before it are about devices */
    SCOPE_THREAD,
    SCOPE_WOKEN,
    SCOPE_SWITCHED,
    SCOPE_CALLS,
    SCOPE_JOURNAL,
    SCOPE_RINGS
};

/* The sets (enum tail_set) that have events of a scope, and the kernel's filter for them, with the
 * lowest and the highest thread ID; but set_event_pid filters those of TAIL_CALLS. */
static const struct {
    unsigned sets;
    const char *filter;
} scopes[] = {
    /* those on the devices below the files, or on the filesystem's: their numbers follow */
    [SCOPE_DEVICES] = {TAIL_OWN | TAIL_AROUND, "dev == 0"},
    [SCOPE_USERS] = {TAIL_AROUND, "dev == 0"},
    [SCOPE_FILESYSTEM] = {TAIL_OWN | TAIL_AROUND, "dev == 0"},
    /* those in the program's threads, those that make one ready to run, give it a CPU or take it */
    [SCOPE_THREAD] = {TAIL_OWN | TAIL_CALLS, "common_pid >= %d && common_pid <= %d"},
    [SCOPE_WOKEN] = {TAIL_OWN | TAIL_CALLS, "pid >= %d && pid <= %d"},
    [SCOPE_SWITCHED] = {TAIL_OWN | TAIL_CALLS, "(prev_pid >= %1$d && prev_pid <= %2$d) || "
                                               "(next_pid >= %1$d && next_pid <= %2$d)"},
    /* those of the system calls in question, and those that happen to the thread of a journal */
    [SCOPE_CALLS] = {TAIL_CALLS | TAIL_AROUND, ""},
    [SCOPE_JOURNAL] = {TAIL_AROUND, "comm ~ \"jbd2/*\""},
    [SCOPE_RINGS] = {TAIL_CALLS, ""},
};

/* Looks up a field in `text`, the contents of a file `format`, which declares it as "field:char
 * rwbs[10];". Returns false when it has none. */
static bool find_field(const char *text, const char *name, struct tail_field *field)
{
    *field = (struct tail_field){0};
    for (const char *at = text; (at = strstr(at, name)); at++) {
        const char *behind = at + strlen(name);
        if (at > text && at[-1] == ' ' && (*behind == ';' || *behind == '[')) {
            behind += strcspn(behind, ";");
            return sscanf(behind, ";\toffset:%u;\tsize:%u;", &field->offset, &field->size) == 2;
        }
    }
    return false;
}

/* Returns the field's bytes; NULL for one that is not within `bytes`. */
static const unsigned char *field_at(const struct tail_field *field, const unsigned char *record,
                                     size_t bytes)
{
    bool is_within = field->offset <= bytes && field->size <= bytes - field->offset;
    return is_within ? record + field->offset : NULL;
}

/* Returns the value of a number of 1, 2, 4 or 8 bytes, and 0 for other fields. */
static uint64_t field_value(const struct tail_field *field, const unsigned char *record,
                            size_t bytes)
{
    unsigned size = field->size;
    uint64_t value = 0;
    unsigned char *low = (unsigned char *)&value;
    const unsigned char *at = field_at(field, record, bytes);
    if (!at || (size != 1 && size != 2 && size != 4 && size != 8))
        return 0;
    if (__BYTE_ORDER == __BIG_ENDIAN)
        low += sizeof value - size;
    memcpy(low, at, size);
    return value;
}

/* Flags in the page's `commit` (kernel/trace/ring_buffer.c). */
#define LOST_EVENTS  (UINT32_C(1) << 31)
#define LOST_COUNTED (UINT32_C(1) << 30)
#define COMMIT_BYTES ((UINT32_C(1) << 20) - 1)

/* Kinds of records. A number from 1 to 28 is the length of the record in words. */
enum { KIND_LONG = 0, KIND_PADDING = 29, KIND_EXTEND = 30, KIND_STAMP = 31 };

#define DELTA_BITS    27
#define STAMP_MISSING (UINT64_C(0xf8) << 56) /* bits that a record with an absolute time lacks */

bool tail_page_layout(struct tail_page_layout *l, const char *text)
{
    return find_field(text, "commit", &l->commit) && find_field(text, "data", &l->data) &&
           l->commit.offset >= sizeof(uint64_t) && l->commit.size <= sizeof(uint64_t) &&
           l->data.offset > l->commit.offset && l->data.offset - l->commit.offset >= l->commit.size;
}

bool tail_page_begin(struct tail_page *page, const struct tail_page_layout *layout,
                     const unsigned char *memory, size_t bytes)
{
    *page = (struct tail_page){0};
    if (bytes < layout->data.offset)
        return false;
    size_t room = bytes - layout->data.offset;
    uint32_t committed = (uint32_t)field_value(&layout->commit, memory, bytes);
    if ((committed & COMMIT_BYTES) > room)
        return false;
    page->data = memory + layout->data.offset;
    page->bytes = committed & COMMIT_BYTES;
    page->follows_loss = committed & LOST_EVENTS;
    memcpy(&page->base_ns, memory, sizeof page->base_ns);
    page->ns = page->base_ns;
    const struct tail_field lost = {.offset = (unsigned)page->bytes, .size = layout->commit.size};
    if (page->follows_loss)
        page->lost = committed & LOST_COUNTED ? field_value(&lost, page->data, room) : 1;
    return true;
}

const unsigned char *tail_page_next(struct tail_page *page, size_t *bytes)
{
    while (page->bytes - page->at >= 2 * sizeof(uint32_t)) {
        const unsigned char *at = page->data + page->at;
        size_t left = page->bytes - page->at;
        uint32_t first; /* the record's kind, and the time since the previous one */
        uint32_t second;
        size_t size = sizeof first + sizeof second;
        memcpy(&first, at, sizeof first);
        memcpy(&second, at + sizeof first, sizeof second);
        bool is_little = __BYTE_ORDER == __LITTLE_ENDIAN;
        unsigned kind = is_little ? first & 31 : first >> DELTA_BITS;
        uint64_t delta = is_little ? first >> 5 : first & ((UINT32_C(1) << DELTA_BITS) - 1);
        if (kind == KIND_PADDING) {
            if (delta == 0) /* up to the end of the page */
                break;
            size = sizeof first + second;
        } else if (kind == KIND_EXTEND) {
            page->ns += delta + ((uint64_t)second << DELTA_BITS);
        } else if (kind == KIND_STAMP) {
            page->ns = (delta + ((uint64_t)second << DELTA_BITS)) | (page->base_ns & STAMP_MISSING);
        } else {
            size_t head = kind == KIND_LONG ? size : sizeof first;
            size = sizeof first + (kind == KIND_LONG ? (size_t)second : kind * sizeof first);
            if (size < head || size > left)
                break;
            page->ns += delta;
            page->at += size;
            *bytes = size - head;
            return at + head;
        }
        if (size > left || size == 0)
            break;
        page->at += size;
    }
    page->at = page->bytes;
    return NULL;
}

/* Bits of `flags` in contention_begin (include/trace/events/lock.h). A thread with one of these
 * spins instead of sleeping, with LOCK_MUTEX only at first. */
#define LOCK_SPINS (UINT64_C(1) << 0)
#define LOCK_MUTEX (UINT64_C(1) << 5)

/* Bits of `prev_state` in sched_switch: the thread gives up its CPU because it has to wait; of
 * common_flags: an interrupt came, and the thread that was running had no part in it. */
#define STATE_SLEEPS 0xff
#define IN_INTERRUPT 0x18

/* What an event shows, in words, for the message that this kernel lacks the event. Events of one
 * purpose are of use only together. Commits and waits for the log are of one type of filesystem. */
#define REQUESTS  "requests to devices"
#define CPU_WAITS "waits for a CPU"
#define COMMITS   "commits of the journal"
#define LOG_WAITS "waits for the log"
#define RECLAIM   "reclaim of memory"
#define CALLS     "system calls"
#define PAUSES    "writers that are held back"
#define LOCKS     "locks"
#define USERS     "who uses a device"
#define WAKERS    "who wakes the journal"
#define RINGS     "" /* few programs use io_uring, and kernels before 6.4 have other events */

#define OF_REQUEST "dev sector nr_sector rwbs" /* its fields */

static const struct row {
    const char *path;
    const char *purpose;
    enum tail_scope scope;
    enum tail_kind kind; /* may say that tail_decode() makes something else of the fields */
    const char *fields;  /* what becomes `device`, `sector` and `sectors`; and a fourth */
} rows[TAIL_EVENTS] = {
    {"block/block_rq_insert", REQUESTS, SCOPE_DEVICES, TAIL_INSERT, OF_REQUEST},
    {"block/block_rq_issue", REQUESTS, SCOPE_DEVICES, TAIL_ISSUE, OF_REQUEST},
    {"block/block_rq_complete", REQUESTS, SCOPE_DEVICES, TAIL_COMPLETE, OF_REQUEST},
    {"sched/sched_switch", CPU_WAITS, SCOPE_SWITCHED, TAIL_SLEEP, "prev_pid prev_state next_pid"},
    {"sched/sched_wakeup", CPU_WAITS, SCOPE_WOKEN, TAIL_WAKE, "pid"},
    {"jbd2/jbd2_start_commit", COMMITS, SCOPE_FILESYSTEM, TAIL_COMMIT_BEGIN, "dev"},
    {"jbd2/jbd2_end_commit", COMMITS, SCOPE_FILESYSTEM, TAIL_COMMIT_END, "dev"},
    {"xfs/xfs_log_force", LOG_WAITS, SCOPE_THREAD, TAIL_LOG_WAIT, ""},
    {"xfs/xfs_log_grant_sleep", LOG_WAITS, SCOPE_THREAD, TAIL_LOG_WAIT, ""},
    {"xfs/xfs_log_grant_wake", LOG_WAITS, SCOPE_THREAD, TAIL_LOG_READY, ""},
    {"writeback/balance_dirty_pages", PAUSES, SCOPE_THREAD, TAIL_DIRTY_PAUSE, "pause"},
    {"vmscan/mm_vmscan_direct_reclaim_begin", RECLAIM, SCOPE_THREAD, TAIL_RECLAIM_BEGIN, ""},
    {"vmscan/mm_vmscan_direct_reclaim_end", RECLAIM, SCOPE_THREAD, TAIL_RECLAIM_END, ""},
    {"vmscan/mm_vmscan_memcg_reclaim_begin", RECLAIM, SCOPE_THREAD, TAIL_RECLAIM_BEGIN, ""},
    {"vmscan/mm_vmscan_memcg_reclaim_end", RECLAIM, SCOPE_THREAD, TAIL_RECLAIM_END, ""},
    {"lock/contention_begin", LOCKS, SCOPE_THREAD, TAIL_LOCK_BEGIN, "flags lock_addr"},
    {"lock/contention_end", LOCKS, SCOPE_THREAD, TAIL_LOCK_END, "ret lock_addr"},
    {"raw_syscalls/sys_enter", CALLS, SCOPE_CALLS, TAIL_CALL, "id args"},
    {"raw_syscalls/sys_exit", CALLS, SCOPE_CALLS, TAIL_RETURN, "id ret"},
    {"block/block_bio_queue", USERS, SCOPE_USERS, TAIL_BIO, OF_REQUEST},
    {"sched/sched_waking", WAKERS, SCOPE_JOURNAL, TAIL_ASK_COMMIT, "common_flags pid"},
    {"io_uring/io_uring_submit_req", RINGS, SCOPE_RINGS, TAIL_SUBMIT, "opcode req flags"},
    {"io_uring/io_uring_submit_sqe", RINGS, SCOPE_RINGS, TAIL_SUBMIT, "opcode req flags"},
    {"io_uring/io_uring_file_get", RINGS, SCOPE_RINGS, TAIL_FILE, "fd req"},
    {"io_uring/io_uring_complete", RINGS, SCOPE_RINGS, TAIL_DONE, "res req"},
};

const char *tail_event_path(unsigned index)
{
    return rows[index].path;
}

bool tail_decoder_learn(struct tail_decoder *d, unsigned index, const char *text)
{
    struct tail_format *f = &d->formats[index];
    const char *fields = rows[index].fields;
    char name[32];
    int length;
    const char *id = strstr(text, "\nID:"); /* which identifies the event in the trace */
    f->is_known = id && sscanf(id, "\nID: %u", &f->id) == 1 &&
                  find_field(text, "common_type", &d->id) &&
                  find_field(text, "common_pid", &d->thread);
    for (unsigned i = 0; f->is_known && sscanf(fields, "%31s%n", name, &length) == 1; i++) {
        f->is_known = find_field(text, name, &f->fields[i]);
        fields += length;
    }
    return f->is_known;
}

void tail_decoder_finish(struct tail_decoder *d)
{
    for (unsigned i = 0; i < TAIL_EVENTS; i++) {
        if (d->formats[i].is_known || !*rows[i].purpose)
            continue;
        for (unsigned other = 0; other < TAIL_EVENTS; other++)
            if (strcmp(rows[other].purpose, rows[i].purpose) == 0)
                d->formats[other].is_known = false;
    }
}

bool tail_decoder_misses(const struct tail_decoder *d, unsigned index, const char *filesystem)
{
    const char *purpose = rows[index].purpose;
    if (d->formats[index].is_known || !*purpose)
        return false;
    if (strcmp(purpose, COMMITS) == 0)
        return strcmp(filesystem, "ext4") == 0 || strcmp(filesystem, "ext3") == 0;
    return strcmp(purpose, LOG_WAITS) != 0 || strcmp(filesystem, "xfs") == 0;
}

unsigned tail_decode(const struct tail_decoder *d, const unsigned char *record, size_t bytes,
                     uint64_t ns, struct tail_event events[static 2])
{
    unsigned id = (unsigned)field_value(&d->id, record, bytes);
    unsigned index = 0;
    while (index < TAIL_EVENTS && !(d->formats[index].is_known && d->formats[index].id == id))
        index++;
    if (index == TAIL_EVENTS)
        return 0;
    const struct tail_field *fields = d->formats[index].fields;
    uint64_t of[TAIL_EVENT_FIELDS]; /* the values of its fields, in the order of its row */
    for (unsigned i = 0; i < TAIL_EVENT_FIELDS; i++)
        of[i] = field_value(&fields[i], record, bytes);
    struct tail_event *e = &events[0];
    *e = (struct tail_event){.ns = ns,
                             .device = (uint32_t)of[0],
                             .sector = of[1],
                             .sectors = (uint32_t)of[2],
                             .thread = (int32_t)field_value(&d->thread, record, bytes),
                             .kind = (uint8_t)rows[index].kind};
    switch (rows[index].kind) {
    case TAIL_INSERT:
    case TAIL_ISSUE:
    case TAIL_COMPLETE:
    case TAIL_BIO: {
        const unsigned char *rwbs = field_at(&fields[3], record, bytes);
        size_t length = rwbs ? strnlen((const char *)rwbs, fields[3].size) : 0;
        rwbs = rwbs ? rwbs : record;
        e->is_meta = memchr(rwbs, 'M', length) != NULL;
        e->writes = memchr(rwbs, 'W', length) != NULL;
        if (e->kind == TAIL_BIO)
            return e->sectors > 0 && !memchr(rwbs, 'D', length); /* no discard */
        if (e->sectors > 0)
            return 1;
        /* What has no sectors moves no data: a flush ("FF"), and the last step of a write that
         * waited for a flush ("FWS"). */
        if (length < 2 || memcmp(rwbs, "FF", 2) != 0 || e->kind == TAIL_INSERT)
            return 0;
        e->kind = e->kind == TAIL_ISSUE ? TAIL_FLUSH_BEGIN : TAIL_FLUSH_END;
        return 1;
    }
    case TAIL_SLEEP: /* a switch from one thread to another */
        e->kind = of[1] & STATE_SLEEPS ? TAIL_SLEEP : TAIL_PREEMPT;
        e->thread = (int32_t)of[0];
        events[1] = *e;
        events[1].kind = TAIL_RUN;
        events[1].thread = (int32_t)of[2];
        events[1].sector = of[0];
        return 2;
    case TAIL_WAKE:
        e->thread = (int32_t)of[0];
        return 1;
    case TAIL_LOCK_BEGIN: /* only who waits for a mutex counts as waiting while it spins */
        return !(of[0] & LOCK_SPINS) || (of[0] & LOCK_MUTEX);
    case TAIL_DIRTY_PAUSE:
        return (int64_t)of[0] > 0;
    case TAIL_CALL: {
        uint64_t arguments[6];
        const unsigned char *at = field_at(&fields[1], record, bytes);
        unsigned first = of[0] == SYS_openat ? 2 : 0;
#ifdef SYS_open
        first = of[0] == SYS_open ? 1 : first;
#endif
        if (!at || fields[1].size != sizeof arguments) /* of a kernel of 32 bits */
            return 0;
        memcpy(arguments, at, sizeof arguments);
        e->sectors = (uint32_t)arguments[first];
        e->sector = arguments[3];
        return 1;
    }
    case TAIL_ASK_COMMIT:
        return (of[0] & IN_INTERRUPT) == 0;
    default:
        return 1;
    }
}

/* The instance cannot be removed while the program, or a process that it forked, has files of it
 * open. When the program is killed, these files are closed a moment after the socket. */
#define MAX_TRIES 500
#define NAP_NS    10000000

static bool confine_remover(void *context, int socket)
{
    const struct tail_trace *t = context;
    uint64_t name = (uint64_t)(uintptr_t)t->name; /* the filter compares its address */
    struct sock_filter rules[] = {
        LOAD(FIELD(arch)),
        MUST_BE(ARCHITECTURE),
        LOAD(FIELD(nr)),
        ALLOW(SYS_exit),
        ALLOW(SYS_clock_nanosleep),
        ALLOW_ON(SYS_read, socket),
        ALLOW_ON(SYS_write, socket),
        MUST_BE(SYS_unlinkat),
        LOAD(LOW_HALF(0)),
        MUST_BE(t->instances),
        LOAD(LOW_HALF(1)),
        MUST_BE((uint32_t)name),
        LOAD(HIGH_HALF(1)),
        MUST_BE((uint32_t)(name >> 32)),
        LOAD(LOW_HALF(2)),
        MUST_BE(AT_REMOVEDIR),
        ANSWER(SECCOMP_RET_ALLOW),
    };
    return seccomp_install(rules, sizeof rules / sizeof *rules);
}

/* Waits for the end of the program and removes the instance. The filter allows nothing else. */
static void run_errand(void *context, int socket)
{
    const struct tail_trace *t = context;
    const struct timespec nap = {.tv_nsec = NAP_NS};
    char byte;
    while (syscall(SYS_read, socket, &byte, 1) < 0 && errno == EINTR)
        continue;
    for (int i = 0; i < MAX_TRIES; i++) {
        if (syscall(SYS_unlinkat, t->instances, t->name, AT_REMOVEDIR) == 0 || errno == ENOENT)
            return;
        syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &nap, NULL);
    }
}

#define BUFFER_KIB    65536U /* size of the kernel's buffers, for all CPUs together */
#define MAX_CPU_KIB   8192U  /* and for each */
#define LEAST_CPU_KIB 128U
#define INSTANCE_PATH 128
#define FORMAT_BYTES  8192
#define FILTER_BYTES  3000
#define MAX_IN_FILTER 64

static const char *const places[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

/* The note, for one more remark. */
static struct label_text *note_of(struct tail_trace *t)
{
    label_add(&t->note, "%s", *t->note.text ? "; " : "");
    return &t->note;
}

static bool read_file(const struct tail_trace *t, const char *file, char *text, size_t size)
{
    char path[2 * INSTANCE_PATH];
    snprintf(path, sizeof path, "%s/../%s", descriptor_path(t->instances).text, file);
    return kernel_file_text(path, text, size);
}

static int open_file(const struct tail_trace *t, const char *file, int flags)
{
    char path[2 * INSTANCE_PATH];
    snprintf(path, sizeof path, "%s/%s/%s", descriptor_path(t->instances).text, t->name, file);
    return kernel_file_open(path, flags);
}

static bool write_text(int fd, const char *text)
{
    size_t length = strlen(text);
    return fd >= 0 && write(fd, text, length) == (ssize_t)length;
}

static bool set_file(const struct tail_trace *t, const char *file, const char *text)
{
    int fd = open_file(t, file, O_WRONLY);
    bool done = write_text(fd, text);
    descriptor_close(&fd);
    return done;
}

/* Opens the directory `instances` of tracefs. Returns its descriptor, or a negative errno. If
 * tracefs is not mounted, and `mounts`, takes that of a mount at no place, which nobody else sees
 * and which lasts as long as the descriptor. */
static int open_instances(bool mounts)
{
    char path[INSTANCE_PATH];
    int rc = -ENOENT;
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        snprintf(path, sizeof path, "%s/instances", places[i]);
        int fd = kernel_file_open(path, O_RDONLY | O_DIRECTORY);
        if (fd >= 0)
            return fd;
        rc = errno == ENOENT ? rc : -errno;
    }
    if (rc != -ENOENT || !mounts)
        return rc;
    int mount = -1;
    int context = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC);
    if (context >= 0 && syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
        mount = (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, 0);
    snprintf(path, sizeof path, "%s/instances", descriptor_path(mount).text);
    int fd = mount < 0 ? -1 : kernel_file_open(path, O_RDONLY | O_DIRECTORY);
    rc = fd < 0 ? -errno : fd;
    descriptor_close(&context);
    descriptor_close(&mount);
    return rc;
}

unsigned tail_trace_descriptors(void)
{
    return TAIL_EVENTS + (unsigned)get_nprocs_conf() + 4; /* 2 files, directory, remover's socket */
}

static bool open_files(struct tail_trace *t)
{
    char text[INSTANCE_PATH];
    bool has_pipe = false, all = true;
    t->cpus = (unsigned)get_nprocs_conf();
    t->pipes = calloc(t->cpus, sizeof *t->pipes);
    t->pages = calloc(t->cpus, t->page_bytes);
    for (unsigned i = 0; t->pipes && t->pages && i < t->cpus; i++) {
        snprintf(text, sizeof text, "per_cpu/cpu%u/trace_pipe_raw", i);
        t->pipes[i] = open_file(t, text, O_RDONLY | O_NONBLOCK);
        has_pipe = has_pipe || t->pipes[i] >= 0;
    }
    if (!has_pipe)
        return false;
    t->tracing_on = open_file(t, "tracing_on", O_WRONLY);
    t->set_event = open_file(t, "set_event", O_WRONLY | O_APPEND);
    if (t->set == TAIL_CALLS) {
        t->set_event_pid = open_file(t, "set_event_pid", O_WRONLY | O_APPEND);
        if (t->set_event_pid < 0 || !set_file(t, "options/event-fork", "1"))
            return false;
    }
    if (!write_text(t->tracing_on, "0") || t->set_event < 0)
        return false;
    for (unsigned i = 0; i < TAIL_EVENTS; i++) {
        if (!t->decoder.formats[i].is_known)
            continue;
        snprintf(text, sizeof text, "events/%s/filter", rows[i].path);
        t->filters[i] = open_file(t, text, O_WRONLY);
        all = all && t->filters[i] >= 0;
    }
    unsigned kib = BUFFER_KIB / t->cpus;
    kib = kib > MAX_CPU_KIB ? MAX_CPU_KIB : kib < LEAST_CPU_KIB ? LEAST_CPU_KIB : kib;
    snprintf(text, sizeof text, "%u", kib);
    return all && set_file(t, "trace_clock", "mono") && set_file(t, "options/overwrite", "1") &&
           set_file(t, "buffer_size_kb", text);
}

static void close_files(struct tail_trace *t)
{
    for (unsigned i = 0; i < TAIL_EVENTS; i++)
        descriptor_close(&t->filters[i]);
    for (unsigned i = 0; t->pipes && i < t->cpus; i++)
        descriptor_close(&t->pipes[i]);
    free(t->pipes);
    free(t->pages);
    t->pipes = NULL;
    t->pages = NULL;
    descriptor_close(&t->tracing_on);
    descriptor_close(&t->set_event);
    descriptor_close(&t->set_event_pid);
}

static void note_reason(struct tail_trace *t, const char *what, int code)
{
    if (code == ENOENT)
        label_add(note_of(t), "tracefs is not mounted (mount -t tracefs tracefs %s)", places[0]);
    else if (code == EACCES || code == EPERM)
        label_add(note_of(t), "only root can look at the kernel's events");
    else
        label_add(note_of(t), "%s: %s", what, portable_reason(code));
}

/* Learns the layout of records, and opens an instance, or notes why it cannot. Its remover starts
 * first, so that nothing is left whenever the program is killed. */
static int open_or_note(struct tail_trace *t, struct err *e)
{
    char text[FORMAT_BYTES], file[INSTANCE_PATH];
    uint32_t number = 0;
    const struct confined_job job = {.name = "remover",
                                     .keep = t->instances,
                                     .outlives = true, /* its job begins when its parent dies */
                                     .confine = confine_remover,
                                     .work = run_errand,
                                     .context = t};
    /* PROC_PID_INIT_INO of the kernel: elsewhere, thread IDs in events differ from the program's */
    if (kernel_file_link("/proc/self/ns/pid", text, sizeof text) &&
        strcmp(text, "pid:[4026531836]") != 0) {
        label_add(note_of(t), "in a PID namespace the kernel's events cannot be told apart");
        return 0;
    }
    tail_trace_cleanup();
    if (!read_file(t, "events/header_page", text, sizeof text) ||
        !tail_page_layout(&t->layout, text)) {
        note_reason(t, "tracefs", errno);
        return 0;
    }
    t->page_bytes = t->layout.data.offset + t->layout.data.size;
    for (unsigned i = 0; i < TAIL_EVENTS; i++) {
        snprintf(file, sizeof file, "events/%s/format", rows[i].path);
        if (scopes[rows[i].scope].sets & t->set && read_file(t, file, text, sizeof text))
            tail_decoder_learn(&t->decoder, i, text);
    }
    tail_decoder_finish(&t->decoder);
    if (read_file(t, "current_tracer", text, sizeof text) && strcmp(text, "nop\n") != 0)
        label_add(note_of(t), "another tracer is active (%.*s): the figures include its cost",
                  (int)strcspn(text, "\n"), text);
    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) {
        note_reason(t, "getrandom", errno);
        return 0;
    }
    snprintf(t->name, sizeof t->name, "explain-tail-%d-%08" PRIx32, (int)getpid(), number);
    int rc = confined_start(&t->remover, &job, e);
    if (t->remover.pid == 0) { /* after -u nobody could remove the instance */
        label_add(note_of(t),
                  "the process that would remove the trace instance cannot be confined");
        return rc;
    }
    /* Making a directory in `instances` makes a trace instance. Another run with --cleanup may
     * remove it while none of its files is open: then once more. */
    for (int i = 0; i < 3 && mkdirat(t->instances, t->name, 0700) == 0; i++) {
        t->is_open = open_files(t);
        int code = errno;
        if (t->is_open)
            break;
        close_files(t);
        unlinkat(t->instances, t->name, AT_REMOVEDIR);
        errno = code;
    }
    if (!t->is_open) {
        note_reason(t, "tracefs", errno == ENOENT ? EIO : errno);
        helper_end(&t->remover, HELPER_END_MS);
    }
    return rc;
}

int tail_trace_open(struct tail_trace *t, enum tail_set set, struct err *e)
{
    int rc = 0;
    *t = (struct tail_trace){.set = set, .set_event = -1, .set_event_pid = -1, .tracing_on = -1};
    for (unsigned i = 0; i < TAIL_EVENTS; i++)
        t->filters[i] = -1;
    t->instances = open_instances(set != TAIL_OWN);
    if (t->instances < 0)
        note_reason(t, places[0], -t->instances);
    else
        rc = open_or_note(t, e);
    if (!t->is_open)
        descriptor_close(&t->instances);
    return rc;
}

bool tail_trace_watch(const struct tail_trace *t, const struct tail_watch *w)
{
    bool all = true;
    for (unsigned i = 0; i < TAIL_EVENTS; i++) {
        char text[FILTER_BYTES] = "0"; /* no filter */
        enum tail_scope scope = rows[i].scope;
        const struct device_set *on = scope <= SCOPE_FILESYSTEM ? w->devices : NULL;
        unsigned devices = !on ? 0 : scope == SCOPE_FILESYSTEM ? on->filesystem : on->count;
        size_t used = 0;
        if (t->filters[i] < 0)
            continue;
        if (scope == SCOPE_CALLS)
            snprintf(text, sizeof text, "%s", w->calls);
        else if (t->set != TAIL_CALLS && (on || scope > SCOPE_FILESYSTEM))
            snprintf(text, sizeof text, scopes[scope].filter, w->first_thread, w->last_thread);
        for (unsigned k = 0; k < devices && k < MAX_IN_FILTER; k++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%sdev == %" PRIu32,
                                     k > 0 ? " || " : "",
                                     tail_device(on->devices[k].major, on->devices[k].minor));
        all = write_text(t->filters[i], text) && all;
    }
    return all;
}

bool tail_trace_follow(const struct tail_trace *t, const char *threads)
{
    return write_text(t->set_event_pid, threads);
}

int tail_trace_begin(struct tail_trace *t, const struct tail_watch *w)
{
    static const char before[] = "this kernel has no events for: ";
    struct label_text missing = {""};
    char text[INSTANCE_PATH];
    bool all = tail_trace_watch(t, w);
    t->sees_all = true;
    for (unsigned i = 0; i < TAIL_EVENTS; i++) {
        const char *purpose = rows[i].purpose;
        if (!(scopes[rows[i].scope].sets & t->set) ||
            !tail_decoder_misses(&t->decoder, i, w->filesystem))
            continue;
        t->sees_all = false;
        if (!strstr(missing.text, purpose))
            label_add(&missing, "%s%s", *missing.text ? "; " : "", purpose);
    }
    if (!t->sees_all && !strstr(t->note.text, before)) /* an earlier test has noted them */
        label_add(note_of(t), "%s%s", before, missing.text);
    for (unsigned i = 0; i < TAIL_EVENTS; i++)
        if (t->decoder.formats[i].is_known) { /* set_event has a colon instead of the slash */
            snprintf(text, sizeof text, "%s\n", rows[i].path);
            *strchr(text, '/') = ':';
            all = write_text(t->set_event, text) && all;
        }
    if (all && write_text(t->tracing_on, "1"))
        return 0;
    int rc = errno > 0 ? -errno : -EIO;
    tail_trace_end(t);
    return rc;
}

void tail_trace_end(struct tail_trace *t)
{
    write_text(t->tracing_on, "0");
    write_text(t->set_event, "!*:*\n");
}

bool tail_trace_read(const struct tail_trace *t, unsigned cpu, struct tail_page *page)
{
    unsigned char *memory = t->pages + cpu * t->page_bytes;
    ssize_t bytes = t->pipes[cpu] < 0 ? 0 : read(t->pipes[cpu], memory, t->page_bytes);
    if (bytes > 0)
        tail_page_begin(page, &t->layout, memory, (size_t)bytes);
    return bytes > 0;
}

void tail_trace_close(struct tail_trace *t)
{
    if (t->set == 0)
        return;
    close_files(t);
    if (!helper_end(&t->remover, MAX_TRIES * (NAP_NS / 1000000) + 1000)) /* somebody stopped it */
        stop_message("the process that removes the trace instance is stopped; it will do so when "
                     "it is continued");
    descriptor_close(&t->instances);
    *t = (struct tail_trace){0};
}

void tail_trace_cleanup(void)
{
    int instances = open_instances(true);
    DIR *all = instances >= 0 ? fdopendir(instances) : NULL;
    if (!all)
        descriptor_close(&instances);
    for (const struct dirent *entry; all && (entry = readdir(all));) {
        const char *name = entry->d_name;
        int length = 0;
        sscanf(name, "explain-tail-%*d-%*8x%n", &length);
        /* instances that are in use have open files, so the kernel does not remove them */
        if (length > 0 && name[length] == '\0' && unlinkat(instances, name, AT_REMOVEDIR) == 0)
            message("removed the trace instance %s, which a killed run has left", name);
    }
    if (all)
        closedir(all);
}
