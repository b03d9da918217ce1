// SPDX-License-Identifier: GPL-2.0-or-later
/* A user's own profile: accepted values are within the limits, and refusals have a reason. */
#include <errno.h>

#include "bonload/profiles/profile.h"
#include "fuzz.h"
#include "util/units.h"

static void must_be_possible(const struct profile *p, const struct profile_step steps[])
{
    for (unsigned i = 0; i < PROFILE_STEPS && steps[i].act != ACT_NONE; i++) {
        const struct profile_step *s = &steps[i];
        MUST(s->file < PROFILE_FILES);
        const struct profile_file *f = &p->files[s->file];
        MUST(f->kind != PROFILE_NO_FILE && f->name && f->bytes > 0 && f->unit > 0 && f->count > 0);
        MUST((s->act != ACT_APPEND && s->act != ACT_COMMIT) ||
             (f->kind == PROFILE_LOG && s->bytes > 0 && s->bytes <= f->bytes));
        MUST((s->act != ACT_DELIVER && s->act != ACT_EXPIRE) || f->kind == PROFILE_MAILBOX);
        MUST(s->act < ACT_READ || s->act > ACT_WRITE_RUN ||
             (f->kind == PROFILE_PAGES && s->count > 0 && f->bytes >= f->unit));
    }
}

static void must_be_judgeable(const struct profile *p)
{
    for (unsigned i = 0; i < PROFILE_LIMITS && p->limits[i].name; i++) {
        const struct profile_limit *l = &p->limits[i];
        MUST(l->percent > 0 && l->percent <= 100 && l->nanoseconds > 0);
        MUST(l->on == LIMIT_ON_SYNC || (l->on < PROFILE_WORKS && p->works[l->on].name));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    struct profile p;
    struct err e;
    err_init(&e);
    if (profile_parse(&p, text, &e) == 0) {
        MUST(p.name && p.steps[0].act != ACT_NONE && p.clients > 0 && profile_bytes(&p) <= TIB);
        must_be_possible(&p, p.steps);
        for (unsigned i = 0; i < PROFILE_WORKS && p.works[i].name; i++) {
            MUST(p.works[i].period_ns > 0 || p.works[i].every > 0);
            must_be_possible(&p, p.works[i].steps);
        }
        must_be_judgeable(&p);
    } else {
        MUST(e.code == EINVAL && e.text[0] != '\0');
    }
    free(text);
    return 0;
}
