#ifndef BONLOAD_TARGETS_WEB_WEB_LOOP_H
#define BONLOAD_TARGETS_WEB_WEB_LOOP_H

#include <curl/curl.h>
#include <stdint.h>

#include "util/err.h"

struct web_socket;

/*
 * One thread's transfers: libcurl's multi interface on epoll(7). Its cost depends on the number of
 * sockets with events, not on the number of all sockets. A socket that is kept alive stays
 * registered with epoll from one transfer to the next, which saves system calls.
 */
struct web_loop {
    CURLM *multi;
    int epoll;
    uint64_t timer_ns;          /* when curl has to be called; UINT64_MAX: never */
    struct web_socket *sockets; /* indexed by descriptor */
    unsigned room;
};

/* Opens a loop that keeps up to that many connections alive. Returns 0 or a negative errno. */
int web_loop_open(struct web_loop *l, unsigned connections, struct err *e);
void web_loop_close(struct web_loop *l);

/* Connects a handle's sockets to the loop; once, before its first transfer. */
void web_loop_adopt(struct web_loop *l, CURL *easy);

/* Begins a transfer: its request is sent at once if there is a connection. */
CURLMcode web_loop_begin(struct web_loop *l, CURL *easy);

/* The next transfer that has ended, which is removed from the loop; NULL: there is none. */
CURL *web_loop_ended(struct web_loop *l, CURLcode *code);

/* Waits for events until clock_ns() reaches until_ns, and lets curl handle them. */
void web_loop_wait(struct web_loop *l, uint64_t until_ns);

#endif
