#ifndef UTIL_MESSAGE_H
#define UTIL_MESSAGE_H

/*
 * The name of the program. Each program defines it in its own folder, and it is written nowhere
 * else. If one executable is several programs, main() sets it before anything else.
 */
extern const char *program_name;

/*
 * Prints one line on standard error: "NAME: TEXT" and a newline. Shows control characters as `?`,
 * and cuts what is longer than 1023 bytes.
 */
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
