#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bonload/targets/s3/s3.h"

/*
 * An upload in parts. Beginning it returns an id, sending each part returns a tag, and sending the
 * list of tags completes it. If it fails, it is aborted, so that its parts do not stay in the
 * store.
 */

#define LIST_BEGIN "<CompleteMultipartUpload>"
#define LIST_END   "</CompleteMultipartUpload>"

/* Text of a part in the list: its tag has up to 95 characters, each up to 6 when escaped. */
#define PART_TEXT 640

bool s3_upload_open(struct upload *u, uint64_t parts_most)
{
    size_t size = sizeof LIST_BEGIN + sizeof LIST_END + (size_t)parts_most * 160 + PART_TEXT;
    char *memory = malloc(size);
    if (memory)
        text_begin(&u->list, memory, size);
    return memory;
}

uint32_t s3_upload_begin(struct web_exchange *x)
{
    struct upload *u = &((struct s3_exchange *)x->own)->upload;
    u->step = UPLOAD_BEGIN;
    u->part = 0;
    text_begin(&u->list, u->list.memory, u->list.size);
    text_put(&u->list, LIST_BEGIN);
    web_exchange_send_text(x, "");
    uint32_t failure = s3_set(x, METHOD_POST, x->name, "uploads=", "uploads");
    x->keeps_answer = true;
    return failure;
}

/*
 * Prepares the transfer of a step, whose body has been set. `part` is the start of its query.
 * Returns true, because a transfer follows.
 */
static bool set_step(struct web_exchange *x, struct upload *u, enum upload_step step,
                     const char *part)
{
    static const enum web_method methods[] = {
        [UPLOAD_PART] = METHOD_PUT, [UPLOAD_END] = METHOD_POST, [UPLOAD_ABORT] = METHOD_DELETE};
    char memory[3 * sizeof u->id + 64];
    char plain[sizeof u->id + 64];
    struct text query;
    text_begin(&query, memory, sizeof memory);
    text_put_all(&query, part, "uploadId=");
    text_put_encoded(&query, u->id, "");
    snprintf(plain, sizeof plain, "%suploadId=%s", part, u->id);
    u->step = step;
    x->failure = s3_set(x, methods[step], x->name, memory, plain);
    x->keeps_answer = step != UPLOAD_PART;
    return true;
}

static bool put_part(struct web_exchange *x, struct upload *u)
{
    char part[48];
    const struct s3_shared *s3 = x->thread->shared->own;
    uint64_t from = u->part * s3->part_bytes;
    uint64_t left = x->expected.size - from;
    snprintf(part, sizeof part, "partNumber=%" PRIu64 "&", ++u->part);
    web_exchange_send_body(x, from, left < s3->part_bytes ? left : s3->part_bytes);
    return set_step(x, u, UPLOAD_PART, part);
}

/*
 * Prepares to abort the upload if it was begun, and keeps its first failure. Returns whether a
 * transfer follows.
 */
static bool give_up(struct web_exchange *x, struct upload *u)
{
    u->failure = x->failure;
    if (u->step == UPLOAD_BEGIN) {
        u->step = UPLOAD_NONE;
        return false;
    }
    web_exchange_send_text(x, "");
    return set_step(x, u, UPLOAD_ABORT, "");
}

/* Appends a text, escaped for XML. */
static void put_escaped(struct text *t, const char *more)
{
    for (; *more; more++) {
        const char *entity = *more == '&' ? "&amp;" : *more == '<' ? "&lt;" : "&quot;";
        if (*more == '&' || *more == '<' || *more == '"')
            text_put(t, entity);
        else
            text_put_byte(t, *more);
    }
}

static void note_part(struct web_exchange *x, struct upload *u)
{
    char number[24];
    snprintf(number, sizeof number, "%" PRIu64, u->part);
    text_put_all(&u->list, "<Part><PartNumber>", number, "</PartNumber><ETag>");
    put_escaped(&u->list, x->tag);
    text_put(&u->list, "</ETag></Part>");
}

/*
 * Prepares the transfer after a part: the next part, or the end. Returns whether a transfer
 * follows.
 */
static bool go_on(struct web_exchange *x, struct upload *u)
{
    const struct s3_shared *s3 = x->thread->shared->own;
    note_part(x, u);
    if (u->part * s3->part_bytes < x->expected.size)
        return put_part(x, u);
    text_put(&u->list, LIST_END);
    web_exchange_send_text(x, u->list.memory);
    if (text_is_whole(&u->list))
        return set_step(x, u, UPLOAD_END, "");
    x->failure = web_failure(x, "the tags of the parts are too long");
    return give_up(x, u);
}

/*
 * Whether the answer reports an error: a store may answer 200 before it finds that it cannot
 * complete the upload.
 */
static bool has_error(struct web_exchange *x)
{
    char code[WEB_REASON_KEY];
    char text[WEB_REASON_KEY + 32];
    if (!xml_text(x->answer, x->answer_used, "Code", code, sizeof code))
        return false;
    snprintf(text, sizeof text, "200 with an error: %s", code);
    x->failure = web_failure(x, text);
    return true;
}

bool s3_upload_follow(struct web_exchange *x)
{
    struct upload *u = &((struct s3_exchange *)x->own)->upload;
    switch (u->step) {
    case UPLOAD_NONE:
        return false;
    case UPLOAD_BEGIN:
        if (x->failure == 0 &&
            !xml_text(x->answer, x->answer_used, "UploadId", u->id, sizeof u->id))
            x->failure = web_failure(x, "the answer has no upload ID");
        return x->failure == 0 ? put_part(x, u) : give_up(x, u);
    case UPLOAD_PART:
        return x->failure == 0 ? go_on(x, u) : give_up(x, u);
    case UPLOAD_END:
        if (x->failure != 0 || has_error(x))
            return give_up(x, u);
        break;
    case UPLOAD_ABORT:
        x->failure = u->failure;
        break;
    }
    u->step = UPLOAD_NONE;
    return false;
}
