#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bonload/targets/web.h"
#include "bonload/targets/web_headers.h"

/* http: the name of a request is its URL. */

static int check(struct plan *p, const struct settings *s, struct err *e)
{
    return web_check(p, s, web_op_names, e);
}

/* A URL that can be loaded: its scheme, and no password, which would be told with the name. */
static int check_url(const char *url, struct err *e)
{
    if (!name_is_url(url))
        return err_say(e, "'%.100s' is not a URL; expected http://HOST/PATH or https://HOST/PATH",
                       url);
    const char *host = strstr(url, "//");
    if (memchr(host + 2, '@', strcspn(host + 2, "/?#")))
        return err_say(
            e, "a URL must not contain a user's name or password, which reports would show; "
               "use -header='Authorization: ...'");
    return 0;
}

/* All lines of a file are looked at before the load begins. */
static int check_urls(const struct names *names, struct err *e)
{
    uint64_t count = names->lines ? names->line_count : 1;
    char *name = malloc(names->longest + 1);
    if (!name)
        return err_system(e, ENOMEM, "memory for a name");
    int rc = 0;
    for (uint64_t number = 1; rc == 0 && number <= count; number++) {
        names_format(names, number, name);
        rc = check_url(name, e);
    }
    free(name);
    return rc;
}

static int open_dialect(struct web_shared *s, struct err *e)
{
    int rc = check_urls(s->setup.names, e);
    return rc ? rc : web_headers_add(s, s->setup.plan->settings->headers, e);
}

static uint32_t address(struct web_exchange *x)
{
    unsigned op = x->request->op;
    web_exchange_set(x, web_methods[op], x->name);
    if (op == WEB_PUT)
        web_exchange_send_body(x, 0, x->expected.size);
    return 0;
}

static const struct web_dialect dialect = {.open = open_dialect, .address = address};

static int open_target(void **shared, const struct target_setup *setup, struct err *e)
{
    return web_open(shared, setup, &dialect, e);
}

const struct target_ops target_http = {
    .name = "http",
    .summary = "PUT and GET of URLs",
    .traits = TARGET_NAMES | TARGET_STORES,
    .ops = web_op_names,
    WEB_OPERATIONS,
    .check = check,
    .open = open_target,
};
