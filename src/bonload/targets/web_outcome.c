#include "bonload/targets/web_outcome.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bonload/targets/web.h"

/* ---- the server answered, but not with success -------------------------------------------------
 */

struct phrase {
    long status;
    const char *text;
};

/* The usual ones (RFC 9110); what the server's first line says is of no use in HTTP/2. */
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
    char code[REASON_KEY];
    char message[REASON_TOLD];
    char key[2 * REASON_KEY];
    char text[2 * REASON_TOLD];
    if (s->dialect->explain && s->dialect->explain(x, code, message)) {
        snprintf(key, sizeof key, "%ld %s", x->status, code);
        snprintf(text, sizeof text, "%s%s%s", key, *message ? ": " : "", message);
    } else {
        snprintf(key, sizeof key, "%ld", x->status);
        snprintf(text, sizeof text, "%s %s", key, phrase_of(x->status));
    }
    return reasons_failure(&s->reasons, key, text);
}

/* ---- there was no answer, or only part of one --------------------------------------------------
 */

/* What is wrong where libcurl's own words are not the plainest; NULL: use those. */
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

/* The system's reason, which libcurl puts at the end of what it says. */
static const char *reason_in(const char *error)
{
    const char *colon = strstr(error, "ailure: ");
    return colon ? colon + strlen("ailure: ") : error;
}

static void describe_transport(const struct web_exchange *x, CURLcode code,
                               char text[static REASON_TOLD])
{
    const char *plain = words_for(code);
    const char *error = x->error[0] ? x->error : curl_easy_strerror(code);
    long number = 0;
    curl_easy_getinfo(x->easy, CURLINFO_OS_ERRNO, &number);
    if (plain)
        snprintf(text, REASON_TOLD, "%s", plain);
    else if (code == CURLE_COULDNT_CONNECT && number != 0)
        snprintf(text, REASON_TOLD, "connect: %s", strerrordesc_np((int)number));
    else if (code == CURLE_RECV_ERROR)
        snprintf(text, REASON_TOLD, "receive: %s", reason_in(error));
    else if (code == CURLE_SEND_ERROR)
        snprintf(text, REASON_TOLD, "send: %s", reason_in(error));
    else if (code == CURLE_SSL_CONNECT_ERROR || code == CURLE_PEER_FAILED_VERIFICATION)
        snprintf(text, REASON_TOLD, "TLS: %s", error);
    else
        snprintf(text, REASON_TOLD, "%s", curl_easy_strerror(code));
}

static uint32_t of_transport(struct web_exchange *x, CURLcode code)
{
    char text[REASON_TOLD];
    describe_transport(x, code, text);
    return reasons_failure(&x->thread->shared->reasons, text, text);
}

/* To libcurl, headers that end with the connection are all there. */
static uint32_t of_half(struct web_exchange *x)
{
    static const char text[] = "closed within the headers";
    return reasons_failure(&x->thread->shared->reasons, text, text);
}

uint32_t web_outcome(struct web_exchange *x, CURLcode code)
{
    if (code != CURLE_OK)
        return of_transport(x, code);
    curl_easy_getinfo(x->easy, CURLINFO_RESPONSE_CODE, &x->status);
    if (!x->has_headers)
        return of_half(x);
    return web_is_success(x->status) ? 0 : of_status(x);
}
