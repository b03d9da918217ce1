#include "boncut/log_line.h"

#include <endian.h>
#include <string.h>

#include "boncut/methods/method.h"
#include "util/rng.h"

static uint32_t checksum(const char *text, size_t length, uint64_t key)
{
    uint64_t hash = rng_mix(key ^ length);
    for (; length >= sizeof hash; text += sizeof hash, length -= sizeof hash) {
        uint64_t word;
        memcpy(&word, text, sizeof word);
        hash = rng_mix(hash ^ le64toh(word));
    }
    uint64_t rest = 0;
    memcpy(&rest, text, length);
    return (uint32_t)(rng_mix(hash ^ le64toh(rest)) >> 32);
}

size_t log_checksum_append(char *text, size_t length, uint64_t key)
{
    uint32_t sum = checksum(text, length, key);
    text[length] = ' ';
    for (int digit = 0; digit < 8; digit++)
        text[length + 1 + (size_t)digit] = "0123456789abcdef"[sum >> (28 - 4 * digit) & 15];
    return length + LOG_CHECKSUM_LENGTH;
}

bool log_checksum_is_right(const char *text, size_t *length, uint64_t key)
{
    char right[LOG_CHECKSUM_LENGTH];
    if (*length < LOG_CHECKSUM_LENGTH)
        return false;
    size_t before = *length - LOG_CHECKSUM_LENGTH;
    uint32_t sum = checksum(text, before, key);
    right[0] = ' ';
    for (int digit = 0; digit < 8; digit++)
        right[1 + digit] = "0123456789abcdef"[sum >> (28 - 4 * digit) & 15];
    if (memcmp(text + before, right, sizeof right) != 0)
        return false;
    *length = before;
    return true;
}

static char *put_number(char *to, uint64_t number)
{
    char digits[20];
    size_t count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    *to++ = ' ';
    while (count > 0)
        *to++ = digits[--count];
    return to;
}

size_t log_line_format(char text[static LOG_LINE_MOST], const struct log_line *line, uint64_t run)
{
    char *to = text;
    const char *name = methods[line->method].name;
    size_t length = strlen(name);
    if (line->is_failure)
        *to++ = '!';
    memcpy(to, name, length);
    to = put_number(to + length, line->unit);
    to = put_number(to, line->version);
    to = put_number(to, line->time_us);
    length = log_checksum_append(text, (size_t)(to - text), run);
    text[length] = '\n';
    return length + 1;
}

/* Reads a blank and a number of at most `most` from *at, and moves *at past them. */
static bool take_number(const char **at, const char *end, uint64_t most, uint64_t *number)
{
    const char *from = *at;
    uint64_t value = 0;
    if (from == end || *from++ != ' ')
        return false;
    const char *first = from;
    for (; from < end && *from >= '0' && *from <= '9'; from++) {
        unsigned digit = (unsigned)(*from - '0');
        if (value > (most - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *at = from;
    *number = value;
    return from > first;
}

bool log_line_parse(struct log_line *line, const char *text, size_t length, uint64_t run)
{
    uint64_t unit;
    if (!log_checksum_is_right(text, &length, run))
        return false;
    const char *end = text + length;
    line->is_failure = length > 0 && *text == '!';
    text += line->is_failure;
    const char *blank = memchr(text, ' ', (size_t)(end - text));
    if (!blank || !method_find(text, (size_t)(blank - text), &line->method))
        return false;
    if (!take_number(&blank, end, UINT32_MAX, &unit) ||
        !take_number(&blank, end, INT64_MAX, &line->version) ||
        !take_number(&blank, end, INT64_MAX, &line->time_us))
        return false;
    line->unit = (uint32_t)unit;
    return blank == end;
}
