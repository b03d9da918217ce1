#ifndef BONLOAD_TARGETS_WEB_WEB_LOOP_H
#define BONLOAD_TARGETS_WEB_WEB_LOOP_H

#include <curl/curl.h>
#include <stdint.h>

#include "util/err.h"

struct web_socket;

/*
 * The transfers of one thread: libcurl's multi interface on epoll(7). The cost depends on the
 * number of sockets with events, not on that of all sockets. The socket of a connection that is
 * kept alive stays registered with epoll between transfers, which saves system calls.
 */
struct web_loop {
    CURLM *multi;
    int epoll;
    uint64_t timer_ns;          /* when libcurl must be called, by clock_ns(); UINT64_MAX: never */
    uint64_t now_ns;            /* when the last wait began, by clock_ns() */
    struct web_socket *sockets; /* indexed by descriptor */
    unsigned room;
};

/*
 * Opens a loop that keeps up to `connections` connections alive. Returns 0, or a negative errno
 * with a line in e; the caller must call web_loop_close() in either case.
 */
int web_loop_open(struct web_loop *l, unsigned connections, struct err *e);
void web_loop_close(struct web_loop *l);

/*
 * Lets the loop watch the sockets of a handle. To be called once, before the handle's first
 * transfer.
 */
void web_loop_adopt(struct web_loop *l, CURL *easy);

/* Begins a transfer. If there is a connection, its request is sent at once. */
CURLMcode web_loop_begin(struct web_loop *l, CURL *easy);

/* Removes the next ended transfer from the loop and returns its handle; NULL: there is none. */
CURL *web_loop_ended(struct web_loop *l, CURLcode *code);

/* Removes a transfer that has not ended from the loop, and closes its connection. */
void web_loop_abandon(struct web_loop *l, CURL *easy);

/* Waits for events until clock_ns() reaches until_ns, and lets libcurl handle them. */
void web_loop_wait(struct web_loop *l, uint64_t until_ns);

#endif
