#ifndef BONLOAD_TARGETS_XML_TEXT_H
#define BONLOAD_TARGETS_XML_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The text of the first element of that name, as stores answer: <Code>NoSuchKey</Code>. Elements
 * within it are no text of it. The answer may be cut off anywhere; an element whose end is missing
 * is not there. Returns false when it is not there; then *text is empty. What is longer than the
 * room for it is cut.
 */
bool xml_text(const char *xml, size_t length, const char *element, char *text, size_t size);

#endif
