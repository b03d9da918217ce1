#ifndef BONNIE_PRESET_H
#define BONNIE_PRESET_H

#include "bonnie/settings.h"

#define DEFAULT_PRESET "bonnie++"

/* What a preset puts where the user said nothing. */
struct preset_defaults {
    const char *name; /* as --preset takes it */
    bool tests[TEST_COUNT];
    uint64_t size_unit;  /* of -s without a suffix */
    uint64_t data_bytes; /* 0: twice the RAM */
    uint64_t chunk_bytes;
    bool every_cpu; /* a worker for each */
    uint64_t iops_block_bytes;
    uint64_t drop_interval_ns;
    uint64_t perchar_bytes;
    uint64_t seeks;
    unsigned seekers;
    uint64_t files_k;
    bool host_name_is_label;
    bool makes_directory; /* one that is not there is made, and stays */
    const char *table;    /* the report that "text" stands for */
    const char *json;     /* and that "json" does */
    bool repeats_in_csv;  /* several runs are CSV unless something else is asked for */
    size_t format_count;
    const char *formats[MAX_FORMATS];
};

/* The names of all presets, up to a NULL. */
extern const char *const preset_names[];

/* The preset of that name; NULL: there is none. */
const struct preset_defaults *preset_by_name(const char *name);

#endif
