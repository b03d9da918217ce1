#ifndef REPORT_SANITIZE_H
#define REPORT_SANITIZE_H

#include <stddef.h>

/*
 * The label comes from outside, as the names of directories and devices do. Every format prints it
 * in one of the ways below; a NULL label is an empty one. All ways make it valid UTF-8 on one line:
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
 * The label for CSV and for text. It needs no quoting anywhere, so that readers that split at
 * commas, readers that know quotation marks, and those that copy it raw into HTML (Debian's
 * bon_csv2html) are all served:
 *
 *   - comma -> `;`   quotation mark -> `'`   `<` -> `(`   `>` -> `)`
 *   - before `=`, `+`, `-` and `@` at its beginning stands a `'`, so that no spreadsheet takes it
 *     for a formula.
 *
 * `&` stays: it cannot open a tag, and names have it (R&D).
 */
void sanitize_plain(char text[static LABEL_BYTES], const char *label);

/* The label for HTML, as text or as the value of an attribute in quotation marks. */
void sanitize_html(char text[static LABEL_HTML_BYTES], const char *label);

/*
 * The label for formats that have a quoting of their own, such as JSON: made valid UTF-8 on
 * one line as said above, with nothing replaced for CSV or HTML, and cut where `size` ends. The
 * text is never longer than the label.
 */
void sanitize_clean(char *text, size_t size, const char *label);

/* The number of characters of valid UTF-8; each is taken to be one column wide. */
size_t sanitize_columns(const char *text);

/* The number of bytes that the first `columns` characters of valid UTF-8 take, or all of them if
 * there are fewer. */
size_t sanitize_cut(const char *text, size_t columns);

#endif
