src_libsuite_a_SOURCES += \
	src/run/section.c src/run/section.h
