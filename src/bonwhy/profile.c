// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonwhy/watch.h"

#include <ctype.h>

#include "util/units.h"

/* The calls become steps, of which several writes of one file in a row are one. They are cut into
 * cycles behind each step of some kind ("sync of the log"), whichever makes most cycles alike. */

/* What the files of a profile stand for: it has four at most. */
enum { ROLE_CREATED, ROLE_FIRST, ROLE_SECOND, ROLE_OTHERS, ROLES, ROLE_DIRECTORY = ROLES };
static const char *const role_names[] = {"new", "first", "second", "others", "directory"};

/* The steps but for those that write. */
static const char *const act_names[] = {[NOTE_CREATE] = "create",
                                        [NOTE_SYNC] = "sync",
                                        [NOTE_SYNC_ALL] = "sync-all",
                                        [NOTE_RENAME] = "rename",
                                        [NOTE_REMOVE] = "remove"};

#define KEYS 64

struct step {
    uint8_t act;
    uint8_t role;
    uint16_t key;    /* act and role in one number, below KEYS */
    uint32_t writes; /* that it consists of */
    uint64_t bytes;
    uint64_t at; /* offset, or NOTE_NEXT */
};

struct role {
    int file; /* a file that has it; -1: none */
    uint64_t puts;
    uint64_t in_order; /* of these: where the last one ended, or from its last page on */
    uint64_t bytes;    /* of all of them */
    uint64_t end;      /* of the last one */
    uint64_t size;     /* largest end */
    uint64_t unit;     /* of its pages; 0: it is written in order */
    bool has_sync_all;
    bool is_used; /* by a cycle of the profile */
    bool is_renamed;
};

/* Steps of all roles or of one, and the cycles that they are. */
struct stream {
    struct step *steps;
    size_t count;
    size_t syncs;    /* steps that sync */
    unsigned key;    /* of the step that ends a cycle */
    size_t first;    /* the first step of a cycle that is like most others */
    unsigned length; /* in steps; 0: there are no cycles */
    size_t alike;    /* their number */
    size_t all;      /* number of cycles */
    size_t covered;  /* number of steps in those that are alike */
    size_t looked_at;
};

#define MAX_STEPS      32 /* longer cycles are not looked at; bonload's profiles have no more steps */
#define MAX_STEP_BYTES (1U << 20) /* the most that one step of a profile may write */
#define CYCLES_LEAST   5          /* fewest of which something can be said */
#define COVERED_LEAST  0.8        /* share of the steps that has to fit */
#define BESIDE_LEAST   0.5        /* the same, beside others */

static bool is_alike(const struct step *a, const struct step *b, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (a[i].key != b[i].key)
            return false;
    return true;
}

/* Where the cycle ends that begins at `begin`; 0: it has no end. */
static size_t end_of(const struct stream *s, size_t begin)
{
    while (begin < s->count && s->steps[begin].key != s->key)
        begin++;
    return begin < s->count ? begin + 1 : 0;
}

/* Cuts the steps behind each one with this key. Of the kinds of cycles, takes the most frequent. */
static struct stream cut(struct stream s, unsigned key)
{
    enum { KINDS = 64 };
    struct {
        size_t first, length, number;
    } kinds[KINDS] = {{0}};
    struct stream c = {.steps = s.steps, .count = s.count, .syncs = s.syncs, .key = key};
    for (size_t begin = end_of(&c, 0), end; (end = end_of(&c, begin)) != 0; begin = end) {
        size_t length = end - begin;
        unsigned kind = 0;
        while (kind < KINDS && kinds[kind].number > 0 &&
               (kinds[kind].length != length ||
                !is_alike(&c.steps[kinds[kind].first], &c.steps[begin], length)))
            kind++;
        c.all++;
        c.looked_at += length;
        if (kind == KINDS)
            continue;
        kinds[kind].first = kinds[kind].number++ == 0 ? begin : kinds[kind].first;
        kinds[kind].length = length;
        if (length <= MAX_STEPS && kinds[kind].number * length > c.covered) {
            c.first = kinds[kind].first;
            c.length = (unsigned)length;
            c.alike = kinds[kind].number;
            c.covered = c.alike * length;
        }
    }
    return c;
}

static double share(const struct stream *s)
{
    return s->looked_at > 0 ? (double)s->covered / (double)s->looked_at : 0;
}

