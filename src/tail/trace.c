#include "tail/trace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/descriptor.h"
#include "util/kernel_file.h"
#include "util/message.h"
#include "util/portable.h"

/* Size of the kernel's buffers, for all CPUs together and for each. */
#define BUFFER_KIB     65536U
#define MOST_CPU_KIB   8192U
#define LEAST_CPU_KIB  128U
#define INSTANCE_PATH  128
#define FORMAT_BYTES   8192
#define FILTER_BYTES   3000
#define MOST_IN_FILTER 64
#define TRIES_TO_MAKE  3

static const char *const places[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

static void add_note(struct tail_trace *t, const char *text)
{
    size_t used = strlen(t->note);
    snprintf(t->note + used, sizeof t->note - used, "%s%s", used > 0 ? "; " : "", text);
}

/*
 * Reads the beginning of a file in tracefs, which is mounted at `place`. Returns false when it
 * cannot be read.
 */
static bool read_file(const char *place, const char *file, char *text, size_t size)
{
    char path[2 * INSTANCE_PATH];
    snprintf(path, sizeof path, "%s/%s", place, file);
    return kernel_file_text(path, text, size);
}

static int open_instance_file(const struct tail_trace *t, const char *place, const char *file,
                              int flags)
{
    char path[2 * INSTANCE_PATH];
    snprintf(path, sizeof path, "%s/instances/%s/%s", place, t->name, file);
    return kernel_file_open(path, flags);
}

static bool write_text(int fd, const char *text)
{
    size_t length = strlen(text);
    return fd >= 0 && write(fd, text, length) == (ssize_t)length;
}

static bool set_file(const struct tail_trace *t, const char *place, const char *file,
                     const char *text)
{
    int fd = open_instance_file(t, place, file, O_WRONLY);
    bool done = write_text(fd, text);
    descriptor_close(&fd);
    return done;
}

/*
 * Opens the directory `instances` of tracefs. Returns its descriptor and sets *place to the mount
 * point, or returns a negative errno.
 */
static int open_instances(const char **place)
{
    char path[INSTANCE_PATH];
    int rc = -ENOENT;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        *place = places[i];
        snprintf(path, sizeof path, "%s/instances", *place);
        int fd = kernel_file_open(path, O_RDONLY | O_DIRECTORY);
        if (fd >= 0)
            return fd;
        rc = errno == ENOENT ? rc : -errno;
    }
    return rc;
}

bool tail_instance_name(char name[TAIL_INSTANCE_NAME])
{
    uint32_t number = 0;
    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
        return false;
    snprintf(name, TAIL_INSTANCE_NAME, "explain-tail-%d-%08" PRIx32, (int)getpid(), number);
    return true;
}

/* Making a directory in `instances` makes a trace instance. */
static bool make_instance(struct tail_trace *t)
{
    return tail_instance_name(t->name) && mkdirat(t->instances, t->name, 0700) == 0;
}

/* Learns the layout of the kernel's records. */
static bool learn_formats(struct tail_trace *t, const char *place)
{
    char text[FORMAT_BYTES];
    char file[INSTANCE_PATH];
    if (!read_file(place, "events/header_page", text, sizeof text) ||
        !tail_page_layout(&t->layout, text))
        return false;
    t->page_bytes = t->layout.data_offset + t->layout.data_size;
    for (unsigned i = 0; i < TAIL_EVENTS; i++) {
        snprintf(file, sizeof file, "events/%s/format", tail_event_path(i));
        if (read_file(place, file, text, sizeof text))
            tail_decoder_learn(&t->decoder, i, text);
    }
    tail_decoder_finish(&t->decoder);
    return true;
}

/* The link in /proc of a process in the first PID namespace (PROC_PID_INIT_INO of the kernel). */
#define FIRST_NAMESPACE "pid:[4026531836]"

/* Whether thread IDs in the kernel's events differ from those that the program sees. */
static bool is_in_namespace(void)
{
    char text[64];
    return kernel_file_link("/proc/self/ns/pid", text, sizeof text) &&
           strcmp(text, FIRST_NAMESPACE) != 0;
}

static void note_other_tracer(struct tail_trace *t, const char *place)
{
    char text[64];
    char note[TAIL_NOTE];
    if (!read_file(place, "current_tracer", text, sizeof text))
        return;
    text[strcspn(text, "\n")] = '\0';
    if (strcmp(text, "nop") == 0)
        return;
    snprintf(note, sizeof note, "another tracer is active (%s): the figures include its cost",
             text);
    add_note(t, note);
}

static unsigned count_cpus(void)
{
    long cpus = sysconf(_SC_NPROCESSORS_CONF);
    return cpus > 0 ? (unsigned)cpus : 1;
}

unsigned tail_trace_descriptors(void)
{
    return TAIL_EVENTS + count_cpus() + 4; /* two files, a directory, the remover's socket */
}

