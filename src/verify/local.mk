src_libsuite_a_SOURCES += \
	src/verify/contents.c src/verify/contents.h \
	src/verify/pattern.c src/verify/pattern.h
