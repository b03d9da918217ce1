src_libsuite_a_SOURCES += \
	src/io/engine.h \
	src/io/engine_choice.c src/io/engine_choice.h \
	src/io/engine_options.h \
	src/io/engines/at_once.c src/io/engines/at_once.h \
	src/io/engines/null.c \
	src/io/engines/sync.c \
	src/io/engines/table.c \
	src/io/file.c src/io/file.h \
	src/io/file_place.c src/io/file_place.h \
	src/io/io_queue.c src/io/io_queue.h \
	src/io/io_queue_run.c \
	src/io/operation.h \
	src/io/transfer.c src/io/transfer.h

if HAVE_LIBAIO
src_libsuite_a_SOURCES += src/io/engines/libaio.c
endif
if HAVE_LIBURING
src_libsuite_a_SOURCES += src/io/engines/io_uring.c
endif
