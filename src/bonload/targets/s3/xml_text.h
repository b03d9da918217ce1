#ifndef BONLOAD_TARGETS_S3_XML_TEXT_H
#define BONLOAD_TARGETS_S3_XML_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The text of the first element of that name, for answers like <Code>NoSuchKey</Code>. Nested
 * elements are not part of the text. The answer may be cut off anywhere; an element without an end
 * does not count. Returns false when there is none, in which case text is empty. A text that is
 * longer than its room is cut.
 */
bool xml_text(const char *xml, size_t length, const char *element, char *text, size_t size);

#endif
