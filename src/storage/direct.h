// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "measure/limit.h"

/* Whether O_DIRECT passes by the page cache: seen, not assumed. Filesystems may take the flag and
 * use the page cache all the same (ext4 with data=journal, btrfs for files with checksums, tmpfs),
 * and so may a loop device or a FUSE server below them.
 *
 * A page of the file is mapped and in the cache, and its block is written with O_DIRECT: a direct
 * write must drop the page, a buffered one cannot. Then the block is read with O_DIRECT: a direct
 * read leaves no page behind. What a filesystem does is known by the page; what is below it, by
 * what the kernel says about loop devices; and "yes" also takes the bytes to have reached the
 * devices. Others may add to those, so they never prove it alone. Nothing is said of FUSE and of
 * network filesystems, which may drop the page and still not be direct; but FUSE is not direct if
 * its directory is known (bindfs), and less than half of the bytes reached the device of that. */
struct direct {
    struct direct_use ways[WAYS];
    bool reaches_devices; /* what was written did; below a loop, it may not be known further */
};

/* Tries it on the file behind fd, which is open with O_DIRECT. The block or page at `place`, a
 * multiple of its size, is written twice and read; if fd is open only to be read, it is read, and
 * nothing is known of writes. Takes four transfers at most. */
void direct_see(struct direct *d, int fd, uint64_t place, const struct sources *s);

/* The same with a new file without a name in a directory. Without one, nothing is known. */
void direct_see_in(struct direct *d, int directory_fd, const struct sources *s);

/* What holds for work that reads, writes or does both with O_DIRECT: "no", if one is not. */
struct direct_use direct_use_of(const struct direct *d, bool reads, bool writes);
