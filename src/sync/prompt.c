#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "sync/coordinator.h"
#include "sys/stop.h"

/* Interval at which a wait for input looks for signals, in ms. */
#define LOOK_UP_MS 200

/* Waits for the end of a line on stdin. */
static int read_line(const char *phase, struct err *e)
{
    char byte = 0;
    while (byte != '\n') {
        struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
        if (poll(&input, 1, LOOK_UP_MS) <= 0) {
            if (stop_requested())
                return err_system(e, EINTR, "wait at the prompt");
            continue;
        }
        ssize_t got = read(STDIN_FILENO, &byte, 1);
        if (got < 0)
            return err_system(e, errno, "read from standard input at the prompt");
        if (got == 0)
            return err_say(e, "-yp: standard input ended at the prompt for %s", phase);
    }
    return 0;
}

static int prompt_barrier(struct coordinator *c, const char *phase, struct err *e)
{
    (void)c;
    fprintf(stderr, "Press Enter to start %s: ", phase);
    fflush(stderr);
    int rc = read_line(phase, e);
    if (rc != 0)
        fputc('\n', stderr);
    return rc;
}

const struct coordinator_ops coordinator_prompt = {
    .asks = true,
    .barrier = prompt_barrier,
};
