src_libsuite_a_SOURCES += \
	src/tail/causes.c src/tail/causes.h \
	src/tail/decode.c src/tail/decode.h \
	src/tail/event.h \
	src/tail/examiner.c src/tail/examiner.h \
	src/tail/format.c src/tail/format.h \
	src/tail/ground.c src/tail/ground.h \
	src/tail/history.c src/tail/history.h \
	src/tail/page.c src/tail/page.h \
	src/tail/remover.c src/tail/remover.h \
	src/tail/run_delay.c src/tail/run_delay.h \
	src/tail/summary.c src/tail/summary.h \
	src/tail/trace.c src/tail/trace.h
