#ifndef BONLOAD_TARGETS_WEB_LOOP_H
#define BONLOAD_TARGETS_WEB_LOOP_H

#include <curl/curl.h>
#include <stdint.h>

#include "util/err.h"

struct web_socket;

/*
 * One thread's transfers: libcurl's multi interface on epoll(7). What it costs depends on the
 * sockets on which something happens, not on how many there are. A socket that is kept alive stays
 * as it was with epoll from one transfer to the next, so that no system call is needed for that.
 */
struct web_loop {
    CURLM *multi;
    int epoll;
    uint64_t timer_ns;          /* when curl wants to be called; UINT64_MAX: it does not */
    struct web_socket *sockets; /* by the number of the descriptor */
    unsigned room;
};

/* Opens a loop that keeps up to that number of connections alive. Returns 0 or a negative errno. */
int web_loop_open(struct web_loop *l, unsigned connections, struct err *e);
void web_loop_close(struct web_loop *l);

/* Lets the loop know the sockets of a handle; once, before its first transfer. */
void web_loop_adopt(struct web_loop *l, CURL *easy);

/* Begins a transfer: its request is sent at once if there is a connection. */
CURLMcode web_loop_begin(struct web_loop *l, CURL *easy);

/* The next transfer that has ended, which the loop then knows no more; NULL: there is none. */
CURL *web_loop_ended(struct web_loop *l, CURLcode *code);

/* Ends one that goes on, and its connection. */
void web_loop_cancel(struct web_loop *l, CURL *easy);

/* Waits until something happens, at most until clock_ns() is until_ns, and has curl act on it. */
void web_loop_wait(struct web_loop *l, uint64_t until_ns);

#endif
