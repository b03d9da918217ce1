// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonwhy/profile.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/assume.h"
#include "util/printable.h"
#include "util/units.h"

/* The calls become steps, of which several writes of one file in a row are one. They are cut into
 * cycles behind each step of some kind ("sync of the log"), whichever makes most cycles alike. */

/* What the files of a profile stand for: it has four at most. */
enum { ROLE_CREATED, ROLE_FIRST, ROLE_SECOND, ROLE_OTHERS, ROLES, ROLE_DIRECTORY = ROLES };
static const char *const role_names[] = {"new", "first", "second", "others"};

/* The steps but for those that write. */
static const char *const act_names[] = {[NOTE_CREATE] = "create",
                                        [NOTE_SYNC] = "sync",
                                        [NOTE_SYNC_ALL] = "sync-all",
                                        [NOTE_RENAME] = "rename",
                                        [NOTE_REMOVE] = "remove"};

/* The states of a log. */
static const char *const state_names[] = {"recycled", "preallocated", "grows"};

struct step {
    uint8_t act;
    uint8_t role;
    uint16_t key;    /* act and role in one number */
    uint32_t writes; /* that it consists of */
    uint64_t bytes;
    uint64_t at; /* offset, or NOTE_NEXT */
};

#define KEYS 64

struct role {
    int file; /* a file that has it; -1: none */
    uint64_t puts;
    uint64_t in_order; /* of these: where the last one ended, or from its last page on */
    uint64_t bytes;    /* of all of them */
    uint64_t end;      /* of the last one */
    uint64_t size;     /* largest end */
    bool has_sync_all;
};

/* The cycles of a stream of steps. */
struct cycles {
    const struct step *steps;
    size_t first;    /* the first step of one that is like most others */
    unsigned length; /* in steps */
    size_t alike;    /* their number */
    size_t all;      /* number of cycles */
    size_t covered;  /* number of steps in those that are alike */
    size_t looked_at;
    unsigned key; /* of the step that ends a cycle */
};

/* Longer cycles are not looked at; bonload's profiles have no more steps. */
#define MAX_STEPS 32

/* Fewest cycles of which something can be said, and the share of the steps that has to fit. */
#define CYCLES_LEAST  5
#define COVERED_LEAST 0.8
#define BESIDE_LEAST  0.5

/* The most that one step of a profile may write. */
#define MAX_STEP_BYTES (1U << 20)

static bool is_alike(const struct step *a, const struct step *b, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (a[i].key != b[i].key)
            return false;
    return true;
}

/* Cuts the steps behind each one with this key. Of the kinds of cycles, takes the most frequent. */
static struct cycles cut(const struct step steps[], size_t count, unsigned key)
{
    enum { KINDS = 64 };
    struct {
        size_t first, length, number;
    } kinds[KINDS] = {{0}};
    struct cycles c = {.steps = steps, .key = key};
    size_t first = 0;
    while (first < count && steps[first].key != key)
        first++;
    for (size_t begin = ++first, i = begin; i < count; i++) {
        unsigned kind = 0;
        if (steps[i].key != key)
            continue;
        size_t length = i + 1 - begin;
        while (kind < KINDS && kinds[kind].number > 0 &&
               (kinds[kind].length != length ||
                !is_alike(&steps[kinds[kind].first], &steps[begin], length)))
            kind++;
        if (kind < KINDS) {
            kinds[kind].first = kinds[kind].number++ == 0 ? begin : kinds[kind].first;
            kinds[kind].length = length;
            if (length <= MAX_STEPS && kinds[kind].number * length > c.covered) {
                c.first = kinds[kind].first;
                c.length = (unsigned)length;
                c.alike = kinds[kind].number;
                c.covered = c.alike * length;
            }
        }
        c.all++;
        begin = i + 1;
        c.looked_at = begin - first;
    }
    return c;
}

static double share(const struct cycles *c)
{
    return c->looked_at > 0 ? (double)c->covered / (double)c->looked_at : 0;
}

