#ifndef TOOLS_STREAM_ENGINE_H
#define TOOLS_STREAM_ENGINE_H

#include "io/engine.h"

/*
 * An engine for pipes and terminals, which cannot be read at an offset: each transfer continues
 * where the last one ended, whatever its offset says, and there is one transfer at a time. At the
 * end of the stream a transfer fails with STREAM_ENDED.
 */
extern const struct engine_ops engine_stream;

#define STREAM_ENDED ENODATA

#endif
