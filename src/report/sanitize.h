#ifndef REPORT_SANITIZE_H
#define REPORT_SANITIZE_H

#include <stddef.h>
#include <stdint.h>

/* Room for the text of starts_text(). */
#define STARTS_TEXT 128

/*
 * Writes how closely several ranks began together: "within 0.476 ms of one another". In parentheses
 * follows clock_uncertainty_ns, which says how well their clocks could be compared; 0: all ranks
 * read the same clock.
 */
void starts_text(char text[static STARTS_TEXT], uint64_t spread_ns, uint64_t clock_uncertainty_ns);

/*
 * Makes labels that come from outside, such as names of directories and devices, harmless. Every
 * format prints them through one of the functions below; NULL is an empty label. All functions make
 * the label valid UTF-8 on one line:
 *
 *   - white space (tab, newline, U+2028 ...) becomes a blank; blanks at both ends are dropped;
 *   - other control characters, marks that change the direction of writing, characters without a
 *     meaning in Unicode, and bytes that are not UTF-8 become `?`;
 *   - what is longer than its room is cut off between characters. LABEL_BYTES suits readers of CSV
 *     with room for a line of 1024 bytes.
 */
#define LABEL_BYTES      256
#define LABEL_HTML_BYTES (6 * LABEL_BYTES) /* a quotation mark takes six: &quot; */

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

/*
 * Number of bytes of the first `columns` characters of valid UTF-8, or of all if there are fewer.
 */
size_t sanitize_cut(const char *text, size_t columns);

#endif
