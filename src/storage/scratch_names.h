#ifndef STORAGE_SCRATCH_NAMES_H
#define STORAGE_SCRATCH_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What everything that a run puts on the storage is called, and how --cleanup knows it again:
 *
 *     PROGRAM.0123456789abcdef/  the private directory of one run of the program of that name
 *         owner                  says whose it is; locked while the run lives
 *         data00000              a data file, for the moment until it is unlinked
 *         o0                     what the links of the metadata tests point to
 *         d00000/                a directory of the metadata tests
 *             000000002axyz      a file with a name in sorted order
 *             xyz000000002a      a file with a name in random order
 */

/* Bytes that each kind of name needs, its NUL included. */
#define PRIVATE_NAME_SIZE     40
#define DATA_NAME_SIZE        12
#define LINK_TARGET_NAME_SIZE 24
#define DIRECTORY_NAME_SIZE   12
#define FILE_NAME_SIZE        24

/* And the length of one, which is always the same. */
#define DIRECTORY_NAME_LENGTH 6

#define OWNER_FILE_NAME "owner"
#define OWNER_TEXT_SIZE 80

enum name_order { NAMES_SORTED, NAMES_RANDOM };

/* The names themselves. The upper 48 bits of a private directory's number are given, the others are
 * a check of them. */
void private_name(char name[PRIVATE_NAME_SIZE], uint64_t number);
void data_name(char name[DATA_NAME_SIZE], unsigned number);
void link_target_name(char name[LINK_TARGET_NAME_SIZE], uint64_t number);
void directory_name(char name[DIRECTORY_NAME_SIZE], unsigned number);

/*
 * The name of metadata file `index` (below 2^40) in a run with that seed: ten hexadecimal digits
 * with up to twelve random letters behind them, or before them for names in random order.
 */
void file_name(char name[FILE_NAME_SIZE], enum name_order order, uint64_t seed, uint64_t index);

/* The text of the owner file of the private directory of that name, without NUL; its length. */
size_t owner_text(char text[OWNER_TEXT_SIZE], const char *private_directory);

/* Whether a name of that form passes the check: one in 65536 does that was not made here. */
bool private_name_is_made(const char *name);

/* Whether a name has the form of such a name. */
bool is_private_name(const char *name);
bool is_data_name(const char *name);
bool is_link_target_name(const char *name);
bool is_directory_name(const char *name);
bool is_file_name(const char *name);

#endif