static bool open_pipes(struct tail_trace *t, const char *place)
{
    char file[INSTANCE_PATH];
    bool any = false;
    t->cpus = count_cpus();
    t->pipes = calloc(t->cpus, sizeof *t->pipes);
    for (unsigned i = 0; t->pipes && i < t->cpus; i++) {
        snprintf(file, sizeof file, "per_cpu/cpu%u/trace_pipe_raw", i);
        t->pipes[i] = open_instance_file(t, place, file, O_RDONLY | O_NONBLOCK);
        any = any || t->pipes[i] >= 0;
    }
    return any;
}

static bool open_filters(struct tail_trace *t, const char *place)
{
    char file[INSTANCE_PATH];
    bool all = true;
    for (unsigned i = 0; i < TAIL_EVENTS; i++) {
        snprintf(file, sizeof file, "events/%s/filter", tail_event_path(i));
        if (t->decoder.formats[i].is_known)
            t->filters[i] = open_instance_file(t, place, file, O_WRONLY);
        all = all && (!t->decoder.formats[i].is_known || t->filters[i] >= 0);
    }
    return all;
}

/* Sets up the instance and opens the files that are needed later. */
static bool open_files(struct tail_trace *t, const char *place)
{
    char kib[24];
    unsigned each = BUFFER_KIB / t->cpus;
    each = each > MOST_CPU_KIB ? MOST_CPU_KIB : each;
    snprintf(kib, sizeof kib, "%u", each < LEAST_CPU_KIB ? LEAST_CPU_KIB : each);
    t->tracing_on = open_instance_file(t, place, "tracing_on", O_WRONLY);
    t->set_event = open_instance_file(t, place, "set_event", O_WRONLY | O_APPEND);
    return write_text(t->tracing_on, "0") && t->set_event >= 0 && open_filters(t, place) &&
           set_file(t, place, "trace_clock", "mono") &&
           set_file(t, place, "options/overwrite", "1") &&
           set_file(t, place, "buffer_size_kb", kib);
}

static void close_files(struct tail_trace *t)
{
    for (unsigned i = 0; i < TAIL_EVENTS; i++)
        descriptor_close(&t->filters[i]);
    for (unsigned i = 0; t->pipes && i < t->cpus; i++)
        descriptor_close(&t->pipes[i]);
    free(t->pipes);
    t->pipes = NULL;
    descriptor_close(&t->tracing_on);
    descriptor_close(&t->set_event);
}

/* Closes and removes the instance. Keeps errno. */
static void discard_instance(struct tail_trace *t)
{
    int code = errno;
    close_files(t);
    unlinkat(t->instances, t->name, AT_REMOVEDIR);
    errno = code;
}

/*
 * Makes and opens an instance. Another run with --cleanup may remove it while none of its files is
 * open, so this is tried again.
 */
static bool open_instance(struct tail_trace *t, const char *place)
{
    for (int i = 0; i < TRIES_TO_MAKE; i++) {
        if (!make_instance(t))
            return false;
        if (open_pipes(t, place) && open_files(t, place))
            return true;
        discard_instance(t);
    }
    return false;
}

static void note_reason(struct tail_trace *t, const char *what, int code)
{
    char note[TAIL_NOTE];
    if (code == ENOENT)
        snprintf(note, sizeof note, "tracefs is not mounted (mount -t tracefs tracefs %s)",
                 places[0]);
    else if (code == EACCES || code == EPERM)
        snprintf(note, sizeof note, "only root can look at the kernel's events");
    else
        snprintf(note, sizeof note, "%s: %s", what, portable_reason(code));
    add_note(t, note);
}

/* Opens an instance, or notes why that is impossible. */
static bool open_or_note(struct tail_trace *t, const char *place)
{
    if (is_in_namespace()) {
        add_note(t, "in a PID namespace the kernel's events cannot be told apart");
        return false;
    }
    tail_trace_cleanup();
    if (!learn_formats(t, place)) {
        note_reason(t, place, errno);
        return false;
    }
    note_other_tracer(t, place);
    if (!open_instance(t, place)) {
        note_reason(t, place, errno == ENOENT ? EIO : errno);
        return false;
    }
    return true;
}

int tail_trace_open(struct tail_trace *t, struct err *e)
{
    const char *place;
    *t = (struct tail_trace){.is_wanted = true, .set_event = -1, .tracing_on = -1};
    for (unsigned i = 0; i < TAIL_EVENTS; i++)
        t->filters[i] = -1;
    t->instances = open_instances(&place);
    if (t->instances < 0)
        note_reason(t, places[0], -t->instances);
    else
        t->is_open = open_or_note(t, place);
    if (!t->is_open) {
        descriptor_close(&t->instances);
        return 0;
    }
    int rc = tail_remover_start(&t->remover, t->instances, t->name, e);
    if (t->remover.pid == 0) { /* after -u nobody could remove the instance */
        discard_instance(t);
        t->is_open = false;
        add_note(t, "the process that would remove the trace instance cannot be confined");
    }
    return rc;
}

static void add_text(char text[static FILTER_BYTES], const char *more)
{
    size_t used = strlen(text);
    snprintf(text + used, FILTER_BYTES - used, "%s", more);
}

