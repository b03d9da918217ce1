// SPDX-License-Identifier: GPL-2.0-or-later
#include "boncut/options.h"

#include <linux/fs.h>

#include "boncut/log.h"
#include "boncut/verdict.h"
#include "measure/clock.h"
#include "report/document.h"
#include "report/json_object.h"
#include "sys/program.h"
#include "sys/stop.h"
#include "util/descriptor.h"
#include "util/portable.h"

/* Everything that `check` reports. */
struct check {
    struct ledger ledger;
    struct findings findings;
    struct header here;      /* the mount and the boot when `check` runs */
    struct mount_info mount; /* empty: it cannot be mounted */
    struct device_set devices;
    struct facts facts;
    const struct settings *settings;
    uint64_t begun_ns;
    const char *gone;        /* the private directory is missing, and with it everything: what
                                happened to it, in words, "is gone"; NULL: it is there */
    bool is_same_boot;       /* the system has not been rebooted since `write` */
    bool is_same_mount;      /* it has not been unmounted either: the kernel remembers it */
    uint64_t resident_bytes; /* number of bytes that stayed in the page cache during the check */
    enum layer layer;
    enum verdict verdict;
    struct label_text reason; /* why, in words */
    size_t answer_length;     /* of the reason's first line */
};

/* ---- the place ------------------------------------------------------------------------------- */

static const char *or_unknown(const char *text)
{
    return *text ? text : "not known";
}

/* Whether the filesystem is the log's: 1 or 0; -1: that is not known. */
static int is_same_filesystem(const struct check *c)
{
    const struct header *h = &c->ledger.header;
    if (*h->uuid && *c->here.uuid)
        return strcmp(h->uuid, c->here.uuid) == 0;
    return strcmp(h->filesystem, c->here.filesystem) == 0 ? -1 : 0;
}

/* Refuses a filesystem that is not the log's, or does not show what the storage holds. */
static int check_filesystem(const struct check *c, int fd, const char *path, struct err *e)
{
    static const struct {
        const char *option; /* a mount option, whole */
        const char *state;
    } states[] = {
        {"shutdown", "shut down"},
        {"norecovery", "mounted without the recovery of its journal"},
        {"nologreplay", "mounted without the replay of its log"},
        {"disable_roll_forward", "mounted without the recovery of what was synced"},
    };
    char options[HEADER_TEXT];
    const char *state = NULL;
    int version;
    snprintf(options, sizeof options, "%s", c->here.options);
    for (char *rest = options, *word; (word = strsep(&rest, ",=:"));) /* "rescue=a:nologreplay" */
        for (size_t i = 0; i < sizeof states / sizeof *states; i++)
            if (strcmp(word, states[i].option) == 0)
                state = states[i].state;
    if (portable_ioctl(fd, FS_IOC_GETVERSION, &version) != 0 && errno == EIO)
        state = states[0].state;
    if (state)
        return err_say(e,
                       "the filesystem of %s is %s, so nothing on it can be judged: unmount it, "
                       "and mount it again",
                       path, state);
    const struct header *h = &c->ledger.header;
    if (is_same_filesystem(c) != 0)
        return 0;
    return err_say(e,
                   "%s is on a filesystem of type %s with the UUID %s, but the log is of one of "
                   "type %s with the UUID %s: is that one mounted? Give --unmounted if it cannot "
                   "be",
                   path, or_unknown(c->here.filesystem), or_unknown(c->here.uuid),
                   or_unknown(h->filesystem), or_unknown(h->uuid));
}

/* Opens the private directory that the log names, and accepts no other. If it is lost, and was not
 * elsewhere, returns 0 with c->gone set and no descriptor in *fd. */
