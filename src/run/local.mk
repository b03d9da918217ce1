src_libsuite_a_SOURCES += \
	src/run/rounds.c src/run/rounds.h \
	src/run/section.c src/run/section.h
