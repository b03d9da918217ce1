// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "bonload/ledger/names.h"
#include "bonload/targets/web/web.h"

/* http: the name of a request is its URL. */

enum { HTTP_POST = WEB_COMMON, HTTP_PATCH };

static const char *const op_names[] = {
    WEB_COMMON_NAMES, [HTTP_POST] = "post", [HTTP_PATCH] = "patch", NULL};
static const enum web_method methods[] = {
    WEB_COMMON_METHODS, [HTTP_POST] = METHOD_POST, [HTTP_PATCH] = METHOD_PATCH};

/* Checks that a URL has a known scheme, and no password, which reports would show. */
static int check_url(char *url, struct err *e)
{
    if (!name_is_url(url))
        return err_say(e, "'%.100s' is not a URL; expected http://HOST/PATH or https://HOST/PATH",
                       url);
    if (credentials_end(url))
        return err_say(
            e, "a URL must not contain a user's name or password, which reports would show; "
               "use -header='Authorization: ...'");
    return 0;
}

/* Hides the credentials as a whole, and the password alone, in all messages. */
static void hide_credentials(struct web_state *s, const char *credentials)
{
    const char *colon = strchr(credentials, ':');
    web_reasons_hide(&s->reasons, credentials);
    web_reasons_hide(&s->reasons, colon ? colon + 1 : NULL);
}

/*
 * Hides the credentials of all names, and checks the names. Servers' messages are not shown at all,
 * because they may contain other secrets.
 */
static int http_open(struct web_state *s, struct err *e)
{
    const struct names *names = s->setup.names;
    hide_credentials(s, s->setup.plan->settings->credentials);
    for (uint64_t i = 0; names->credentials && i < names->line_count; i++)
        if (names->credentials[i])
            hide_credentials(s, names->credentials[i]);
    return web_check_names(s, check_url, e);
}

/* Replaces each blank, which URLs cannot have, by "%20". `url` must have room for that. */
static void encode_blanks(char *url)
{
    for (char *at = strchr(url, ' '); at; at = strchr(at, ' ')) {
        memmove(at + 3, at + 1, strlen(at));
        memcpy(at, "%20", 3);
    }
}

static uint32_t http_address(struct web_exchange *x)
{
    const struct names *names = x->thread->shared->setup.names;
    enum web_method method = web_method_of(x);
    encode_blanks(x->name);
    if (names->credentials)
        web_exchange_identify(x, credentials_of(names, x->request->number));
    web_exchange_send_body(x, 0, method_sends(method) ? x->expected.size : 0);
    web_exchange_set(x, method, x->name);
    return 0;
}

static const struct web_dialect dialect = {
    .methods = methods, .open = http_open, .address = http_address};

const struct target_ops target_http = {
    .name = "http",
    .traits = TARGET_NAMES | TARGET_URLS,
    .ops = op_names,
    .dialect = &dialect,
    .check = web_check,
    WEB_OPERATIONS,
};