static int open_directory(struct check *c, int parent_fd, const char *path, int *fd, struct err *e)
{
    const struct header *h = &c->ledger.header;
    char found[FOUND_SIZE];
    char other[PRIVATE_NAME_SIZE] = "";
    *fd = directory_open(parent_fd, h->directory);
    if (*fd < 0 && *fd != -ENOENT)
        return err_system(e, -*fd, "open directory %s/%s", path, h->directory);
    if (*fd >= 0) {
        int ownership =
            private_directory_ownership(parent_fd, *fd, c->settings->trusts_directory, found);
        if (ownership < 0)
            return err_system(e, -ownership, "check directory %s/%s", path, h->directory);
        if (ownership == OWNERSHIP_OTHER)
            return err_say(e, "%s/%s is not a directory that this user's run has made: %s", path,
                           h->directory, found);
        return 0;
    }
    DIR *all = directory_list(parent_fd, ".");
    const struct dirent *entry;
    while (all && (errno = 0, entry = readdir(all)))
        if (is_private_name(entry->d_name))
            snprintf(other, sizeof other, "%.*s", PRIVATE_NAME_SIZE - 1, entry->d_name);
    int code = errno;
    if (all)
        closedir(all);
    if (code != 0)
        return err_system(e, code, "list directory %s", path);
    if (*other)
        return err_say(e,
                       "the log is not of this directory: %s contains %s, which is of another run, "
                       "instead of %s",
                       path, other, h->directory);
    if (is_same_filesystem(c) < 0)
        return err_say(e,
                       "%s does not contain %s, and the filesystem has no UUID in the log that "
                       "would show whether it is the same: is the right one mounted?",
                       path, h->directory);
    if (!*h->parent || strcmp(h->parent, c->here.parent) != 0)
        return err_say(e,
                       "%s does not contain %s, and is not the directory of that filesystem in "
                       "which it was made",
                       path, h->directory);
    c->gone = "is gone";
    return 0;
}

/* ---- judging --------------------------------------------------------------------------------- */

/* Accepts the user's claim that the filesystem cannot be mounted, unless the directory can be
 * opened, or this user is not allowed to look. */
static int judge_unmounted(struct check *c, const char *path, struct err *e)
{
    const char *name = c->ledger.header.directory;
    struct err why = {0};
    int rc = 0;
    int parent_fd = path_open_to_list(path, PATH_FAILS, &why);
    int fd = parent_fd >= 0 ? directory_open(parent_fd, name) : parent_fd;
    if (parent_fd >= 0 && fd < 0)
        err_system(&why, -fd, "open directory %s/%s", path, name);
    if (fd >= 0)
        rc = err_say(e, "--unmounted: %s/%s is there", path, name);
    else if (fd == -EACCES || fd == -PATH_LINK)
        rc = err_say(e, "%s", why.text);
    else
        c->gone = "is on a filesystem that does not mount";
    descriptor_close(&fd);
    descriptor_close(&parent_fd);
    return rc;
}

static int judge_mounted(struct check *c, const char *path, struct err *e)
{
    const struct header *h = &c->ledger.header;
    int fd = -1;
    int parent_fd = path_open_to_list(path, PATH_FAILS, e);
    if (parent_fd < 0)
        return parent_fd;
    header_describe_place(&c->here, parent_fd);
    mount_info_find(&c->mount, parent_fd);
    device_find(&c->devices, &c->mount);
    facts_look(&c->facts, &c->mount, &c->devices, false);
    c->is_same_boot = *c->here.boot_id && strcmp(c->here.boot_id, h->boot_id) == 0;
    /* without evidence, it is the same mount within one boot */
    c->is_same_mount = c->is_same_boot &&
                       (h->superblock && c->here.superblock
                            ? h->superblock == c->here.superblock
                            : !h->mount_id || !c->here.mount_id || h->mount_id == c->here.mount_id);
    int rc = check_filesystem(c, parent_fd, path, e);
    if (rc == 0)
        rc = open_directory(c, parent_fd, path, &fd, e);
    if (rc == 0 && !c->gone) {
        struct pattern pattern;
        struct judging j = {.header = h,
                            .ledger = &c->ledger,
                            .pattern = &pattern,
                            .directory_fd = fd,
                            .evicts = c->is_same_boot,
                            .buffer = method_buffer(h),
                            .findings = &c->findings};
        rc = j.buffer ? 0 : err_system(e, ENOMEM, "allocate memory for a buffer");
        pattern_init(&pattern, DATA_RANDOM, 100, PATTERN_UNIT_MIN, h->seed, h->run);
        for (j.method = 0; rc == 0 && j.method < METHODS; j.method++) {
            unsigned workers = methods[j.method].is_canary ? 1 : h->workers;
            for (j.worker = 0; rc == 0 && j.worker < workers; j.worker++) {
                j.first = j.worker * method_units_of_worker(h, j.method);
                if (h->methods & 1U << j.method)
                    methods[j.method].judge(&j);
                rc = j.failure ? err_system(e, j.failure, "check the units") : stop_check(e);
            }
        }
        c->resident_bytes = j.resident_bytes;
        free(j.buffer);
    }
    descriptor_close(&fd);
    descriptor_close(&parent_fd);
    return rc;
}

