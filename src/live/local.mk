src_libsuite_a_SOURCES += \
	src/live/colours.h \
	src/live/monitor.c src/live/monitor.h \
	src/live/progress_bar.c src/live/progress_bar.h \
	src/live/progress_lines.c src/live/progress_lines.h \
	src/live/shared_stats.c src/live/shared_stats.h