/* The best way to cut; of equal ones, one whose cycles begin with a file that is created. */
static struct cycles find_cycles(const struct step steps[], size_t count)
{
    struct cycles best = {.steps = steps};
    bool is_there[KEYS] = {false};
    for (size_t i = 0; i < count; i++)
        is_there[steps[i].key] = true;
    for (unsigned key = KEYS; key-- > 0;) { /* an end rather than a beginning, where equal */
        struct cycles c = is_there[key] ? cut(steps, count, key) : best;
        bool creates = c.length > 0 && steps[c.first].act == NOTE_CREATE;
        double more = share(&c) - share(&best);
        bool stores = false; /* names alone are not what a storage is asked for */
        for (size_t i = c.first; i < c.first + c.length; i++)
            stores |= steps[i].act != NOTE_RENAME && steps[i].act != NOTE_REMOVE;
        if (is_there[key] && stores && c.alike >= CYCLES_LEAST &&
            (more > 0.01 || (more > -0.01 && creates && steps[best.first].act != NOTE_CREATE)))
            best = c;
    }
    return best;
}

/* Writes the steps of a cycle, with the means of all that are alike. */
static void print_cycle(FILE *out, const struct cycles *c, size_t count, size_t from,
                        unsigned length, const struct role roles[], const uint64_t units[])
{
    uint64_t bytes[MAX_STEPS] = {0};
    uint64_t writes[MAX_STEPS] = {0};
    size_t number = 0;
    for (size_t i = c->first < from ? c->first : from; i + length <= count; i++) {
        if ((i > 0 && c->steps[i - 1].key != c->key) ||
            !is_alike(&c->steps[i], &c->steps[from], length))
            continue;
        for (unsigned k = 0; k < length; k++) {
            bytes[k] += c->steps[i + k].bytes;
            writes[k] += c->steps[i + k].writes;
        }
        number++;
    }
    ASSUME(number > 0); /* the cycle at `from` is like itself */
    for (unsigned k = 0; k < length; k++) {
        const struct step *s = &c->steps[from + k];
        uint64_t mean = (bytes[k] + number / 2) / number;
        uint64_t calls = (writes[k] + number / 2) / number;
        mean = mean > MAX_STEP_BYTES ? MAX_STEP_BYTES : mean > 0 ? mean : 1;
        fputs(k > 0 ? "; " : " ", out);
        if (s->role == ROLE_DIRECTORY)
            fputs("sync-dir", out);
        else if (s->act != NOTE_PUT)
            fprintf(out, "%s %s%s", act_names[s->act], role_names[s->role],
                    s->act == NOTE_RENAME ? " renamed" : "");
        else if (units[s->role] > 0)
            fprintf(out, "write %s %" PRIu64, role_names[s->role], calls > 4096 ? 4096 : calls);
        else if (s->role != ROLE_CREATED && !roles[s->role].has_sync_all)
            fprintf(out, "append %s %" PRIu64, role_names[s->role], mean);
        else if (s->role == ROLE_CREATED && s->at != NOTE_NEXT)
            fprintf(out, "put %s %" PRIu64 " %" PRIu64, role_names[s->role], s->at, mean);
        else
            fprintf(out, "put %s next %" PRIu64, role_names[s->role], mean);
    }
    fputc('\n', out);
}

/* Whether it is one of many files that are created, and soon closed. */
static bool is_brief(const struct watch *w, const struct note *n)
{
    return n->file == FILE_CREATED || (n->file >= 0 && w->files[n->file].is_brief);
}

