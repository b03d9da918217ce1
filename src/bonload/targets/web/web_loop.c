#include "bonload/targets/web/web_loop.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "measure/clock.h"
#include "util/descriptor.h"
#include "util/units.h"

#define NEVER        UINT64_MAX
#define EVENTS_MOST  64
#define LONGEST_WAIT 1000 /* ms */

struct web_socket {
    uint32_t wanted; /* events that libcurl waits for, as bits of epoll */
    uint32_t set;    /* events that epoll watches; 0: the socket is not registered */
    bool is_lasting; /* belongs to a connection whose end libcurl reports */
};

/* The entry of a descriptor; NULL when there is no memory. */
static struct web_socket *socket_of(struct web_loop *l, int fd)
{
    if (fd < 0)
        return NULL;
    if ((unsigned)fd >= l->room) {
        unsigned room = 2 * (unsigned)fd + 64;
        struct web_socket *more = realloc(l->sockets, room * sizeof *more);
        if (!more)
            return NULL;
        memset(more + l->room, 0, (room - l->room) * sizeof *more);
        l->sockets = more;
        l->room = room;
    }
    return &l->sockets[fd];
}

static void tell_epoll(struct web_loop *l, int fd, struct web_socket *s, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.fd = fd};
    int how = events == 0 ? EPOLL_CTL_DEL : s->set == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
    if (s->set == events)
        return;
    s->set = epoll_ctl(l->epoll, how, fd, &event) == 0 ? events : 0;
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *loop, void *unused)
{
    struct web_socket *s = socket_of(loop, fd);
    (void)easy, (void)unused;
    if (!s)
        return -1;
    s->wanted = (what & CURL_POLL_IN ? EPOLLIN : 0) | (what & CURL_POLL_OUT ? EPOLLOUT : 0);
    if (s->wanted != 0 || !s->is_lasting)
        tell_epoll(loop, fd, s, s->wanted);
    return 0;
}

static int on_timer(CURLM *multi, long milliseconds, void *loop)
{
    struct web_loop *l = loop;
    (void)multi;
    l->timer_ns = milliseconds < 0    ? NEVER
                  : milliseconds == 0 ? 0
                                      : clock_ns() + (uint64_t)milliseconds * MILLION;
    return 0;
}

static curl_socket_t on_open(void *loop, curlsocktype purpose, struct curl_sockaddr *address)
{
    int fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    struct web_socket *s = socket_of(loop, fd);
    (void)purpose;
    if (s)
        *s = (struct web_socket){.is_lasting = true};
    return fd;
}

static int on_close(void *loop, curl_socket_t fd)
{
    struct web_socket *s = socket_of(loop, fd);
    if (s)
        *s = (struct web_socket){0};
    return close(fd);
}

int web_loop_open(struct web_loop *l, unsigned connections, struct err *e)
{
    *l = (struct web_loop){.timer_ns = NEVER};
    l->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (l->epoll < 0)
        return err_system(e, errno, "open an epoll");
    l->multi = curl_multi_init();
    if (!l->multi)
        return err_system(e, ENOMEM, "memory for libcurl");
    curl_multi_setopt(l->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(l->multi, CURLMOPT_SOCKETDATA, l);
    curl_multi_setopt(l->multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(l->multi, CURLMOPT_TIMERDATA, l);
    curl_multi_setopt(l->multi, CURLMOPT_MAXCONNECTS, (long)connections + 1);
    return 0;
}

void web_loop_close(struct web_loop *l)
{
    if (l->multi)
        curl_multi_cleanup(l->multi);
    descriptor_close(&l->epoll);
    free(l->sockets);
}

void web_loop_adopt(struct web_loop *l, CURL *easy)
{
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_open);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, l);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, on_close);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, l);
}

static void run_timer(struct web_loop *l)
{
    int running;
    l->timer_ns = NEVER;
    curl_multi_socket_action(l->multi, CURL_SOCKET_TIMEOUT, 0, &running);
}

CURLMcode web_loop_begin(struct web_loop *l, CURL *easy)
{
    CURLMcode code = curl_multi_add_handle(l->multi, easy);
    if (code == CURLM_OK && l->timer_ns == 0)
        run_timer(l);
    return code;
}

CURL *web_loop_ended(struct web_loop *l, CURLcode *code)
{
    int left;
    CURLMsg *message = curl_multi_info_read(l->multi, &left);
    if (!message) /* all messages are of ended transfers */
        return NULL;
    CURL *easy = message->easy_handle;
    *code = message->data.result;
    curl_multi_remove_handle(l->multi, easy);
    return easy;
}

void web_loop_abandon(struct web_loop *l, CURL *easy)
{
    curl_multi_remove_handle(l->multi, easy);
}

/*
 * Lets libcurl handle an event. Stops watching a socket that libcurl does not wait for, which is
 * usually an idle connection that the server has closed.
 */
static void loop_act(struct web_loop *l, const struct epoll_event *event)
{
    int running;
    int fd = event->data.fd;
    struct web_socket *s = socket_of(l, fd);
    int bits = (event->events & EPOLLIN ? CURL_CSELECT_IN : 0) |
               (event->events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
               (event->events & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);
    if (s && s->wanted == 0)
        tell_epoll(l, fd, s, 0);
    else
        curl_multi_socket_action(l->multi, fd, bits, &running);
}

/* Waits with epoll_wait(2), whose unit is a millisecond, and with ppoll(2) for less than one. */
static int loop_watch(struct web_loop *l, struct epoll_event *events, uint64_t until_ns)
{
    uint64_t now_ns = l->now_ns = clock_ns();
    uint64_t left_ns = until_ns > now_ns ? until_ns - now_ns : 0;
    uint64_t left_ms = left_ns / MILLION;
    if (left_ns > 0 && left_ms == 0) {
        struct pollfd self = {.fd = l->epoll, .events = POLLIN};
        const struct timespec left = {.tv_nsec = (long)left_ns};
        ppoll(&self, 1, &left, NULL);
    }
    return epoll_wait(l->epoll, events, EVENTS_MOST,
                      (int)(left_ms < LONGEST_WAIT ? left_ms : LONGEST_WAIT));
}

void web_loop_wait(struct web_loop *l, uint64_t until_ns)
{
    struct epoll_event events[EVENTS_MOST];
    int count = loop_watch(l, events, l->timer_ns < until_ns ? l->timer_ns : until_ns);
    for (int i = 0; i < count; i++)
        loop_act(l, &events[i]);
    if (l->timer_ns != NEVER && l->timer_ns <= clock_ns())
        run_timer(l);
}
