#ifndef STORAGE_SCRATCH_NAMES_H
#define STORAGE_SCRATCH_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Names of everything that a run makes in a directory. --cleanup recognises a run's files by these:
 *
 *     PROGRAM.0123456789abcdef/  the private directory of one run of that program
 *         owner                  says whose it is; locked while the run lives
 *         data00000              a data file, for the moment until it is unlinked
 *         o0                     the target of the links in the metadata tests
 *         d00000/                a directory of the metadata tests
 *             000000002axyz      a file with a name in sorted order
 *             xyz000000002a      a file with a name in random order
 *         fsync.0                what boncut promises (boncut/layout.h): a file
 *         create.0b/             or a directory
 *             17.4               with its units
 *         tmp/ new/              the mailbox of a profile
 *             0000000000000001   a message
 */

/* Room for each kind of name, with its NUL. */
#define PRIVATE_NAME_SIZE     40
#define DATA_NAME_SIZE        12
#define LINK_TARGET_NAME_SIZE 24
#define DIRECTORY_NAME_SIZE   12
#define FILE_NAME_SIZE        24

#define OWNER_FILE_NAME "owner"
#define OWNER_TEXT_SIZE 80

enum name_order { NAMES_SORTED, NAMES_RANDOM };

/*
 * Write the names. A private directory's name contains the upper 48 bits of the number, and a
 * checksum of these in place of the others.
 */
void private_name(char name[PRIVATE_NAME_SIZE], uint64_t number);
void data_name(char name[DATA_NAME_SIZE], unsigned number);
void link_target_name(char name[LINK_TARGET_NAME_SIZE], uint64_t number);
void directory_name(char name[DIRECTORY_NAME_SIZE], unsigned number);

/*
 * Writes the name of metadata file `index` (below 2^40) in a run with that seed: ten hexadecimal
 * digits and up to twelve random letters, which come first in random order.
 */
void file_name(char name[FILE_NAME_SIZE], enum name_order order, uint64_t seed, uint64_t index);

/*
 * Writes the contents of the owner file in a private directory with that name, without a NUL.
 * Returns the length.
 */
size_t owner_text(char text[OWNER_TEXT_SIZE], const char *private_directory);

/*
 * Whether a private directory's name passes the check. One in 65536 names of other origin does,
 * too.
 */
bool private_name_is_made(const char *name);

/*
 * Whether a name has the form of a private directory's of this program; or of any program, if it
 * also passes the check.
 */
bool is_private_name(const char *name);
bool is_private_name_of_any(const char *name);
bool is_data_name(const char *name);
bool is_link_target_name(const char *name);
bool is_directory_name(const char *name);
bool is_file_name(const char *name);
bool is_worker_name(const char *name);
bool is_unit_name(const char *name);
bool is_mailbox_name(const char *name);
bool is_message_name(const char *name);

/*
 * Whether the name is one that a FUSE server or an NFS client gives to a file that is removed while
 * it is open. Such a file vanishes by itself when it has been closed.
 */
bool is_vanishing_name(const char *name);

#endif
