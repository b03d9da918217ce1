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

const struct method methods[] = {
    [CACHED] = {.name = "cached",
                .promise = "a buffered overwrite: nothing is promised",
                .is_control = true,
                .begin = blocks_begin,
                .step = control_step,
                .end = blocks_end,
                .judge = control_judge},
    [DRIVE] = {.name = "drive",
               .promise = "an O_DIRECT overwrite without a flush: nothing is promised",
               .is_control = true,
               .open_flags = O_DIRECT,
               .begin = blocks_begin,
               .step = control_step,
               .end = blocks_end,
               .judge = control_judge},
    [FSYNC] = {.name = "fsync",
               .promise = "a block overwritten, or appended with the file's size",
               .tails = 1,
               .begin = blocks_begin,
               .step = fsync_step,
               .end = blocks_end,
               .judge = fsync_judge},
    [FDATASYNC] = {.name = "fdatasync",
                   .promise = "a block overwritten, or appended with the file's size",
                   .tails = 1,
                   .begin = blocks_begin,
                   .step = fdatasync_step,
                   .end = blocks_end,
                   .judge = fsync_judge},
    [DSYNC] = {.name = "dsync",
               .promise = "one whole write with O_DSYNC",
               .open_flags = O_DSYNC,
               .begin = blocks_begin,
               .step = blocks_step,
               .end = blocks_end,
               .judge = blocks_judge},
    [RWF_DSYNC_WRITE] = {.name = "rwf_dsync",
                         .promise = "one whole write with RWF_DSYNC",
                         .write_flags = RWF_DSYNC,
                         .begin = blocks_begin,
                         .step = blocks_step,
                         .end = blocks_end,
                         .judge = blocks_judge},
    [DIRECT_DSYNC] = {.name = "direct_dsync",
                      .promise = "one whole write with O_DIRECT and O_DSYNC",
                      .open_flags = O_DIRECT | O_DSYNC,
                      .begin = blocks_begin,
                      .step = blocks_step,
                      .end = blocks_end,
                      .judge = blocks_judge},
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
    [SYNCFS] = {.name = "syncfs",
                .promise = "everything written before",
                .batch = SYNCFS_BATCH,
                .interval_ns = BILLION,
                .begin = blocks_begin,
                .step = syncfs_step,
                .end = blocks_end,
                .judge = blocks_judge},
    [CREATE] = {.name = "create",
                .promise = "a new file and its directory synced",
                .names = {.sides = 1, .has_contents = true, .has_version = true},
                .begin = names_begin,
                .step = create_step,
                .end = names_end,
                .judge = names_judge},
    [REPLACE] = {.name = "replace",
                 .promise = "a synced file renamed over an old one, and the directory synced",
                 .names = {.sides = 1},
                 .begin = replace_begin,
                 .step = replace_step,
                 .end = names_end,
                 .judge = replace_judge},
    [UNLINK] = {.name = "unlink",
                .promise = "a name removed, and the directory synced",
                .names = {.sides = 1, .is_absent = true},
                .begin = names_begin,
                .step = unlink_step,
                .end = names_end,
                .judge = names_judge},
    [RENAME] = {.name = "rename",
                .promise = "a name moved, and both directories synced",
                .names = {.sides = 2, .leaves_none = true, .has_contents = true},
                .begin = rename_begin,
                .step = rename_step,
                .end = names_end,
                .judge = names_judge},
    [LINK] = {.name = "link",
              .promise = "another name, file and directory synced",
              .names = {.sides = 1, .has_contents = true},
              .begin = link_begin,
              .step = link_step,
              .end = names_end,
              .judge = names_judge},
    [MKDIR] = {.name = "mkdir",
               .promise = "a new directory, and both directories synced",
               .names = {.sides = 1},
               .begin = names_begin,
               .step = mkdir_step,
               .end = names_end,
               .judge = names_judge},
    [TRUNCATE] = {.name = "truncate",
                  .promise = "a new size, and the file synced",
                  .names = {.sides = 1},
                  .begin = truncate_begin,
                  .step = truncate_step,
                  .end = names_end,
                  .judge = truncate_judge},
    [NEW_NAME] = {.name = "new_name",
                  .promise = "a new file synced, and not its directory: nothing is promised",
                  .is_fact = true,
                  .names = {.sides = 1},
                  .begin = names_begin,
                  .step = new_name_step,
                  .end = names_end,
                  .judge = new_name_judge},
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
