#include "bonload/targets/web/web_outcome.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bonload/targets/web/web_exchange.h"
#include "util/portable.h"

/* ---- unsuccessful answers -------------------------------------------------------------------- */

struct phrase {
    long status;
    const char *text;
};

/* Usual phrases (RFC 9110). HTTP/2 has no phrases in its answers. */
static const struct phrase phrases[] = {
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {416, "Range Not Satisfiable"},
    {429, "Too Many Requests"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {507, "Insufficient Storage"},
};

static const char *phrase_of(long status)
{
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
        if (phrases[i].status == status)
            return phrases[i].text;
    return "not a success";
}

static uint32_t of_status(struct web_exchange *x)
{
    struct web_shared *s = x->thread->shared;
    char code[WEB_REASON_KEY];
    char message[WEB_REASON_TOLD];
    char key[2 * WEB_REASON_KEY];
    char text[2 * WEB_REASON_TOLD];
    if (s->dialect->explain && s->dialect->explain(x, code, message)) {
        snprintf(key, sizeof key, "%ld %s", x->status, code);
        snprintf(text, sizeof text, "%s%s%s", key, *message ? ": " : "", message);
    } else {
        snprintf(key, sizeof key, "%ld", x->status);
        snprintf(text, sizeof text, "%s %s", key, phrase_of(x->status));
    }
    return web_reasons_failure(&s->reasons, key, text);
}

/* ---- no answer, or a partial one ------------------------------------------------------------- */

/* A plainer description of an error than libcurl's; NULL: there is none. */
static const char *words_for(CURLcode code)
{
    switch (code) {
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
        return "the answer is not HTTP";
    case CURLE_URL_MALFORMAT:
        return "the URL cannot be used";
    case CURLE_COULDNT_RESOLVE_HOST:
        return "the host name cannot be resolved";
    case CURLE_PARTIAL_FILE:
        return "the body is shorter than announced";
    case CURLE_FILESIZE_EXCEEDED:
        return "no body can have the announced length";
    case CURLE_WRITE_ERROR:
        return "the headers do not end";
    case CURLE_OPERATION_TIMEDOUT:
        return "timed out";
    case CURLE_GOT_NOTHING:
        return "closed without an answer";
    default:
        return NULL;
    }
}

/* The system's reason at the end of libcurl's message. */
static const char *reason_in(const char *error)
{
    const char *colon = strstr(error, "ailure: ");
    return colon ? colon + strlen("ailure: ") : error;
}

static void describe_transport(const struct web_exchange *x, CURLcode code,
                               char text[static WEB_REASON_TOLD])
{
    const char *plain = words_for(code);
    const char *error = x->error[0] ? x->error : curl_easy_strerror(code);
    long number = 0;
    curl_easy_getinfo(x->easy, CURLINFO_OS_ERRNO, &number);
    if (plain)
        snprintf(text, WEB_REASON_TOLD, "%s", plain);
    else if (code == CURLE_COULDNT_CONNECT && number != 0)
        snprintf(text, WEB_REASON_TOLD, "connect: %s", portable_reason((int)number));
    else if (code == CURLE_RECV_ERROR)
        snprintf(text, WEB_REASON_TOLD, "receive: %s", reason_in(error));
    else if (code == CURLE_SEND_ERROR)
        snprintf(text, WEB_REASON_TOLD, "send: %s", reason_in(error));
    else if (code == CURLE_SSL_CONNECT_ERROR || code == CURLE_PEER_FAILED_VERIFICATION)
        snprintf(text, WEB_REASON_TOLD, "TLS: %s%s", error,
                 strstr(error, "wrong version number") ? "; is it http?" : "");
    else
        snprintf(text, WEB_REASON_TOLD, "%s", curl_easy_strerror(code));
}

static uint32_t of_transport(struct web_exchange *x, CURLcode code)
{
    char text[WEB_REASON_TOLD];
    describe_transport(x, code, text);
    return web_reasons_failure(&x->thread->shared->reasons, text, text);
}

/*
 * Judges an answer that the end of the connection has cut off: libcurl takes its headers for
 * complete.
 */
static uint32_t of_half(struct web_exchange *x)
{
    static const char text[] = "closed within the headers";
    return web_reasons_failure(&x->thread->shared->reasons, text, text);
}

uint32_t web_outcome(struct web_exchange *x, CURLcode code)
{
    if (code != CURLE_OK)
        return of_transport(x, code);
    curl_easy_getinfo(x->easy, CURLINFO_RESPONSE_CODE, &x->status);
    if (!x->has_headers)
        return of_half(x);
    return web_is_success(x) ? 0 : of_status(x);
}