/* The best way to cut; of equal ones, one whose cycles begin with a file that is created. */
static void find_cycles(struct stream *best)
{
    for (unsigned key = KEYS; key-- > 0;) { /* an end rather than a beginning, where equal */
        struct stream c = cut(*best, key);
        bool creates = c.length > 0 && c.steps[c.first].act == NOTE_CREATE;
        double more = share(&c) - share(best);
        bool stores = false; /* names alone are not what a storage is asked for */
        for (size_t i = c.first; i < c.first + c.length; i++)
            stores |= c.steps[i].act != NOTE_RENAME && c.steps[i].act != NOTE_REMOVE;
        if (stores && c.alike >= CYCLES_LEAST &&
            (more > 0.01 ||
             (more > -0.01 && creates && best->steps[best->first].act != NOTE_CREATE)))
            *best = c;
    }
}

/* Writes the steps of a cycle, or of what comes before one, with the means of all like it. */
static void print_cycle(FILE *out, const struct stream *s, size_t first, unsigned length,
                        const struct role roles[])
{
    uint64_t bytes[MAX_STEPS] = {0}, writes[MAX_STEPS] = {0};
    size_t number = 0;
    for (size_t begin = s->first < first ? s->first : first;
         begin != 0 && begin + length <= s->count; begin = end_of(s, begin)) {
        if (!is_alike(&s->steps[begin], &s->steps[first], length))
            continue;
        for (unsigned k = 0; k < length; k++) {
            bytes[k] += s->steps[begin + k].bytes;
            writes[k] += s->steps[begin + k].writes;
        }
        number++;
    }
    ASSUME(number > 0); /* the cycle at `first` is like itself */
    for (unsigned k = 0; k < length; k++) {
        const struct step *step = &s->steps[first + k];
        const struct role *r = &roles[step->role];
        const char *name = role_names[step->role];
        uint64_t mean = (bytes[k] + number / 2) / number;
        uint64_t calls = (writes[k] + number / 2) / number;
        mean = mean > MAX_STEP_BYTES ? MAX_STEP_BYTES : mean > 0 ? mean : 1;
        fputs(k > 0 ? "; " : " ", out);
        if (step->role == ROLE_DIRECTORY)
            fputs("sync-dir", out);
        else if (step->act != NOTE_PUT)
            fprintf(out, "%s %s%s", act_names[step->act], name,
                    step->act == NOTE_RENAME ? " renamed" : "");
        else if (r->unit > 0)
            fprintf(out, "write %s %" PRIu64, name, calls > 4096 ? 4096 : calls);
        else if (step->role != ROLE_CREATED && !r->has_sync_all)
            fprintf(out, "append %s %" PRIu64, name, mean);
        else if (step->role == ROLE_CREATED && step->at != NOTE_NEXT)
            fprintf(out, "put %s %" PRIu64 " %" PRIu64, name, step->at, mean);
        else
            fprintf(out, "put %s next %" PRIu64, name, mean);
    }
    fputc('\n', out);
}

/* Whether it is one of many files that are created, and soon closed. */
static bool is_brief(const struct watch *w, const struct note *n)
{
    return n->file == FILE_CREATED || (n->file >= 0 && w->files[n->file].is_brief);
}

/* Gives roles to the two files with most calls, and turns the notes into steps. */
static size_t make_steps(const struct watch *w, struct step steps[], struct role roles[])
{
    unsigned calls[MAX_FILES] = {0};
    bool creates = false;
    size_t count = 0;
    for (size_t i = 0; i < w->note_count; i++) {
        const struct note *n = &w->notes[i];
        creates |= is_brief(w, n);
        if (n->file >= 0 && !is_brief(w, n) && !w->files[n->file].is_directory)
            calls[n->file]++;
    }
    for (unsigned role = ROLE_FIRST; role < ROLE_OTHERS; role++) {
        unsigned most = 0;
        for (unsigned i = 1; i < w->file_count; i++)
            most = calls[i] > calls[most] ? i : most;
        roles[role].file = calls[most] > 0 ? (int)most : -1;
        calls[most] = 0;
    }
    roles[ROLE_OTHERS].file = -1;
    for (size_t i = 0; i < w->note_count; i++) {
        const struct note *n = &w->notes[i];
        bool is_named = n->act == NOTE_REMOVE || n->act == NOTE_RENAME;
        unsigned role = ROLE_OTHERS;
        if ((is_named && !creates) || (n->act == NOTE_CREATE && !is_brief(w, n)))
            continue;
        if (is_named || is_brief(w, n))
            role = ROLE_CREATED;
        else if (n->file < 0 || w->files[n->file].is_directory)
            role = ROLE_DIRECTORY;
        else if (n->file == roles[ROLE_FIRST].file)
            role = ROLE_FIRST;
        else if (n->file == roles[ROLE_SECOND].file)
            role = ROLE_SECOND;
        else
            roles[ROLE_OTHERS].file = n->file;
        struct step s = {.act = n->act,
                         .role = (uint8_t)role,
                         .key = (uint16_t)(n->act * 8 + role),
                         .writes = 1,
                         .bytes = n->bytes,
                         .at = NOTE_NEXT};
        struct role *r = &roles[role];
        r->end = n->act == NOTE_CREATE ? 0 : r->end;
        r->has_sync_all |= n->act == NOTE_SYNC_ALL;
        if (n->act == NOTE_PUT) {
            bool is_next = n->at == NOTE_NEXT || n->at == r->end;
            bool is_on = n->at < r->end && n->at + n->bytes >= r->end;
            s.at = is_next ? NOTE_NEXT : n->at;
            r->end = (n->at == NOTE_NEXT ? r->end : n->at) + n->bytes;
            r->size = r->end > r->size ? r->end : r->size;
            r->puts++;
            r->in_order += is_next || is_on;
            r->bytes += n->bytes;
        }
        struct step *last = count > 0 ? &steps[count - 1] : NULL;
        if (last && n->act == NOTE_PUT && last->key == s.key &&
            (role != ROLE_CREATED || s.at == NOTE_NEXT)) {
            last->bytes += s.bytes;
            last->writes++;
        } else {
            steps[count++] = s;
        }
    }
    return count;
}

