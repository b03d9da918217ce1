// SPDX-License-Identifier: GPL-2.0-or-later
#include "boncut/methods/method.h"

#include <fcntl.h>
#include <string.h>

#include "boncut/ledger.h"
#include "boncut/methods/names.h"
#include "boncut/methods/overwrites.h"
#include "util/portable.h"
#include "util/units.h"

/* The stamps on the storage contain the index in this table, so new methods go to its end. */
enum {
    CACHED,
    DRIVE,
    FSYNC,
    FDATASYNC,
    DSYNC,
    RWF_DSYNC_WRITE,
    DIRECT_DSYNC,
    URING_FSYNC,
    MSYNC,
    SYNCFS,
    CREATE,
    REPLACE,
    UNLINK,
    RENAME,
    LINK,
    MKDIR,
    TRUNCATE,
    NEW_NAME,
    METHODS
};

/* The methods of blocks and those of names, which have most functions in common. */
#define BLOCKS(word, steps, judges)                                                                \
    .name = word, .begin = blocks_begin, .step = steps, .end = blocks_end, .judge = judges
#define NAMES(word, begins, steps, judges)                                                         \
    .name = word, .begin = begins, .step = steps, .end = names_end, .judge = judges

const struct method methods[] = {
    [CACHED] = {BLOCKS("cached", control_step, control_judge), .is_control = true,
                .promise = "a buffered overwrite: nothing is promised"},
    [DRIVE] = {BLOCKS("drive", control_step, control_judge), .is_control = true,
               .open_flags = O_DIRECT,
               .promise = "an O_DIRECT overwrite without a flush: nothing is promised"},
    [FSYNC] = {BLOCKS("fsync", fsync_step, fsync_judge), .tails = 1,
               .promise = "a block overwritten, or appended with the file's size"},
    [FDATASYNC] = {BLOCKS("fdatasync", fdatasync_step, fsync_judge), .tails = 1,
                   .promise = "a block overwritten, or appended with the file's size"},
    [DSYNC] = {BLOCKS("dsync", blocks_step, blocks_judge), .open_flags = O_DSYNC,
               .promise = "one whole write with O_DSYNC"},
    [RWF_DSYNC_WRITE] = {BLOCKS("rwf_dsync", blocks_step, blocks_judge), .write_flags = RWF_DSYNC,
                         .promise = "one whole write with RWF_DSYNC"},
    [DIRECT_DSYNC] = {BLOCKS("direct_dsync", blocks_step, blocks_judge),
                      .open_flags = O_DIRECT | O_DSYNC,
                      .promise = "one whole write with O_DIRECT and O_DSYNC"},
    [URING_FSYNC] = {.name = "uring_fsync",
                     .promise = "a linked write and fsync of io_uring",
#ifdef HAVE_LIBURING
                     .begin = uring_fsync_begin,
                     .step = uring_fsync_step,
                     .end = uring_fsync_end,
#endif
                     .judge = blocks_judge},
    [MSYNC] = {.name = "msync",
               .promise = "a page of a shared mapping, with MS_SYNC",
               .begin = msync_begin,
               .step = msync_step,
               .end = msync_end,
               .judge = blocks_judge},
    [SYNCFS] = {BLOCKS("syncfs", syncfs_step, blocks_judge), .batch = SYNCFS_BATCH,
                .interval_ns = BILLION, .promise = "everything written before"},
    [CREATE] = {NAMES("create", names_begin, create_step, names_judge),
                .names = {.sides = 1, .has_contents = true, .has_version = true},
                .promise = "a new file and its directory synced"},
    [REPLACE] = {NAMES("replace", names_begin, replace_step, replace_judge),
                 .names = {.sides = 1, .first_blocks = REPLACE_BLOCKS},
                 .promise = "a synced file renamed over an old one, and the directory synced"},
    [UNLINK] = {NAMES("unlink", names_begin, unlink_step, names_judge),
                .names = {.sides = 1, .is_absent = true},
                .promise = "a name removed, and the directory synced"},
    [RENAME] = {NAMES("rename", names_begin, rename_step, names_judge),
                .names = {.sides = 2, .first_blocks = 1, .leaves_none = true, .has_contents = true},
                .promise = "a name moved, and both directories synced"},
    [LINK] = {NAMES("link", names_begin, link_step, names_judge),
              .names = {.sides = 1, .first_blocks = 1, .has_contents = true},
              .promise = "another name, file and directory synced"},
    [MKDIR] = {NAMES("mkdir", names_begin, mkdir_step, names_judge), .names = {.sides = 1},
               .promise = "a new directory, and both directories synced"},
    [TRUNCATE] = {NAMES("truncate", truncate_begin, truncate_step, truncate_judge),
                  .names = {.sides = 1}, .promise = "a new size, and the file synced"},
    [NEW_NAME] = {NAMES("new_name", names_begin, new_name_step, new_name_judge), .is_fact = true,
                  .names = {.sides = 1},
                  .promise = "a new file synced, and not its directory: nothing is promised"},
};
const unsigned method_count = METHODS;

const unsigned method_cached = CACHED;
const unsigned method_drive = DRIVE;
const unsigned method_syncfs = SYNCFS;

_Static_assert(METHODS <= METHODS_MOST, "a bit of the header for each method");

bool method_find(const char *name, size_t length, unsigned *method)
{
    for (unsigned i = 0; i < METHODS; i++) {
        if (strncmp(methods[i].name, name, length) != 0 || methods[i].name[length] != '\0')
            continue;
        *method = i;
        return true;
    }
    return false;
}

void method_print_all(FILE *out)
{
    for (unsigned i = 0; i < METHODS; i++)
        fprintf(out, "%-13s %s\n", methods[i].name, methods[i].promise);
}