/* ---- the verdict ----------------------------------------------------------------------------- */

/* Whether losses of this canary show how far the cut reached. If direct overwrites are not
 * made in place, the kernel may lose what the drive has kept. */
static bool canary_counts(const struct check *c, unsigned method)
{
    return method != METHOD_DRIVE || c->ledger.header.drive_is_in_place;
}

/* Number of files that were synced without their directory, and about which something is known. */
static uint64_t new_names(const struct findings *f)
{
    const struct tally *t = &f->methods[METHOD_NEW_NAME];
    return t->found[FOUND_KEPT] + t->found[FOUND_MISSING];
}

static void find_verdict(struct check *c)
{
    const struct tally *drive = &c->findings.methods[METHOD_DRIVE];
    const struct tally *plain = &c->findings.methods[METHOD_PLAIN];
    const struct tally *atomic = &c->findings.methods[METHOD_ATOMIC];
    const struct tally *sum = &c->findings.sum;
    uint64_t promises = c->ledger.promised;
    bool is_drive_cut = drive->lost > 0 && canary_counts(c, METHOD_DRIVE) && !c->is_same_mount;
    bool is_cut = drive->lost + c->findings.methods[METHOD_CACHED].lost > 0;
    c->layer = is_drive_cut ? LAYER_DRIVE : is_cut ? LAYER_HOST : LAYER_NONE;
    const char *unknown = NULL; /* why nothing is known, even if nothing is lost */
    if (promises == 0)
        unknown = "The log has no promises.";
    else if (c->is_same_mount)
        unknown = "The filesystem has not been unmounted since the promises were made (the boot "
                  "id is still the same): what the kernel remembers was read, which says nothing "
                  "about the drive.";
    else if (c->layer == LAYER_NONE && c->is_same_boot)
        unknown = "The system has not been restarted since the promises were made (its boot id is "
                  "still the same), and not even writes that were never synced are lost: nothing "
                  "was cut.";
    else if (c->layer == LAYER_NONE)
        unknown = "Nothing is lost, not even writes that were never synced: nothing shows that "
                  "anything was cut.";
    c->verdict = c->gone || sum->lost > 0           ? VERDICT_LOST
                 : sum->found[FOUND_UNREADABLE] > 0 ? VERDICT_UNREADABLE
                 : unknown                          ? VERDICT_NOT_KNOWN
                                                    : VERDICT_KEPT;
    if (c->gone)
        label_add(&c->reason, "The directory %s %s, with all of %" PRIu64 " promises.",
                  c->ledger.header.directory, c->gone, promises);
    else if (c->verdict == VERDICT_LOST)
        label_add(&c->reason, "%" PRIu64 " of %" PRIu64 " units are not as promised.", sum->lost,
                  sum->units);
    else if (c->verdict == VERDICT_UNREADABLE)
        label_add(&c->reason, "%" PRIu64 " promised units cannot be read (%s).",
                  sum->found[FOUND_UNREADABLE],
                  c->findings.error == EIO ? "EIO" : portable_reason(c->findings.error));
    else if (c->verdict == VERDICT_NOT_KNOWN)
        label_add(&c->reason, "%s", unknown);
    else
        label_add(&c->reason, "%" PRIu64 " promises of %" PRIu64 " units, none lost.", promises,
                  sum->units);
    c->answer_length = strlen(c->reason.text);
    if (c->gone)
        label_add(&c->reason, " It was durable before the first of them.");
    if (c->gone || (c->verdict != VERDICT_KEPT && c->verdict != VERDICT_LOST))
        return;
    /* how far the cut reached, as far as the canaries show */
    if (c->layer == LAYER_NONE)
        label_add(&c->reason, " No canary is lost: something other than a cut may have done it.");
    else if (!c->ledger.units[METHOD_DRIVE])
        label_add(&c->reason, " The drive was not tested: unflushed writes do not work here.");
    else if (!canary_counts(c, METHOD_DRIVE))
        label_add(&c->reason, " The drive was not tested: where unflushed writes go is not known.");
    else
        label_add(&c->reason,
                  " The drive was %stested: %" PRIu64 " of %" PRIu64
                  " unflushed canaries were lost.",
                  c->layer == LAYER_DRIVE ? "" : "not ", drive->lost, drive->units);
    if (atomic->units == 0)
        return;
    /* where the cut tore no plain write either, that no atomic one is torn says little */
    char torn[UNITS_TEXT] = "none";
    if (atomic->found[FOUND_TORN] > 0)
        snprintf(torn, sizeof torn, "%" PRIu64, atomic->found[FOUND_TORN]);
    label_add(&c->reason, " With RWF_ATOMIC (%s), %s of %" PRIu64 " units torn; ",
              whole_sizes_words(&c->ledger.header.whole).text, torn, atomic->units);
    if (plain->found[FOUND_TORN] > 0)
        label_add(&c->reason, "of plain ones, %" PRIu64 " of %" PRIu64 ".",
                  plain->found[FOUND_TORN], plain->units);
    else
        label_add(&c->reason, "but the cut tore no plain write of these sizes either.");
}

