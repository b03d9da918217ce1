#ifndef LIVE_COLOURS_H
#define LIVE_COLOURS_H

/* What a terminal is told about colours (ECMA-48, SGR), where it is to have any. */
#define COLOUR_DONE "\033[32m" /* green */
#define COLOUR_BAR  "\033[36m" /* cyan */
#define COLOUR_NONE "\033[0m"

#endif
