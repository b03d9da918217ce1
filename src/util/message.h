#ifndef UTIL_MESSAGE_H
#define UTIL_MESSAGE_H

/*
 * The name of the program, which its own folder defines: the one place where it is written. main()
 * of a file that is several programs sets it, before all else.
 */
extern const char *program_name;

/*
 * Prints one line on standard error, "NAME: TEXT"; the newline is added. Control characters are
 * shown as `?`, and what is longer than 1023 bytes is cut.
 */
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