/* The headings of the table of methods, which has a column for each finding that any unit has. */
static const char *const headings[FOUND_UNKNOWN] = {" kept",   " lost", "foreign", " torn",
                                                    "missing", " back", " size",   "unread"};

/* Prints a row of this table: what became of a method's units. */
static void print_row(const char *name, uint64_t promises, const struct tally *t,
                      const struct tally *sum)
{
    printf("%-12s %8" PRIu64 " %5" PRIu64, name, promises, t->units);
    for (unsigned i = 0; i < FOUND_UNKNOWN; i++)
        if (sum->found[i] > 0)
            printf(" %*" PRIu64, (int)strlen(headings[i]), t->found[i]);
    putchar('\n');
}

/* The answer, and where something is lost, or with -v, what became of each method's units, what the
 * canaries and the last seconds show, and facts about what was under way. */
static void print_report(const struct check *c)
{
    const struct ledger *l = &c->ledger;
    const struct header *h = &l->header;
    const struct findings *f = &c->findings;
    const struct overwrites *o = &f->overwrites;
    struct label_text text = {""};
    label_add(&text, "%s: %.*s", verdict_heading(c->verdict, c->layer), (int)c->answer_length,
              c->reason.text);
    label_print(stdout, "", &text);
    if (c->reason.text[c->answer_length])
        print_wrapped(stdout, 0, c->reason.text + c->answer_length + 1);
    if (!c->settings->verbose && verdict_status(c->verdict) != STATUS_NO)
        return;
    putchar('\n');
    label_add(&text, "%s on %s, %s; %u workers, blocks of %u bytes", h->directory,
              *h->device ? h->device : "no block device",
              *h->filesystem ? h->filesystem : "a filesystem that is not known", h->workers,
              h->block_bytes);
    label_print(stdout, "run", &text);
    label_add_list(&text, h->options);
    label_print(stdout, "mounted", &text);
    facts_print(stdout, "in the way", &c->facts);
    if (c->gone)
        return;
    for (unsigned i = 0; i < LAST_SECONDS; i++)
        label_add(&text, "%s%" PRIu64 " of %" PRIu64 " units of the last %u s", i > 0 ? ", " : "",
                  f->sum.last[i].lost, f->sum.last[i].units, i + 1);
    label_print(stdout, "lost", &text);
    for (unsigned method = METHOD_CACHED; method <= METHOD_DRIVE; method++) {
        const struct tally *t = &f->methods[method];
        label_add(&text, "%s%s: ", method > METHOD_CACHED ? "; " : "", methods[method].name);
        if (l->units[method])
            label_add(&text, "%" PRIu64 " of %" PRIu64 " blocks lost%s", t->lost, t->units,
                      canary_counts(c, method) ? "" : ", which are not known to be in place");
        else
            label_add(&text, "not written, it does not work here");
    }
    label_print(stdout, "canaries", &text);
    /* a cut can refute that overwrites are atomic, but never prove it */
    if (o->torn > 0)
        label_add(&text,
                  "of %s are not atomic here: %" PRIu64 " of %" PRIu64
                  " that were under way are torn, at %u bytes",
                  units_bytes(h->block_bytes).text, o->torn, o->under_way, o->torn_at);
    else
        label_add(&text, "no tear in %" PRIu64 " that were under way", o->under_way);
    label_print(stdout, "overwrites", &text);
    if (new_names(f) > 0)
        label_add(&text,
                  "%" PRIu64 " of %" PRIu64 " files that were synced without their directory have "
                  "their name; POSIX promises none",
                  f->methods[METHOD_NEW_NAME].found[FOUND_KEPT], new_names(f));
    label_print(stdout, "new names", &text);
    if (l->damaged > 0 || l->repeated > 0 || l->unfinished)
        label_add(&text, "%" PRIu64 " lines damaged and %" PRIu64 " repeated, which were ignored%s",
                  l->damaged, l->repeated, l->unfinished ? "; it ends within a line" : "");
    label_print(stdout, "log", &text);
    if (f->sum.found[FOUND_UNKNOWN] > 0)
        label_add(&text, "of %" PRIu64 " units, because a later call failed",
                  f->sum.found[FOUND_UNKNOWN]);
    label_print(stdout, "not known", &text);
    printf("\n%-12s promises units", "");
    for (unsigned i = 0; i < FOUND_UNKNOWN; i++)
        if (f->sum.found[i] > 0)
            printf(" %s", headings[i]);
    putchar('\n');
    for (unsigned m = 0; m < METHODS; m++) {
        const struct tally *t = &f->methods[m];
        if (l->units[m] && method_promises(m) &&
            (c->settings->verbose || t->found[FOUND_KEPT] < t->units))
            print_row(methods[m].name, l->promises[m], t, &f->sum);
    }
    print_row("all methods", l->promised, &f->sum, &f->sum);
    if (f->loss_count > 0)
        printf("\nThe first %u that are not known to be as promised:\n", f->loss_count);
    for (const struct loss *loss = f->losses; loss < f->losses + f->loss_count; loss++) {
        const struct sight *s = &loss->sight;
        label_add(&text, "%s at %" PRIu64 ": %s%s%s%s", loss->file, s->offset,
                  finding_names[s->finding], s->detail ? " (" : "", s->detail ? s->detail : "",
                  s->detail ? ")" : "");
        label_add(&text, ", version %" PRIu64 " promised %s before the end", loss->promised,
                  units_time(loss->before_end_us * 1000).text);
        if (s->has_version)
            label_add(&text, ", %" PRIu64 " found", s->found);
        fputs("  ", stdout);
        print_wrapped(stdout, 2, text.text);
        text = (struct label_text){""};
    }
}

