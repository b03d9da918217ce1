#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bonload/targets/s3/s3.h"
#include "bonload/targets/s3/xml_text.h"

/*
 * An upload in parts. Beginning it returns an id, sending each part returns a tag, and sending the
 * list of tags completes it. If it fails, it is aborted, so that its parts do not stay in the
 * store.
 */

#define LIST_BEGIN "<CompleteMultipartUpload>"
#define LIST_END   "</CompleteMultipartUpload>"

/* Text of a part in the list: its tag has up to 95 characters, each up to 6 when escaped. */
#define PART_TEXT 640

int s3_upload_open(struct upload *u, uint64_t parts_most)
{
    size_t size = sizeof LIST_BEGIN + sizeof LIST_END + (size_t)parts_most * 160 + PART_TEXT;
    *u = (struct upload){0};
    if (parts_most == 0)
        return 0;
    char *memory = malloc(size);
    if (!memory)
        return -ENOMEM;
    text_begin(&u->list, memory, size);
    return 0;
}

void s3_upload_close(struct upload *u)
{
    free(u->list.memory);
    u->list.memory = NULL;
}

/* ---- transfers ------------------------------------------------------------------------------- */

uint32_t s3_upload_begin(struct web_exchange *x)
{
    struct upload *u = &s3_exchange_of(x)->upload;
    static const struct sign_pair query[] = {{"uploads", ""}};
    const struct s3_transfer t = {
        .method = METHOD_POST, .key = x->name, .query = query, .query_count = 1, .text = ""};
    u->step = UPLOAD_BEGIN;
    u->failure = 0;
    u->part = 0;
    text_begin(&u->list, u->list.memory, u->list.size);
    text_put(&u->list, LIST_BEGIN);
    uint32_t failure = s3_set(x, &t);
    x->keeps_answer = true;
    return failure;
}

static bool put_part(struct web_exchange *x, struct upload *u)
{
    char number[24];
    uint64_t part_bytes = s3_shared_of(x)->part_bytes;
    uint64_t from = u->part * part_bytes;
    uint64_t left = x->expected.size - from;
    snprintf(number, sizeof number, "%" PRIu64, ++u->part);
    const struct sign_pair query[] = {{"partNumber", number}, {"uploadId", u->id}};
    const struct s3_transfer t = {
        .method = METHOD_PUT,
        .key = x->name,
        .query = query,
        .query_count = 2,
        .from = from,
        .bytes = left < part_bytes ? left : part_bytes,
    };
    u->step = UPLOAD_PART;
    x->failure = s3_set(x, &t);
    return true;
}

/* Prepares the last transfer: the list of parts (UPLOAD_END), or the abort. */
static bool end_upload(struct web_exchange *x, struct upload *u, enum upload_step step)
{
    bool is_end = step == UPLOAD_END;
    const struct sign_pair query[] = {{"uploadId", u->id}};
    const struct s3_transfer t = {
        .method = is_end ? METHOD_POST : METHOD_DELETE,
        .key = x->name,
        .query = query,
        .query_count = 1,
        .text = is_end ? u->list.memory : "",
    };
    u->step = step;
    x->failure = s3_set(x, &t);
    x->keeps_answer = true;
    return true;
}

/* ---- what follows ---------------------------------------------------------------------------- */

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
    return end_upload(x, u, UPLOAD_ABORT);
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
    text_put(&u->list, "<Part><PartNumber>");
    text_put(&u->list, number);
    text_put(&u->list, "</PartNumber><ETag>");
    put_escaped(&u->list, x->tag);
    text_put(&u->list, "</ETag></Part>");
}

static bool take_id(struct web_exchange *x, struct upload *u)
{
    struct text id;
    bool is_there =
        xml_text(x->answer, x->answer_used, "UploadId", u->plain_id, sizeof u->plain_id);
    text_begin(&id, u->id, sizeof u->id);
    text_put_encoded(&id, u->plain_id, "");
    return is_there && text_is_whole(&id);
}

static uint32_t upload_failure(struct web_exchange *x, const char *text)
{
    return web_reasons_failure(&x->thread->shared->reasons, text, text);
}

/*
 * Prepares the transfer after a part: the next part, or the end. Returns whether a transfer
 * follows.
 */
static bool go_on(struct web_exchange *x, struct upload *u)
{
    note_part(x, u);
    if (u->part * s3_shared_of(x)->part_bytes < x->expected.size)
        return put_part(x, u);
    text_put(&u->list, LIST_END);
    if (text_is_whole(&u->list))
        return end_upload(x, u, UPLOAD_END);
    x->failure = upload_failure(x, "the tags of the parts are too long");
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
    x->failure = upload_failure(x, text);
    return true;
}

bool s3_upload_follow(struct web_exchange *x)
{
    struct upload *u = &s3_exchange_of(x)->upload;
    switch (u->step) {
    case UPLOAD_NONE:
        return false;
    case UPLOAD_BEGIN:
        if (x->failure == 0 && !take_id(x, u))
            x->failure = upload_failure(x, "the answer has no upload ID");
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
