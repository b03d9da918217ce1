#include "tail/page.h"

#include <endian.h>
#include <string.h>

#include "tail/format.h"

/* Flags in the page's `commit` (kernel/trace/ring_buffer.c). */
#define LOST_EVENTS  (UINT32_C(1) << 31)
#define LOST_COUNTED (UINT32_C(1) << 30)
#define COMMIT_BYTES ((UINT32_C(1) << 20) - 1)

/*
 * Kinds of records. A smaller number than KIND_PADDING, other than 0, is the length of the record
 * in words.
 */
enum { KIND_LONG = 0, KIND_PADDING = 29, KIND_EXTEND = 30, KIND_STAMP = 31 };

#define DELTA_BITS 27

/* A record with an absolute time has no room for these bits; they stay as they were. */
#define STAMP_MISSING (UINT64_C(0xf8) << 56)

bool tail_page_layout(struct tail_page_layout *layout, const char *text)
{
    struct tail_field commit;
    struct tail_field data;
    if (!tail_format_field(text, "commit", &commit) || !tail_format_field(text, "data", &data))
        return false;
    *layout = (struct tail_page_layout){commit.offset, commit.size, data.offset, data.size};
    return commit.offset >= sizeof(uint64_t) && commit.size <= sizeof(uint64_t) &&
           data.offset > commit.offset && data.offset - commit.offset >= commit.size;
}

static uint32_t word_at(const unsigned char *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

bool tail_page_begin(struct tail_page *page, const struct tail_page_layout *layout,
                     const unsigned char *memory, size_t bytes)
{
    const struct tail_field commit = {.offset = layout->commit_offset, .size = layout->commit_size};
    *page = (struct tail_page){0};
    if (bytes < layout->data_offset)
        return false;
    size_t room = bytes - layout->data_offset;
    uint32_t committed = (uint32_t)tail_field_value(&commit, memory, bytes);
    page->data = memory + layout->data_offset;
    page->bytes = committed & COMMIT_BYTES;
    page->follows_loss = committed & LOST_EVENTS;
    memcpy(&page->base_ns, memory, sizeof page->base_ns);
    page->ns = page->base_ns;
    if (page->bytes > room)
        return false;
    const struct tail_field lost = {.offset = (unsigned)page->bytes, .size = layout->commit_size};
    if (page->follows_loss)
        page->lost = committed & LOST_COUNTED ? tail_field_value(&lost, page->data, room) : 1;
    return true;
}

/* The head of a record has its kind, and the time since the previous record. */
static void split_head(uint32_t word, unsigned *kind, uint64_t *delta)
{
#if __BYTE_ORDER == __LITTLE_ENDIAN
    *kind = word & 31;
    *delta = word >> 5;
#else
    *kind = word >> DELTA_BITS;
    *delta = word & ((UINT32_C(1) << DELTA_BITS) - 1);
#endif
}

const unsigned char *tail_page_next(struct tail_page *page, size_t *bytes)
{
    while (page->bytes - page->at >= 2 * sizeof(uint32_t)) {
        const unsigned char *at = page->data + page->at;
        size_t left = page->bytes - page->at;
        uint32_t second = word_at(at + sizeof(uint32_t));
        size_t size = 2 * sizeof(uint32_t);
        uint64_t delta;
        unsigned kind;
        split_head(word_at(at), &kind, &delta);
        if (kind == KIND_PADDING) {
            if (delta == 0) /* up to the end of the page */
                break;
            size = sizeof(uint32_t) + second;
        } else if (kind == KIND_EXTEND) {
            page->ns += delta + ((uint64_t)second << DELTA_BITS);
        } else if (kind == KIND_STAMP) {
            page->ns = (delta + ((uint64_t)second << DELTA_BITS)) | (page->base_ns & STAMP_MISSING);
        } else {
            size_t head = kind == KIND_LONG ? 2 * sizeof(uint32_t) : sizeof(uint32_t);
            size =
                sizeof(uint32_t) + (kind == KIND_LONG ? (size_t)second : kind * sizeof(uint32_t));
            if (size < head || size > left)
                break;
            page->ns += delta;
            page->at += size;
            *bytes = size - head;
            return at + head;
        }
        if (size > left || size == 0)
            break;
        page->at += size;
    }
    page->at = page->bytes;
    return NULL;
}
