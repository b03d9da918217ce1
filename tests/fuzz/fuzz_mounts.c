// SPDX-License-Identifier: GPL-2.0-or-later
/* /proc/self/mountinfo: the type of a filesystem is one word, and so are its options. */
#include "fuzz.h"
#include "measure/mount_info.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mount_info p = {.root = ""};
    char *mountinfo = fuzz_text(data, size);
    mount_info_read_mount(&p, mountinfo, strtol(mountinfo, NULL, 10)); /* the first line */
    free(mountinfo);
    MUST(memchr(p.filesystem, '\0', sizeof p.filesystem));
    MUST(!strpbrk(p.filesystem, " \n"));
    MUST(memchr(p.options, '\0', sizeof p.options));
    MUST(!strpbrk(p.options, " \n"));
    return 0;
}
