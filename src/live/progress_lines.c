#include "live/progress_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live/colours.h"
#include "sys/stop.h"

void progress_lines_init(struct progress_lines *p, bool quiet)
{
    const char *kind = getenv("TERM");
    *p = (struct progress_lines){.quiet = quiet};
    p->is_terminal = isatty(STDERR_FILENO) && kind && strcmp(kind, "dumb") != 0;
    const char *no_colour = getenv("NO_COLOR"); /* https://no-color.org */
    p->has_colour = p->is_terminal && (!no_colour || *no_colour == '\0');
}

bool progress_lines_is_live(const struct progress_lines *p)
{
    return p->is_terminal && !p->quiet;
}

void progress_lines_begin(struct progress_lines *p, const char *title)
{
    if (p->quiet || stop_signal())
        return;
    fprintf(stderr, "%s...", title);
    fflush(stderr);
    p->line_open = true;
}

void progress_lines_done(struct progress_lines *p, const char *title, const char *figures)
{
    if (!p->line_open || stop_signal())
        return;
    if (p->is_terminal)
        fprintf(stderr, "\r%s...", title);
    fputs(p->has_colour ? COLOUR_DONE "done" COLOUR_NONE : "done", stderr);
    if (p->is_terminal && figures)
        fprintf(stderr, "  %s", figures);
    fputc('\n', stderr);
    p->line_open = false;
}

void progress_lines_break(struct progress_lines *p)
{
    if (p->line_open)
        fputc('\n', stderr);
    p->line_open = false;
}
