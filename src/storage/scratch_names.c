#include "storage/scratch_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"
#include "util/rng.h"

#define DATA_PREFIX        "data"
#define LINK_TARGET_PREFIX "o"
#define DIRECTORY_PREFIX   "d"

#define HEX              "0123456789abcdef"
#define DECIMAL          "0123456789"
#define LETTERS          "abcdefghijklmnopqrstuvwxyz234567" /* 32 letters, so each takes 5 random bits */
#define DIRECTORY_DIGITS 5
#define INDEX_DIGITS     10
#define MOST_LETTERS     12
#define NUMBER_DIGITS    16
#define CHECK_BITS       16

/* Names of programs and methods have some of these letters. */
#define PROGRAM_LETTERS      "abcdefghijklmnopqrstuvwxyz_"
#define MOST_PROGRAM_LETTERS 16

/* The number that the name of a private directory has in place of this one. */
static uint64_t checked_number(uint64_t number)
{
    number >>= CHECK_BITS;
    return number << CHECK_BITS | (rng_mix(number) & ((1U << CHECK_BITS) - 1));
}

void private_name(char name[PRIVATE_NAME_SIZE], uint64_t number)
{
    snprintf(name, PRIVATE_NAME_SIZE, "%s.%016" PRIx64, program_name, checked_number(number));
}

bool private_name_is_made(const char *name)
{
    uint64_t number = strtoull(strrchr(name, '.') + 1, NULL, 16);
    return number == checked_number(number);
}

void data_name(char name[DATA_NAME_SIZE], unsigned number)
{
    snprintf(name, DATA_NAME_SIZE, DATA_PREFIX "%05u", number % 100000);
}

void link_target_name(char name[LINK_TARGET_NAME_SIZE], uint64_t number)
{
    snprintf(name, LINK_TARGET_NAME_SIZE, LINK_TARGET_PREFIX "%" PRIu64, number);
}

/* Formats without printf, like file_name(), because every timed file needs the name. */
void directory_name(char name[DIRECTORY_NAME_SIZE], unsigned number)
{
    *name = DIRECTORY_PREFIX[0];
    for (int i = DIRECTORY_DIGITS; i > 0; i--) {
        name[i] = DECIMAL[number % 10];
        number /= 10;
    }
    name[DIRECTORY_DIGITS + 1] = '\0';
}

/* Writes up to twelve letters that depend on seed and index. Returns their number. */
static size_t random_letters(char *text, uint64_t seed, uint64_t index)
{
    uint64_t bits = rng_mix(seed ^ rng_mix(index));
    size_t length = (size_t)(bits % (MOST_LETTERS + 1));
    for (size_t i = 0; i < length; i++) {
        bits >>= 5;
        text[i] = LETTERS[bits % 32];
    }
    return length;
}

/* Formats without printf, because every timed file needs the digits. */
static size_t index_digits(char *text, uint64_t index)
{
    for (int i = INDEX_DIGITS - 1; i >= 0; i--) {
        text[i] = HEX[index % 16];
        index /= 16;
    }
    return INDEX_DIGITS;
}

void file_name(char name[FILE_NAME_SIZE], enum name_order order, uint64_t seed, uint64_t index)
{
    if (order == NAMES_SORTED) {
        name += index_digits(name, index);
        name += random_letters(name, seed, index);
    } else {
        name += random_letters(name, seed, index);
        name += index_digits(name, index);
    }
    *name = '\0';
}

size_t owner_text(char text[OWNER_TEXT_SIZE], const char *private_directory)
{
    int length =
        snprintf(text, OWNER_TEXT_SIZE, "scratch directory of %.*s: %s\n",
                 (int)strcspn(private_directory, "."), private_directory, private_directory);
    return length < OWNER_TEXT_SIZE ? (size_t)length : OWNER_TEXT_SIZE - 1;
}

/*
 * Whether the name is the prefix, followed by `least` to `most` characters of the set and nothing
 * else.
 */
static bool has_form(const char *name, const char *prefix, const char *set, size_t least,
                     size_t most)
{
    size_t length = strlen(prefix);
    if (strncmp(name, prefix, length) != 0)
        return false;
    size_t rest = strlen(name + length);
    return rest >= least && rest <= most && strspn(name + length, set) == rest;
}

bool is_private_name(const char *name)
{
    size_t length = strlen(program_name);
    return strncmp(name, program_name, length) == 0 &&
           has_form(name + length, ".", HEX, NUMBER_DIGITS, NUMBER_DIGITS);
}

bool is_private_name_of_any(const char *name)
{
    size_t length = strspn(name, PROGRAM_LETTERS);
    return length > 0 && length <= MOST_PROGRAM_LETTERS &&
           has_form(name + length, ".", HEX, NUMBER_DIGITS, NUMBER_DIGITS) &&
           (is_private_name(name) || private_name_is_made(name));
}

bool is_data_name(const char *name)
{
    return has_form(name, DATA_PREFIX, DECIMAL, 5, 5);
}

bool is_link_target_name(const char *name)
{
    return has_form(name, LINK_TARGET_PREFIX, DECIMAL, 1, 20);
}

bool is_directory_name(const char *name)
{
    return has_form(name, DIRECTORY_PREFIX, DECIMAL, 5, 5);
}

bool is_file_name(const char *name)
{
    size_t length = strlen(name);
    if (length < INDEX_DIGITS || length > INDEX_DIGITS + MOST_LETTERS)
        return false;
    bool digits_first = strspn(name, HEX) >= INDEX_DIGITS &&
                        strspn(name + INDEX_DIGITS, LETTERS) == length - INDEX_DIGITS;
    const char *digits = name + length - INDEX_DIGITS;
    bool digits_last =
        strspn(digits, HEX) == INDEX_DIGITS && strspn(name, LETTERS) >= length - INDEX_DIGITS;
    return digits_first || digits_last;
}

/* Moves *text past up to 18 digits. Returns whether there was one. */
static bool pass_digits(const char **text)
{
    size_t digits = strspn(*text, DECIMAL);
    *text += digits;
    return digits > 0 && digits <= 18;
}

bool is_worker_name(const char *name)
{
    size_t method = strspn(name, PROGRAM_LETTERS);
    const char *rest = name + method + 1;
    if (method == 0 || method > MOST_PROGRAM_LETTERS || name[method] != '.' || !pass_digits(&rest))
        return false;
    if (*rest == '+')
        return rest++, pass_digits(&rest) && *rest == '\0';
    return *rest == '\0' || ((*rest == 'a' || *rest == 'b') && rest[1] == '\0');
}

bool is_unit_name(const char *name)
{
    if (!pass_digits(&name))
        return false;
    return *name == '\0' || (*name++ == '.' && pass_digits(&name) && *name == '\0');
}

bool is_mailbox_name(const char *name)
{
    return strcmp(name, "tmp") == 0 || strcmp(name, "new") == 0;
}

bool is_message_name(const char *name)
{
    return has_form(name, "", HEX, NUMBER_DIGITS, NUMBER_DIGITS);
}

bool is_vanishing_name(const char *name)
{
    return strncmp(name, ".fuse_hidden", 12) == 0 || strncmp(name, ".nfs", 4) == 0;
}
