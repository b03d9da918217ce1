#ifndef BONLOAD_TARGETS_S3_XML_TEXT_H
#define BONLOAD_TARGETS_S3_XML_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Copies the text of the first element with that name: it is meant for answers like
 * <Code>NoSuchKey</Code>. Elements within it are not part of the text. The answer may be cut off
 * anywhere; an element without an end does not count. Returns false, with an empty text, when there
 * is no such element. Cuts a text that is too long.
 */
bool xml_text(const char *xml, size_t length, const char *element, char *text, size_t size);

#endif
