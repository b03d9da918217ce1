#include "bonload/targets/web/web.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/portable.h"

struct phrase {
    long code;
    const char *text;
};

/* Usual phrases (RFC 9110). HTTP/2 has no phrases in its answers. */
static const struct phrase statuses[] = {
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
    {0, "not a success"},
};

/* What libcurl says both of a line of more than 100 KiB and of memory that it does not get. */
#define LINE_TOO_LONG "a line of headers is too long, or memory is short"

/* Errors that are described more plainly than by libcurl. */
static const struct phrase transports[] = {
    {CURLE_UNSUPPORTED_PROTOCOL, "the answer is not HTTP"},
    {CURLE_WEIRD_SERVER_REPLY, "the answer is not HTTP"},
    {CURLE_URL_MALFORMAT, "the URL cannot be used"},
    {CURLE_COULDNT_RESOLVE_HOST, "the host name cannot be resolved"},
    {CURLE_PARTIAL_FILE, "the body is shorter than announced"},
    {CURLE_FILESIZE_EXCEEDED, "no body can have the announced length"},
    {CURLE_WRITE_ERROR, "the headers do not end"},
    {CURLE_OPERATION_TIMEDOUT, "timed out"},
    {CURLE_GOT_NOTHING, "closed without an answer"},
    {CURLE_OUT_OF_MEMORY, LINE_TOO_LONG}, /* up to 8.5 */
    {100, LINE_TOO_LONG},                 /* CURLE_TOO_LARGE */
    {0, NULL},
};

/* The phrase for a code, or that of the last row, whose code is 0. */
static const char *phrase_of(const struct phrase *list, long code)
{
    while (list->code != 0 && list->code != code)
        list++;
    return list->text;
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
        snprintf(text, sizeof text, "%s %s", key, phrase_of(statuses, x->status));
    }
    return web_reasons_failure(&s->reasons, key, text);
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
    const char *plain = phrase_of(transports, code);
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

uint32_t web_failure(const struct web_exchange *x, const char *text)
{
    return web_reasons_failure(&x->thread->shared->reasons, text, text);
}

uint32_t web_outcome(struct web_exchange *x, CURLcode code)
{
    char text[WEB_REASON_TOLD];
    if (code != CURLE_OK) {
        describe_transport(x, code, text);
        return web_failure(x, text);
    }
    curl_easy_getinfo(x->easy, CURLINFO_RESPONSE_CODE, &x->status);
    if (!x->has_headers) /* libcurl takes them for complete when the connection ends */
        return web_failure(x, "closed within the headers");
    return web_is_success(x) ? 0 : of_status(x);
}