static void filter_devices(char text[static FILTER_BYTES], const struct device_set *d,
                           unsigned count)
{
    char one[64];
    for (unsigned i = 0; i < count && i < MOST_IN_FILTER; i++) {
        snprintf(one, sizeof one, "%sdev == %" PRIu32, i > 0 ? " || " : "",
                 tail_device(d->devices[i].major, d->devices[i].minor));
        add_text(text, one);
    }
    if (count == 0)
        add_text(text, "dev == 0");
}

static void filter_text(char text[static FILTER_BYTES], enum tail_scope scope,
                        const struct tail_watch *w)
{
    int first = w->first_thread;
    int last = w->last_thread;
    text[0] = '\0';
    switch (scope) {
    case SCOPE_DEVICES:
        filter_devices(text, w->devices, w->devices->count);
        break;
    case SCOPE_FILESYSTEM:
        filter_devices(text, w->devices, w->devices->filesystem);
        break;
    case SCOPE_THREAD:
        snprintf(text, FILTER_BYTES, "common_pid >= %d && common_pid <= %d", first, last);
        break;
    case SCOPE_WOKEN:
        snprintf(text, FILTER_BYTES, "pid >= %d && pid <= %d", first, last);
        break;
    case SCOPE_SWITCHED:
        snprintf(text, FILTER_BYTES,
                 "(prev_pid >= %d && prev_pid <= %d) || (next_pid >= %d && next_pid <= %d)", first,
                 last, first, last);
        break;
    }
}

/* Tells the kernel to record the known events, or to stop. */
static bool enable_events(const struct tail_trace *t, bool on)
{
    char text[INSTANCE_PATH];
    bool all = true;
    for (unsigned i = 0; i < TAIL_EVENTS; i++) {
        if (!t->decoder.formats[i].is_known)
            continue;
        snprintf(text, sizeof text, "%s%s\n", on ? "" : "!", tail_event_path(i));
        *strchr(text, '/') = ':';
        all = write_text(t->set_event, text) && all;
    }
    return all;
}

/* Notes, once, which events for tests on that filesystem this kernel lacks. */
static void note_missing(struct tail_trace *t, const char *filesystem)
{
    static const char before[] = "this kernel has no events for: ";
    char note[TAIL_NOTE] = "";
    t->sees_all = true;
    for (unsigned i = 0; i < TAIL_EVENTS; i++) {
        const char *purpose = tail_event_purpose(i);
        if (!tail_decoder_misses(&t->decoder, i, filesystem))
            continue;
        t->sees_all = false;
        size_t used = strlen(note);
        if (!strstr(note, purpose))
            snprintf(note + used, sizeof note - used, "%s%s", used > 0 ? "; " : before, purpose);
    }
    if (!t->sees_all && !strstr(t->note, before))
        add_note(t, note);
}

int tail_trace_begin(struct tail_trace *t, const struct tail_watch *w)
{
    char text[FILTER_BYTES];
    bool all = true;
    note_missing(t, w->filesystem);
    for (unsigned i = 0; i < TAIL_EVENTS; i++) {
        if (t->filters[i] < 0)
            continue;
        filter_text(text, tail_event_scope(i), w);
        all = write_text(t->filters[i], text) && all;
    }
    if (all && enable_events(t, true) && write_text(t->tracing_on, "1"))
        return 0;
    int rc = errno > 0 ? -errno : -EIO;
    tail_trace_end(t);
    return rc;
}

void tail_trace_end(struct tail_trace *t)
{
    write_text(t->tracing_on, "0");
    enable_events(t, false);
}

size_t tail_trace_read(const struct tail_trace *t, unsigned cpu, unsigned char *page)
{
    ssize_t bytes = t->pipes[cpu] < 0 ? 0 : read(t->pipes[cpu], page, t->page_bytes);
    return bytes > 0 ? (size_t)bytes : 0;
}

void tail_trace_close(struct tail_trace *t)
{
    if (!t->is_wanted)
        return;
    close_files(t);
    tail_remover_stop(&t->remover);
    descriptor_close(&t->instances);
    *t = (struct tail_trace){0};
}

/* Whether tail_instance_name() could have made this name. */
static bool is_ours(const char *name)
{
    char made[TAIL_INSTANCE_NAME];
    uint32_t number;
    int pid;
    if (sscanf(name, "explain-tail-%d-%8" SCNx32, &pid, &number) != 2)
        return false;
    snprintf(made, sizeof made, "explain-tail-%d-%08" PRIx32, pid, number);
    return strcmp(made, name) == 0;
}

/* Instances that are in use have open files, so the kernel does not remove them. */
static void remove_leftovers(int instances)
{
    DIR *all = fdopendir(instances);
    if (!all) {
        close(instances);
        return;
    }
    for (const struct dirent *entry = readdir(all); entry; entry = readdir(all)) {
        if (!is_ours(entry->d_name) || unlinkat(dirfd(all), entry->d_name, AT_REMOVEDIR) != 0)
            continue;
        message("removed the trace instance %s, which a killed run has left", entry->d_name);
    }
    closedir(all);
}

void tail_trace_cleanup(void)
{
    const char *place;
    int instances = open_instances(&place);
    if (instances >= 0)
        remove_leftovers(instances);
}