static json_t *recent_json(const struct recent_units *r)
{
    json_t *object = json_object();
    PUT_COUNTS(&object, {"units", r->units}, {"lost", r->lost});
    return object;
}

static json_t *tally_json(const char *name, uint64_t promises, const struct tally *t)
{
    json_t *object = json_object();
    json_t *last = json_array();
    put_text(&object, "name", name);
    PUT_COUNTS(&object, {"promises", promises}, {"units", t->units});
    for (unsigned i = 0; i < FINDINGS; i++)
        put_count(&object, finding_names[i], t->found[i]);
    for (unsigned i = 0; i < LAST_SECONDS; i++)
        append_value(&last, recent_json(&t->last[i]));
    put_value(&object, "last_seconds", last);
    return object;
}

static json_t *report_json(const struct check *c)
{
    const struct ledger *l = &c->ledger;
    const struct header *h = &l->header;
    const struct findings *f = &c->findings;
    char id[UNITS_TEXT];
    json_t *settings = json_object();
    json_t *run = json_object();
    json_t *log = json_object();
    json_t *by_method = json_array();
    json_t *canaries = json_array();
    json_t *overwrites = json_object();
    json_t *names = json_object();
    json_t *tenths = json_array();
    json_t *losses = json_array();
    put_text(&settings, "directory", c->settings->directory);
    put_flag(&settings, "unmounted", c->settings->is_unmounted);
    put_flag(&settings, "trust_directory", c->settings->trusts_directory);
    json_t *object = document_begin(&(struct document){
        .format = "boncut-check",
        .elapsed_seconds = (double)(clock_ns() - c->begun_ns) / BILLION,
        .storage = storage_json(&c->mount, &c->devices, &c->facts),
        .settings = settings,
        .verdict = verdict_names[c->verdict],
        .reason = c->reason.text,
    });
    put_text(&object, "layer_cut", layer_names[c->layer]);
    put_flag(&object, "same_boot", c->is_same_boot);
    put_flag(&object, "same_mount", c->is_same_mount);
    put_flag(&object, "directory_gone", c->gone);
    put_count(&object, "page_cache_bytes", c->resident_bytes);
    snprintf(id, sizeof id, "%016llx", (unsigned long long)h->run);
    put_text(&run, "id", id);
    put_count(&run, "seed", h->seed);
    put_text(&run, "directory", h->directory);
    put_known(&run, "device", h->device);
    put_known(&run, "filesystem", h->filesystem);
    put_text(&run, "mount_options", h->options);
    put_text(&run, "kernel", h->kernel);
    PUT_COUNTS(&run, {"workers", h->workers}, {"units", h->units}, {"block_bytes", h->block_bytes});
    put_time(&run, "start_time", h->time);
    put_real(&run, "elapsed_seconds", (double)l->last_us / MILLION);
    put_value(&object, "run", run);
    PUT_COUNTS(&log, {"lines", l->lines}, {"damaged", l->damaged}, {"repeated", l->repeated});
    put_flag(&log, "ends_within_line", l->unfinished);
    put_value(&object, "log", log);
    for (unsigned method = 0; method < METHODS; method++) {
        const struct tally *t = &f->methods[method];
        const char *name = methods[method].name;
        if (l->units[method] && method_promises(method))
            append_value(&by_method, tally_json(name, l->promises[method], t));
        if (!l->units[method] || !methods[method].is_canary)
            continue;
        json_t *canary = json_object();
        put_text(&canary, "name", name);
        PUT_COUNTS(&canary, {"writes", l->promises[method]}, {"blocks", t->units},
                   {"lost", t->lost}, {"torn", t->found[FOUND_TORN]});
        put_flag(&canary, "counts", canary_counts(c, method));
        append_value(&canaries, canary);
    }
    put_value(&object, "methods", by_method);
    put_value(&object, "sum", tally_json("sum", l->promised, &f->sum));
    put_value(&object, "canaries", canaries);
    PUT_COUNTS(&overwrites, {"under_way", f->overwrites.under_way}, {"torn", f->overwrites.torn});
    put_known_count(&overwrites, "torn_at_bytes", f->overwrites.torn_at);
    put_value(&object, "overwrites", overwrites);
    PUT_COUNTS(&names, {"synced", new_names(f)},
               {"present", f->methods[METHOD_NEW_NAME].found[FOUND_KEPT]});
    put_value(&object, "new_names", names);
    for (unsigned i = 0; i < RECENT_BINS; i++)
        append_value(&tenths, recent_json(&f->bins[i]));
    put_value(&object, "last_tenths", tenths);
    for (const struct loss *loss = f->losses; loss < f->losses + f->loss_count; loss++) {
        const struct sight *s = &loss->sight;
        json_t *one = json_object();
        put_text(&one, "method", methods[loss->method].name);
        put_text(&one, "file", loss->file);
        put_count(&one, "offset_bytes", s->offset);
        put_text(&one, "finding", finding_names[s->finding]);
        put_fact(&one, "detail", s->detail);
        put_count(&one, "promised", loss->promised);
        put_value(&one, "found", s->has_version ? json_integer((json_int_t)s->found) : json_null());
        put_real(&one, "seconds_before_end", (double)loss->before_end_us / MILLION);
        append_value(&losses, one);
    }
    put_value(&object, "losses", losses);
    return object;
}

int boncut_check(const struct settings *s, struct err *e)
{
    static struct check check; /* static: its tallies are too large for a stack */
    check.settings = s;
    check.begun_ns = clock_ns();
    int rc = ledger_read(&check.ledger, STDIN_FILENO, e);
    if (rc == 0)
        rc = s->is_unmounted ? judge_unmounted(&check, s->directory, e)
                             : judge_mounted(&check, s->directory, e);
    if (rc == 0) {
        if (check.resident_bytes > 0)
            message("%s of the files stayed in the page cache: what was read may not be what is "
                    "stored",
                    units_bytes(check.resident_bytes).text);
        find_verdict(&check);
        if (s->json)
            rc = document_print(report_json(&check), e);
        else
            print_report(&check);
    }
    if (rc == 0 && (rc = verdict_status(check.verdict)) != 0 && !answer_is_shown(!s->json))
        err_say(e, "%s: %s", verdict_heading(check.verdict, check.layer), check.reason.text);
    ledger_release(&check.ledger);
    return rc;
}
