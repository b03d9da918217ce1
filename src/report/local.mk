src_libsuite_a_SOURCES += \
	src/report/json_latencies.c src/report/json_latencies.h \
	src/report/json_object.c src/report/json_object.h \
	src/report/json_tail.c src/report/json_tail.h \
	src/report/page.c src/report/page.h \
	src/report/sanitize.c src/report/sanitize.h \
	src/report/starts.c src/report/starts.h
