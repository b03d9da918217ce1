// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <jansson.h>

#include "measure/facts.h"
#include "sys/host.h"
#include "util/err.h"

/* The envelope, the keys with which every JSON document of the suite begins, whichever program
 * prints it. share/ has a schema of each document. */
struct document {
    const char *format;      /* what kind of document it is: "boncut-check" */
    const char *label;       /* NULL: the name of the host */
    int64_t start_time;      /* seconds since 1970; 0: the run ends now */
    double elapsed_seconds;  /* of the whole run */
    const struct host *host; /* NULL: this machine */
    json_t *storage; /* storage_json(), or json_null(): it is not of this machine; belongs to the
                        document from now on, as the settings do */
    json_t *settings;
    const char *verdict; /* NULL: the program answers no question */
    const char *reason;  /* the verdict in a sentence */
};

/* Version of all formats, which the schemas have, too. */
#define FORMAT_VERSION 1

/* Makes the object with the envelope, to which the caller appends the rest. */
json_t *document_begin(const struct document *d);

/* Describes a storage: how it is mounted, the drives at its bottom, and what stands in its way. */
json_t *storage_json(const struct mount_info *mount, const struct device_set *devices,
                     const struct facts *facts);

/* Formats a document with jansson's further flags, and releases it. The caller frees the text.
 * NULL: memory has run out. */
char *document_end(json_t *document, size_t flags);

/* Prints a document in one line, and releases it. Returns 0, or -ENOMEM with a line in e. */
int document_print(json_t *document, struct err *e);