/* Writes the line of a file, and sets the unit of its pages. */
static void print_file(FILE *out, const struct watch *w, unsigned role, struct role *r)
{
    const char *name = role_names[role];
    const struct file *f = &w->files[r->file];
    uint64_t size = r->size > f->bytes ? r->size : f->bytes;
    if (role == ROLE_FIRST || role == ROLE_SECOND)
        fprintf(out, "# %s is %s\n", name, printable(f->path).text);
    if (role == ROLE_CREATED) {
        fprintf(out, "file %s %" PRIu64 "\n", name, r->size > 0 ? r->size : 4096);
    } else if (r->puts > 0 && (double)r->in_order < 0.5 * (double)r->puts) {
        r->unit = (r->bytes / r->puts + 4095) / 4096 * 4096;
        r->unit = r->unit < 4096 ? 4096 : r->unit > MAX_STEP_BYTES ? MAX_STEP_BYTES : r->unit;
        size = size < r->unit ? r->unit : size > GIB ? GIB : size / r->unit * r->unit;
        fprintf(out, "pages %s %" PRIu64 " unit=%" PRIu64 "\n", name, size, r->unit);
    } else {
        bool grows = 2 * (size - f->bytes) > r->bytes;
        size = size < MAX_STEP_BYTES        ? MAX_STEP_BYTES
               : size > 64 * MAX_STEP_BYTES ? 64 * MAX_STEP_BYTES
                                            : size;
        if (r->has_sync_all)
            fprintf(out, "file %s %" PRIu64 "\n", name, size);
        else
            fprintf(out, "log %s %" PRIu64 " count=2 %s\n", name, size,
                    grows            ? "grows"
                    : f->is_reserved ? "preallocated"
                                     : "recycled");
    }
}

/* Finds what some cycles do before they do what the others do, as a checkpoint does. Sets its first
 * step and its length. Returns the number of these cycles. */
static size_t find_more(const struct stream *s, size_t *first, unsigned *length)
{
    size_t number = 0;
    *length = 0;
    for (size_t begin = s->first, end; (end = end_of(s, begin)) != 0; begin = end) {
        size_t more = end - begin - s->length;
        if (end - begin <= s->length || more > MAX_STEPS ||
            !is_alike(&s->steps[end - s->length], &s->steps[s->first], s->length))
            continue;
        if (number == 0) {
            *first = begin;
            *length = (unsigned)more;
        }
        number += more == *length && is_alike(&s->steps[*first], &s->steps[begin], more);
    }
    return number;
}

static void use_roles(struct role roles[], const struct step steps[], unsigned length)
{
    for (unsigned i = 0; i < length; i++) {
        roles[steps[i].role].is_used = true;
        roles[steps[i].role].is_renamed |= steps[i].act == NOTE_RENAME;
    }
}