/* Gives roles to the two files with most calls, and turns the notes into steps. */
static size_t make_steps(const struct watch *w, struct step steps[], struct role roles[ROLES])
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
        struct role *r = role < ROLES ? &roles[role] : NULL;
        if (r && n->act == NOTE_CREATE)
            r->end = 0;
        if (r && n->act == NOTE_SYNC_ALL)
            r->has_sync_all = true;
        if (r && n->act == NOTE_PUT) {
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

/* Writes the line of a file, and sets the unit of its pages; 0: it is written in order. */
static void print_file(FILE *out, const struct watch *w, unsigned role, const struct role *r,
                       uint64_t *unit)
{
    const struct file *f = &w->files[r->file];
    uint64_t size = r->size > f->bytes ? r->size : f->bytes;
    if (role == ROLE_FIRST || role == ROLE_SECOND)
        fprintf(out, "# %s is %s\n", role_names[role], printable(f->path).text);
    if (role == ROLE_CREATED) {
        fprintf(out, "file %s %" PRIu64 "\n", role_names[role], r->size > 0 ? r->size : 4096);
    } else if (r->puts > 0 && (double)r->in_order < 0.5 * (double)r->puts) {
        *unit = (r->bytes / r->puts + 4095) / 4096 * 4096;
        *unit = *unit < 4096 ? 4096 : *unit > MAX_STEP_BYTES ? MAX_STEP_BYTES : *unit;
        size = size < *unit ? *unit : size > (1U << 30) ? (1U << 30) : size / *unit * *unit;
        fprintf(out, "pages %s %" PRIu64 " unit=%" PRIu64 "\n", role_names[role], size, *unit);
    } else {
        bool grows = 2 * (size - f->bytes) > r->bytes;
        size = size < MAX_STEP_BYTES        ? MAX_STEP_BYTES
               : size > 64 * MAX_STEP_BYTES ? 64 * MAX_STEP_BYTES
                                            : size;
        if (r->has_sync_all)
            fprintf(out, "file %s %" PRIu64 "\n", role_names[role], size);
        else
            fprintf(out, "log %s %" PRIu64 " count=2 %s\n", role_names[role], size,
                    state_names[grows ? 2 : f->is_reserved]);
    }
}

/* Finds what some cycles do before they do what the others do, as a checkpoint does. Sets its first
 * step and its length. Returns the number of these cycles. */
static size_t find_more(const struct cycles *c, size_t count, size_t *first, unsigned *length)
{
    size_t number = 0;
    *length = 0;
    for (size_t begin = c->first, i = begin; i < count; i++) {
        size_t whole = i + 1 - begin;
        if (c->steps[i].key != c->key)
            continue;
        if (whole > c->length && whole - c->length <= MAX_STEPS &&
            is_alike(&c->steps[i + 1 - c->length], &c->steps[c->first], c->length)) {
            bool is_first = number == 0;
            if (is_first) {
                *first = begin;
                *length = (unsigned)(whole - c->length);
            }
            number += is_first || (whole - c->length == *length &&
                                   is_alike(&c->steps[*first], &c->steps[begin], *length));
        }
        begin = i + 1;
    }
    return number;
}

/* Notes which roles some steps are about. Returns whether one of them gives a file another name. */
static bool use_roles(bool used[static ROLES + 1], const struct step steps[], unsigned length)
{
    bool renames = false;
    for (unsigned i = 0; i < length; i++) {
        used[steps[i].role] = true;
        renames |= steps[i].act == NOTE_RENAME;
    }
    return renames;
}

/* The steps of a profile, and of each role in it alone. */
struct stream {
    struct step *steps;
    size_t count;
    size_t syncs;
    struct cycles cycles;
};

int profile_write(FILE *out, const struct watch *w, const char *target, uint64_t elapsed_ns,
                  struct err *e)
{
    struct role roles[ROLES] = {{0}};
    uint64_t units[ROLES + 1] = {0};
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
    all.cycles = find_cycles(all.steps, all.count);
    size_t more = find_more(&all.cycles, all.count, &first, &length);
    double fits = share(&all.cycles) + (all.cycles.looked_at > 0
                                            ? (double)(more * (length + all.cycles.length)) /
                                                  (double)all.cycles.looked_at
                                            : 0);
    if (fits < COVERED_LEAST) { /* the files may have rhythms of their own */
        more = 0;
        main = &of[0];
        for (unsigned role = 0; role < ROLES; role++) {
            struct stream *one = &of[role];
            if (role > 0)
                one->steps = of[role - 1].steps + of[role - 1].count;
            for (size_t i = 0; i < all.count; i++)
                if (all.steps[i].role == role) {
                    one->syncs +=
                        all.steps[i].act == NOTE_SYNC || all.steps[i].act == NOTE_SYNC_ALL;
                    one->steps[one->count++] = all.steps[i];
                }
            one->cycles = find_cycles(one->steps, one->count);
            main = one->syncs > main->syncs ? one : main;
        }
        fits = share(&main->cycles);
    }
    const struct cycles *c = &main->cycles;
    if (rc == 0 && (c->length == 0 || fits < COVERED_LEAST))
        rc = err_say(e,
                     "--profile: the calls of %s do not repeat: of %zu steps that change files, "
                     "%.0f %% are in cycles that are alike",
                     target, all.count, c->length == 0 ? 0 : 100 * fits);
    if (rc == 0) {
        bool used[ROLES + 1] = {false};
        const char *name = strrchr(target, '/') ? strrchr(target, '/') + 1 : target;
        fputs("name ", out);
        for (const char *at = name; *at; at++)
            fputc(isalnum((unsigned char)*at) || strchr("-._", *at) ? *at : '-', out);
        fprintf(out, "\n# what bonwhy saw in %s; %.0f %% of the steps fit\n",
                units_time(elapsed_ns).text, 100 * fits);
        for (unsigned i = 0; call_kinds[i].name; i++) {
            const struct histogram *h = &w->stats[i].latencies;
            if (call_kinds[i].type == CALL_SYNC)
                synced_ns += h->sum;
            if (h->count > 0 && call_kinds[i].note == NOTE_NONE)
                fprintf(out, "# not in it: %" PRIu64 " %s\n", h->count, call_kinds[i].name);
            else if (h->count > 0 && call_kinds[i].type == CALL_SYNC)
                fprintf(out, "# seen: %" PRIu64 " %s, half of them took %s or more\n", h->count,
                        call_kinds[i].name, units_time(histogram_percentile(h, 50)).text);
        }
        bool renames = use_roles(used, &c->steps[c->first], c->length);
        if (more > 0)
            use_roles(used, &c->steps[first], length);
        for (unsigned role = 0; role < ROLES && main != &all; role++) {
            const struct cycles *one = &of[role].cycles;
            if (share(one) >= BESIDE_LEAST)
                use_roles(used, &one->steps[one->first], one->length);
        }
        for (unsigned role = 0; role < ROLES; role++)
            if (used[role] && roles[role].file >= 0)
                print_file(out, w, role, &roles[role], &units[role]);
        if (renames)
            fprintf(out, "file renamed %" PRIu64 "\n", roles[ROLE_CREATED].size);
        fputs("request:", out);
        print_cycle(out, c, main->count, c->first, c->length, roles, units);
        if (more > 0) {
            fprintf(out, "every more %zu:", (c->all + more / 2) / more);
            print_cycle(out, c, main->count, first, length, roles, units);
        }
        for (unsigned role = 0; role < ROLES && main != &all; role++) {
            const struct cycles *other = &of[role].cycles;
            if (&of[role] == main || of[role].count == 0)
                continue;
            if (share(other) < BESIDE_LEAST) {
                fprintf(out, "# not in it: %zu steps on %s, which do not repeat\n", of[role].count,
                        role_names[role]);
                continue;
            }
            fprintf(out, "beside %s %" PRIu64 "us:", role_names[role],
                    elapsed_ns / other->all / 1000 + 1);
            print_cycle(out, other, of[role].count, other->first, other->length, roles, units);
        }
        /* one that mostly waits for its syncs makes the next request when one has ended */
        uint64_t rate = (uint64_t)((double)c->all * 1e9 / (double)elapsed_ns + 0.5);
        if (2 * synced_ns > elapsed_ns || c->all == 0)
            fputs("clients 1\n", out);
        else
            fprintf(out, "load %" PRIu64 "\n", rate > 0 ? rate : 1);
    }
    free(all.steps);
    free(of[0].steps);
    return rc;
}
