src_libboncut_a_SOURCES = \
	src/boncut/audit/audit.c src/boncut/audit/audit.h \
	src/boncut/audit/fua_trace.c src/boncut/audit/fua_trace.h \
	src/boncut/audit/leaves.c src/boncut/audit/leaves.h \
	src/boncut/audit/trial.c src/boncut/audit/trial.h \
	src/boncut/campaign/bound.c src/boncut/campaign/bound.h \
	src/boncut/campaign/campaign.c src/boncut/campaign/campaign.h \
	src/boncut/campaign/cut.c src/boncut/campaign/cut.h \
	src/boncut/campaign/shell.c src/boncut/campaign/shell.h \
	src/boncut/campaign/sum.c src/boncut/campaign/sum.h \
	src/boncut/check.c src/boncut/check.h \
	src/boncut/findings.c src/boncut/findings.h \
	src/boncut/fs_shutdown.c src/boncut/fs_shutdown.h \
	src/boncut/header.c src/boncut/header.h \
	src/boncut/layout.c src/boncut/layout.h \
	src/boncut/ledger.c src/boncut/ledger.h \
	src/boncut/log_line.c src/boncut/log_line.h \
	src/boncut/methods/contents.c src/boncut/methods/contents.h \
	src/boncut/methods/method.h \
	src/boncut/methods/names.c src/boncut/methods/names.h \
	src/boncut/methods/overwrites.c src/boncut/methods/overwrites.h \
	src/boncut/methods/table.c \
	src/boncut/options.c src/boncut/options.h \
	src/boncut/promise_log.c src/boncut/promise_log.h \
	src/boncut/report/json.c \
	src/boncut/report/report.h \
	src/boncut/report/text.c \
	src/boncut/settings.h \
	src/boncut/verdict.c src/boncut/verdict.h \
	src/boncut/worker.c src/boncut/worker.h \
	src/boncut/write.c src/boncut/write.h

if HAVE_LIBURING
src_libboncut_a_SOURCES += src/boncut/methods/uring_fsync.c
endif

BONCUT_LIBS = src/libboncut.a $(SUITE_LIBS)

boncut_SOURCES = src/boncut/main.c src/boncut/program_name.c
boncut_LDADD = $(BONCUT_LIBS)
