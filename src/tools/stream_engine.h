#ifndef TOOLS_STREAM_ENGINE_H
#define TOOLS_STREAM_ENGINE_H

#include "io/engine.h"

/*
 * An engine for pipes and terminals, which have no offsets: each transfer goes on where the last
 * one has ended, whatever its own offset is, and there is only one transfer at a time. At the end
 * of the stream a transfer fails with STREAM_ENDED.
 */
extern const struct engine_ops engine_stream;

#define STREAM_ENDED ENODATA

#endif
