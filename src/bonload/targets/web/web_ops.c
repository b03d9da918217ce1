#include "bonload/targets/web/web.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/go_units.h"
#include "util/units.h"

#define DEFAULT_OPS "get,put"

static bool method_writes(enum web_method method)
{
    return method_sends(method) || method == METHOD_DELETE;
}

/* Takes ":range=SIZE", from `range` on, out of the item of get, which must be the only one. */
static int take_range(struct plan *p, const char *list, char *range, struct err *e)
{
    char *value = range + strlen(":range=");
    char *end = value + strcspn(value, ":,");
    char after = *end;
    const char *item = list;
    unsigned gets = 0;
    for (const char *at = list; at; at = strchr(at, ',')) {
        at += *at == ',';
        gets += strncmp(at, "get", 3) == 0;
        item = at < range ? at : item;
    }
    *end = '\0';
    if (strncmp(item, "get:", 4) != 0 || go_parse_size(value, &p->range_bytes) != 0 ||
        p->range_bytes == 0 || p->range_bytes > TIB)
        return err_say(e,
                       "-ops: '%.100s' is not accepted; expected get:range=SIZE or "
                       "get:WEIGHT:range=SIZE, with a size from 1 to 1TiB",
                       item);
    if (gets > 1)
        return err_say(e, "-ops: get with a range is accepted once, and not beside another get");
    *end = after;
    memmove(range, end, strlen(end) + 1);
    return 0;
}

/* Parses -ops, with the range. */
static int parse_ops(struct plan *p, struct mix *mix, const char *ops, struct err *e)
{
    char *list = strdup(ops);
    if (!list)
        return err_system(e, ENOMEM, "memory for -ops");
    char *range = strstr(list, ":range=");
    int rc = range ? take_range(p, list, range, e) : 0;
    if (rc == 0)
        rc = mix_parse(mix, list, p->target->ops, "-ops", e);
    free(list);
    return rc;
}

/*
 * Divides the operations among reads and writes. Sets p->has_changes if a write may change what a
 * put has stored.
 */
static void divide_ops(struct plan *p, const struct mix *all)
{
    const struct web_dialect *dialect = p->target->dialect;
    for (unsigned op = 0; p->target->ops[op]; op++) {
        enum web_method method = dialect->methods[op];
        enum load_kind kind = method_writes(method) ? LOAD_WRITE : LOAD_READ;
        p->ops[kind].weights[op] = all->weights[op];
        p->ops[kind].sum += all->weights[op];
        if (method_changes(method) && all->weights[op] > 0 && plan_has(p, LOAD_WRITE))
            p->has_changes = true;
    }
}

/* Refuses what needs known contents: after post or patch, only the server knows them. */
static int check_changes(struct plan *p, const struct settings *s, struct err *e)
{
    if (s->verify != VERIFY_MODES && s->verify != VERIFY_OFF)
        return err_say(e, "-verify: what an object contains after post or patch is not known");
    if (s->cleanup && p->puts_nothing)
        return err_say(e, "-cleanup removes what put has written, but -ops has no put");
    p->verify = VERIFY_OFF;
    return 0;
}

/* Refuses sizes beside bodies from files, which have the sizes of their files. */
static int check_bodies(const struct settings *s, struct err *e)
{
    bool has_sizes =
        s->body_size.given || s->min_body_size.given || s->max_body_size.given || s->fair_random;
    if (s->body_file && s->body_source)
        return err_say(e, "-body-file and -body-source cannot be combined");
    if ((s->body_file || s->body_source) && has_sizes)
        return err_say(e, "-body-file and -body-source take the sizes of the files, and cannot be "
                          "combined with other sizes");
    return 0;
}

int web_check(struct plan *p, const struct settings *s, struct err *e)
{
    static const char *const missing[LOAD_KINDS] = {
        [LOAD_WRITE] = "-ops has nothing that writes, but writes are asked for (-wt=0 or -wps=0 "
                       "turns them off)",
        [LOAD_READ] =
            "-ops has nothing that reads, but reads are asked for (-rt=0 or -rps=0 turns them off)",
    };
    struct mix all = {0};
    int rc = parse_ops(p, &all, s->ops ? s->ops : DEFAULT_OPS, e);
    if (rc == 0)
        divide_ops(p, &all);
    for (enum load_kind kind = 0; rc == 0 && kind < LOAD_KINDS; kind++)
        if (plan_has(p, kind) && p->ops[kind].sum == 0)
            rc = err_say(e, "%s", missing[kind]);
    p->puts_nothing = plan_has(p, LOAD_WRITE) && p->ops[LOAD_WRITE].weights[WEB_PUT] == 0;
    if (rc == 0 && p->puts_nothing && p->reads_per_write > 0)
        rc = err_say(e, "-rpw makes reads follow writes, but -ops has no put");
    if (rc == 0 && p->has_changes)
        rc = check_changes(p, s, e);
    if (rc == 0)
        rc = check_bodies(s, e);
    return rc;
}

void web_choose(void *shared, struct request *r, uint64_t random)
{
    const struct web_shared *s = shared;
    const struct plan *p = s->setup.plan;
    const struct mix *mix = &p->ops[r->kind];
    r->op = mix_at(mix, random % mix->sum);
    enum web_method method = s->dialect->methods[r->op];
    r->removes = method == METHOD_DELETE;
    r->changes = method_changes(method) && !p->puts_nothing;
}
