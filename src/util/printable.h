// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Whether the `length` bytes at `word` are one of the comma-separated words of `list`. The list
 * ends at a blank, the end of the line or a NUL.
 */
bool word_list_has(const char *list, const char *word, size_t length);

/*
 * Makes text from outside harmless: names of files and devices, what other programs have written or
 * said. Whatever is printed goes through one of the functions below, and tests/checks/printing.t
 * finds what does not. NULL is an empty text. All functions make it valid UTF-8 on one line:
 *
 *   - white space (tab, newline, U+2028 ...) becomes a blank; blanks at both ends are dropped;
 *   - other control characters, marks that change the direction of writing, characters without a
 *     meaning in Unicode, and bytes that are not UTF-8 become `?`;
 *   - what is longer than its room is cut off between characters. LABEL_BYTES suits readers of CSV
 *     with room for a line of 1024 bytes.
 */
#define LABEL_BYTES      256
#define LABEL_HTML_BYTES (6 * LABEL_BYTES) /* a quotation mark takes six: &quot; */

/* Text for a line of a report or on the terminal: printf("%s", printable(name).text). */
#define PRINTABLE_TEXT 1024

struct printable {
    char text[PRINTABLE_TEXT];
};

struct printable printable(const char *text);

/* Prints such a text, and breaks lines at blanks. The current line is at column `indent`. */
void print_wrapped(FILE *out, size_t indent, const char *text);

/*
 * For a message of one line: replaces by `?`, in place, what must not reach a terminal, and white
 * space except blanks, too.
 */
void make_printable(char *text);

/* Whether make_printable() would leave the text as it is. */
bool is_printable(const char *text);

/*
 * The label for CSV and for text. It never needs quotes, so it suits readers that split at commas,
 * readers that know quotes, and readers that copy it into HTML as it is (Debian's bon_csv2html):
 *
 *   - comma -> `;`   quotation mark -> `'`   `<` -> `(`   `>` -> `)`
 *   - a label that begins with `=`, `+`, `-` or `@` gets a `'` before it, so that no spreadsheet
 *     takes it for a formula.
 *
 * `&` stays: it cannot open a tag, and occurs in names (R&D).
 */
void sanitize_plain(char text[static LABEL_BYTES], const char *label);

/* The label for HTML, as text or as the value of an attribute in quotation marks. */
void sanitize_html(char text[static LABEL_HTML_BYTES], const char *label);

/*
 * The label for formats that quote texts themselves, such as JSON: valid UTF-8 on one line as
 * above, with nothing replaced for CSV or HTML, and cut to `size` bytes. The text is never longer
 * than the label.
 */
void sanitize_clean(char *text, size_t size, const char *label);

/* Number of characters in valid UTF-8. Each counts as one column. */
size_t sanitize_columns(const char *text);

/* Number of bytes of the first `columns` characters of valid UTF-8, or of all if it has fewer. */
size_t sanitize_cut(const char *text, size_t columns);
