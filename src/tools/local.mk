bonnie_SOURCES += \
	src/tools/bad_ranges.c src/tools/bad_ranges.h \
	src/tools/byte_ways.c src/tools/byte_ways.h \
	src/tools/generate_randfile.c \
	src/tools/getc_putc.c \
	src/tools/rand_sequence.c src/tools/rand_sequence.h \
	src/tools/stream_engine.c src/tools/stream_engine.h \
	src/tools/tool.c src/tools/tool.h \
	src/tools/tools.h \
	src/tools/zcav.c \
	src/tools/zcav_device.c src/tools/zcav_device.h \
	src/tools/zcav_guard.c src/tools/zcav_guard.h \
	src/tools/zcav_json.c src/tools/zcav_json.h \
	src/tools/zcav_log.c src/tools/zcav_log.h \
	src/tools/zcav_loops.c src/tools/zcav_loops.h \
	src/tools/zcav_options.c src/tools/zcav_options.h \
	src/tools/zcav_run.c src/tools/zcav_run.h
