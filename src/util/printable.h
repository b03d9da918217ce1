#ifndef UTIL_PRINTABLE_H
#define UTIL_PRINTABLE_H

/*
 * Names come from outside: in a text that is to be one line, what could end the line or drive the
 * terminal becomes `?`.
 */
void make_printable(char *text);

#endif
