#ifndef BONNIE_CHOICES_H
#define BONNIE_CHOICES_H

/* Constants that settings, plan and result share. */

/* Whether cached data is evicted before tests that read. */
enum cache_mode { CACHE_EVICT, CACHE_KEEP };

/* Most formats that a session can print: text, csv, json, html, each at most once. */
#define MAX_FORMATS 4

/* Defaults of Bonnie++, which its table and its CSV line omit. */
#define DEFAULT_CHUNK_BYTES      8192
#define DEFAULT_FILE_CHUNK_BYTES 8192
#define DEFAULT_SEEKS            8192
#define DEFAULT_SEEKERS          5

#endif
