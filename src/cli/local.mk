src_libsuite_a_SOURCES += \
	src/cli/common_options.h \
	src/cli/go_parser.c src/cli/go_parser.h \
	src/cli/help.c src/cli/help.h \
	src/cli/option.c src/cli/option.h \
	src/cli/option_list.c src/cli/option_list.h \
	src/cli/parser.c src/cli/parser.h \
	src/cli/suggest.c src/cli/suggest.h \
	src/cli/values.c src/cli/values.h
