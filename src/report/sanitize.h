#ifndef REPORT_SANITIZE_H
#define REPORT_SANITIZE_H

#include <stddef.h>

/*
 * Labels come from outside, as the names of directories and devices do. Every format prints them
 * through one of the functions below; NULL is an empty label. All functions make it valid UTF-8 on
 * one line:
 *
 *   - white space (tab, newline, U+2028 ...) becomes a blank; blanks at both ends are dropped;
 *   - other control characters, marks that change the direction of writing, characters that
 *     Unicode gives no meaning to and bytes that are not UTF-8 become `?`;
 *   - what is longer than the room for it is cut off, between characters. LABEL_BYTES is meant for
 *     readers of CSV that have room for a line of 1024 bytes.
 */
#define LABEL_BYTES      256
#define LABEL_HTML_BYTES (6 * LABEL_BYTES) /* a quotation mark takes six: &quot; */

/*
 * The label for CSV and for text. It never needs quoting, so it suits readers that split at commas,
 * readers that know quotation marks, and readers that copy it raw into HTML (Debian's
 * bon_csv2html):
 *
 *   - comma -> `;`   quotation mark -> `'`   `<` -> `(`   `>` -> `)`
 *   - before `=`, `+`, `-` and `@` at its beginning stands a `'`, so that no spreadsheet takes it
 *     for a formula.
 *
 * `&` stays: it cannot open a tag, and occurs in names (R&D).
 */
void sanitize_plain(char text[static LABEL_BYTES], const char *label);

/* The label for HTML, as text or as the value of an attribute in quotation marks. */
void sanitize_html(char text[static LABEL_HTML_BYTES], const char *label);

/*
 * The label for formats with a quoting of their own, such as JSON: valid UTF-8 on one line as
 * described above, with nothing replaced for CSV or HTML, and cut to `size`. The text is never
 * longer than the label.
 */
void sanitize_clean(char *text, size_t size, const char *label);

/* The number of characters in valid UTF-8; each counts as one column. */
size_t sanitize_columns(const char *text);

/*
 * The number of bytes of the first `columns` characters of valid UTF-8, or of all if there are
 * fewer.
 */
size_t sanitize_cut(const char *text, size_t columns);

#endif
