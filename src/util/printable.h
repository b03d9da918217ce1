#ifndef UTIL_PRINTABLE_H
#define UTIL_PRINTABLE_H

/*
 * Replaces by `?` whatever could end a line or control the terminal. For names from outside in a
 * message of one line.
 */
void make_printable(char *text);

#endif
