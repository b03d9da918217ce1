#ifndef TOOLS_STREAM_ENGINE_H
#define TOOLS_STREAM_ENGINE_H

#include "io/engine.h"

/*
 * An engine for what cannot be read at an offset, a pipe or a terminal: it reads on from where the
 * last transfer ended, one at a time, whatever their offsets say. At the end of the stream a
 * transfer fails with STREAM_ENDED.
 */
extern const struct engine_ops engine_stream;

#define STREAM_ENDED ENODATA

#endif