int profile_write(FILE *out, const struct watch *w, const char *target, uint64_t elapsed_ns,
                  struct err *e)
{
    struct role roles[ROLES + 1] = {{0}};
    struct stream all = {.steps = malloc((w->note_count + 1) * sizeof *all.steps)};
    struct stream of[ROLES] = {{.steps = malloc((w->note_count + 1) * sizeof *all.steps)}};
    const struct stream *main = &all;
    uint64_t synced_ns = 0; /* how long the target waited for syncs */
    size_t first = 0;
    unsigned length = 0;
    int rc = 0;
    if (all.steps && of[0].steps)
        all.count = make_steps(w, all.steps, roles);
    else
        rc = err_system(e, ENOMEM, "allocate memory for a profile");
    find_cycles(&all);
    size_t more = find_more(&all, &first, &length);
    double fits = share(&all);
    if (all.looked_at > 0)
        fits += (double)(more * (length + all.length)) / (double)all.looked_at;
    if (fits < COVERED_LEAST) { /* the files may have rhythms of their own */
        more = 0;
        main = &of[0];
        for (unsigned role = 0; role < ROLES; role++) {
            struct stream *one = &of[role];
            if (role > 0)
                one->steps = of[role - 1].steps + of[role - 1].count;
            for (size_t i = 0; i < all.count; i++) {
                const struct step *step = &all.steps[i];
                if (step->role != role)
                    continue;
                one->syncs += step->act == NOTE_SYNC || step->act == NOTE_SYNC_ALL;
                one->steps[one->count++] = *step;
            }
            find_cycles(one);
            main = one->syncs > main->syncs ? one : main;
        }
        fits = share(main);
    }
    if (rc == 0 && (main->length == 0 || fits < COVERED_LEAST))
        rc = err_say(e,
                     "--profile: the calls of %s do not repeat: of %zu steps that change files, "
                     "%.0f %% are in cycles that are alike",
                     target, all.count, main->length == 0 ? 0 : 100 * fits);
    if (rc == 0) {
        const char *name = strrchr(target, '/') ? strrchr(target, '/') + 1 : target;
        fputs("name ", out);
        for (const char *at = name; *at; at++)
            fputc(isalnum((unsigned char)*at) || strchr("-._", *at) ? *at : '-', out);
        fprintf(out, "\n# what bonwhy saw in %s; %.0f %% of the steps fit\n",
                units_time(elapsed_ns).text, 100 * fits);
        for (unsigned i = 0; call_kinds[i].name; i++) {
            const struct histogram *h = &w->stats[i].latencies;
            bool syncs = call_kinds[i].type == CALL_SYNC;
            synced_ns += syncs ? h->sum : 0;
            if (h->count > 0 && call_kinds[i].note == NOTE_NONE)
                fprintf(out, "# not in it: %" PRIu64 " %s\n", h->count, call_kinds[i].name);
            else if (h->count > 0 && syncs)
                fprintf(out, "# seen: %" PRIu64 " %s, half of them took %s or more\n", h->count,
                        call_kinds[i].name, units_time(histogram_percentile(h, 50)).text);
        }
        use_roles(roles, &main->steps[main->first], main->length);
        if (more > 0)
            use_roles(roles, &main->steps[first], length);
        for (unsigned role = 0; role < ROLES && main != &all; role++)
            if (share(&of[role]) >= BESIDE_LEAST)
                use_roles(roles, &of[role].steps[of[role].first], of[role].length);
        for (unsigned role = 0; role < ROLES; role++)
            if (roles[role].is_used && roles[role].file >= 0)
                print_file(out, w, role, &roles[role]);
        if (roles[ROLE_CREATED].is_renamed)
            fprintf(out, "file renamed %" PRIu64 "\n", roles[ROLE_CREATED].size);
        fputs("request:", out);
        print_cycle(out, main, main->first, main->length, roles);
        if (more > 0) {
            fprintf(out, "every more %zu:", (main->all + more / 2) / more);
            print_cycle(out, main, first, length, roles);
        }
        for (unsigned role = 0; role < ROLES && main != &all; role++) {
            const struct stream *other = &of[role];
            if (other == main || other->count == 0)
                continue;
            if (share(other) < BESIDE_LEAST) {
                fprintf(out, "# not in it: %zu steps on %s, which do not repeat\n", other->count,
                        role_names[role]);
                continue;
            }
            fprintf(out, "beside %s %" PRIu64 "us:", role_names[role],
                    elapsed_ns / other->all / 1000 + 1);
            print_cycle(out, other, other->first, other->length, roles);
        }
        /* one that mostly waits for its syncs makes the next request when one has ended */
        uint64_t rate = (uint64_t)((double)main->all * 1e9 / (double)elapsed_ns + 0.5);
        if (2 * synced_ns > elapsed_ns || main->all == 0)
            fputs("clients 1\n", out);
        else
            fprintf(out, "load %" PRIu64 "\n", rate > 0 ? rate : 1);
    }
    free(all.steps);
    free(of[0].steps);
    return rc;
}
