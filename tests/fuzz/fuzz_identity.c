// SPDX-License-Identifier: GPL-2.0-or-later
/* -u and -g, one per line: each gives an identity, or a reason in one line. */
#include <errno.h>

#include "fuzz.h"
#include "sys/privilege.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *user = fuzz_text(data, size);
    char *group = strchr(user, '\n');
    if (group)
        *group++ = '\0';
    struct identity id;
    struct err e;
    err_init(&e);
    if (privilege_resolve(&id, user, group, &e) == 0)
        MUST(id.change && id.uid != (uid_t)-1 && id.gid != (gid_t)-1);
    else
        MUST(e.code == EINVAL && e.text[0] != '\0');
    free(user);
    return 0;
}
