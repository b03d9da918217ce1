src_libsuite_a_SOURCES += \
	src/verify/contents.c src/verify/contents.h \
	src/verify/corruption_log.c src/verify/corruption_log.h \
	src/verify/generations.c src/verify/generations.h \
	src/verify/pattern.c src/verify/pattern.h
