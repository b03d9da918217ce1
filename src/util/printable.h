// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "util/base.h"

/* Whether the `length` bytes at `word` are one of the comma-separated words of `list`. */
bool word_list_has(const char *list, const char *word, size_t length);

/* Makes text from outside harmless: names of files and devices, what other programs have written or
 * said. Whatever is printed goes through one of the functions below (tests/checks/printing.t). NULL
 * is an empty text. All make it valid UTF-8 on one line: white space becomes a blank, none at the
 * ends; other controls, marks that change the direction of writing, what has no meaning in Unicode,
 * and bytes that are not UTF-8 become `?`; what is too long is cut between characters. LABEL_BYTES
 * suits readers of CSV with room for a line of 1024 bytes. */
#define LABEL_BYTES      256
#define LABEL_HTML_BYTES (6 * LABEL_BYTES) /* a quotation mark takes six: &quot; */

/* Text for a line of a report or on the terminal: printf("%s", printable(name).text). */
#define PRINTABLE_TEXT 1024
struct printable {
    char text[PRINTABLE_TEXT];
};
struct printable printable(const char *text);

/* Breaks such a text into lines, at single blanks but not before a unit, or prints the lines. The
 * first one begins at column `indent`. */
#define WRAPPED_TEXT (2 * PRINTABLE_TEXT)
void wrap_text(char lines[static WRAPPED_TEXT], size_t indent, const char *text);
void print_wrapped(FILE *out, size_t indent, const char *text);

/* A text that is put together, and then printed with a label before it. All zeros: empty. */
struct label_text {
    char text[PRINTABLE_TEXT];
};

/* Add to it: a text; or a list with commas, of which each part becomes a word. */
void label_add(struct label_text *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
void label_add_list(struct label_text *l, const char *list);

/* Adds "100 syncs were seen, 299 are needed" or, if what is "", "100 were seen, 299 are needed". */
void label_add_seen(struct label_text *l, uint64_t seen, const char *what, uint64_t needed);

/* Prints the text, wrapped, beside the label ("": none), and empties it. An empty one is not. */
#define LABEL_INDENT 12
void label_print(FILE *out, const char *label, struct label_text *l);

/* For a message of one line: replaces by `?`, in place, also white space except blanks. And whether
 * that would leave the text as it is. */
void make_printable(char *text);
bool is_printable(const char *text);

/* The label for CSV and for text, which never needs quotes, whether readers split at commas, know
 * quotes or copy it into HTML (Debian's bon_csv2html): comma -> `;`, quotation mark -> `'`, `<` ->
 * `(`, `>` -> `)`. One that begins with `=`, `+`, `-` or `@` gets a `'` before it, so that no
 * spreadsheet takes it for a formula. `&` stays: it cannot open a tag (R&D). */
void sanitize_plain(char text[static LABEL_BYTES], const char *label);

/* The label for HTML, as text or as the value of an attribute in quotation marks. */
void sanitize_html(char text[static LABEL_HTML_BYTES], const char *label);

/* The label for formats that quote texts themselves, such as JSON, cut to `size` bytes. The text is
 * never longer than the label. */
void sanitize_clean(char *text, size_t size, const char *label);

/* Number of characters in valid UTF-8, each of which counts as one column; number of bytes of the
 * first `columns` of them, or of all if there are fewer. */
size_t sanitize_columns(const char *text);
size_t sanitize_cut(const char *text, size_t columns);
