// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>
#include <string.h>

#include "bonload/profiles/profile.h"

extern const struct profile profile_etcd;
extern const struct profile profile_maildir;
extern const struct profile profile_mariadb;
extern const struct profile profile_postgres;
extern const struct profile profile_redis;

const struct profile *const profile_table[] = {
    &profile_etcd, &profile_postgres, &profile_mariadb, &profile_redis, &profile_maildir, NULL,
};

size_t profiles_count(void)
{
    size_t count = 0;
    while (profile_table[count])
        count++;
    return count;
}

const struct profile *profile_by_name(const char *name)
{
    const struct profile *const *p = profile_table;
    while (*p && strcmp((*p)->name, name) != 0)
        p++;
    return *p;
}

uint64_t profile_bytes(const struct profile *p)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < PROFILE_FILES; i++) {
        const struct profile_file *f = &p->files[i];
        bytes += f->kind == PROFILE_PAGES ? f->bytes : f->bytes * f->count;
    }
    return bytes;
}

const struct profile_limit *profile_sought_limit(const struct profile *p)
{
    for (unsigned i = 0; i < PROFILE_LIMITS && p->limits[i].name; i++)
        if (p->limits[i].on == LIMIT_ON_SYNC && p->limits[i].percent < 100)
            return &p->limits[i];
    return NULL;
}
