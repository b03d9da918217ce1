#ifndef UTIL_UNITS_H
#define UTIL_UNITS_H

#include <stdint.h>

#define MILLION UINT64_C(1000000)
#define BILLION UINT64_C(1000000000)
#define KIB     UINT64_C(1024)
#define MIB     (UINT64_C(1) << 20)
#define GIB     (UINT64_C(1) << 30)
#define TIB     (UINT64_C(1) << 40)

/*
 * Numbers as users write them and as reports print them.
 *
 * Nothing is guessed: no sign or fraction where none is asked for, no blanks, no hexadecimal, no
 * trailing characters. Every parser returns 0, -EINVAL (not such a number) or -ERANGE (one
 * that does not fit), and leaves *value alone when it fails.
 */

/* Room for any text that a formatter below makes, with its end. */
#define UNITS_TEXT 32

/*
 * A size in bytes: a decimal number with a suffix k, m, g or t (powers of 1024), which may be
 * followed by B or iB, or with B alone (bytes), all in either case. Without any suffix the number
 * counts units of `unit` bytes: 1 << 20 where a bare number means MiB.
 */
int units_parse_size(const char *text, uint64_t unit, uint64_t *value);

/*
 * The same with an optional decimal fraction ("7951.52", "1.5g"). A size that has one is rounded
 * down with units_round_down().
 */
int units_parse_rounded_size(const char *text, uint64_t unit, uint64_t *value);

/* Down to whole MiB, or what is less than a MiB to whole KiB. */
uint64_t units_round_down(uint64_t bytes);

/* That number of billionths of `unit` bytes, rounded down to whole bytes; below 2^64. */
uint64_t units_part(uint64_t billionths, uint64_t unit);

/* A plain whole number. */
int units_parse_count(const char *text, uint64_t *value);

/*
 * A number with or without a decimal fraction ("2", "0.25", but not ".5" or "1e3"), in billionths:
 * what is given in seconds comes out in nanoseconds. A fraction of a billionth is dropped.
 */
int units_parse_decimal(const char *text, uint64_t *billionths);

/* A whole number with or without a minus sign. */
int units_parse_signed(const char *text, int64_t *value);

/*
 * The size of the data as Bonnie++ prints it, exactly: in the largest of G, M and k that divides
 * it ("64M", "63808M", "16G"), else in bytes with a B, since a bare number would be taken for MiB.
 */
void units_format_size(char text[static UNITS_TEXT], uint64_t bytes);

/*
 * A size for people to read, rounded: "10.0 TiB", "1.5 GiB", "300 MiB", "512 bytes". From 10000 TiB
 * on it has five digits or more.
 */
void units_format_readable(char text[static UNITS_TEXT], uint64_t bytes);

/* The size of a chunk as Bonnie++ prints it, exactly: "1m", "64k", "512" (bytes). */
void units_format_chunk(char text[static UNITS_TEXT], uint64_t bytes);

/*
 * A latency as a whole number of us, ms or s: the smallest of the three that needs no more than
 * five digits ("4964us", "99999us", "100ms"). What was measured took some time: never 0us.
 */
void units_format_latency(char text[static UNITS_TEXT], uint64_t nanoseconds);

/*
 * A plain number for a column of four, in thousands or millions: "8.2k", "155k", "1.2m", "123m".
 */
void units_format_short_count(char text[static UNITS_TEXT], double number);

/*
 * A rate in KiB/s for a column of five: "1723k", "51.8m", "368m", "2.2g". From 10000 GiB/s on it
 * is wider.
 */
void units_format_speed(char text[static UNITS_TEXT], double kib_per_second);

/* The same for a column of four: "1.7m", "52m", "368m", "2.2g", "9.8t". */
void units_format_short_speed(char text[static UNITS_TEXT], double kib_per_second);

/* The next multiple of `unit`, which is not 0: `value` itself if it is one. */
static inline uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

#endif
