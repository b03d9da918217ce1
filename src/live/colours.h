#ifndef LIVE_COLOURS_H
#define LIVE_COLOURS_H

/* Escape sequences that set colours on a terminal (ECMA-48, SGR). */
#define COLOUR_DONE "\033[32m" /* green */
#define COLOUR_BAR  "\033[36m" /* cyan */
#define COLOUR_NONE "\033[0m"

#endif
