#ifndef UTIL_MESSAGE_H
#define UTIL_MESSAGE_H

/*
 * The name of the program. Each program defines it in its own folder, which is the only place where
 * it is written. Where one executable is several programs, main() sets it before anything else.
 */
extern const char *program_name;

/*
 * Prints one line on standard error, "NAME: TEXT"; the newline is added. Control characters are
 * shown as `?`, and what is longer than 1023 bytes is cut.
 */
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
