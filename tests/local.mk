# SPDX-License-Identifier: GPL-2.0-or-later
# The program for tests/attack that plays another user of the machine.
check_PROGRAMS = tests/attack/attacker
tests_attack_attacker_LDADD =

# The drive for tests/cut whose power is cut: a plugin of nbdkit, linked without sanitizers.
DRIVE_FILES = $(srcdir)/tests/cut/drive.c $(srcdir)/src/util/rng.c
tests/cut/drive.so: $(DRIVE_FILES) $(srcdir)/src/util/rng.h $(srcdir)/src/verify/pattern.h
	$(AM_V_CCLD)$(MKDIR_P) tests/cut && $(CC) $(NBDKIT_CFLAGS) -I$(srcdir)/src -std=gnu11 -O2 \
		-Wall -Wextra -Wshadow -Wvla -Wconversion -fPIC -shared -pthread -o $@ $(DRIVE_FILES)
if HAVE_NBDKIT
check_DATA = tests/cut/drive.so
endif

include tests/unit/local.mk
include tests/fuzz/local.mk

# Both kinds of test programs have the libraries of one program, and something that runs them: cmocka, or
# libFuzzer.
LDADD = $(RUNNER) $(PROGRAM_LIBS)

RUNNER = $(CMOCKA_LIBS)
$(FUZZ_TARGETS): RUNNER = $(FUZZ_DRIVER)

PROGRAM_LIBS = src/bonnie/program_name.$(OBJEXT) $(BONNIE_LIBS)
BONLOAD_TESTS = $(BONLOAD_UNIT_TESTS) $(BONLOAD_FUZZ_TARGETS)
$(BONLOAD_TESTS): PROGRAM_LIBS = src/bonload/program_name.$(OBJEXT) $(BONLOAD_LIBS)
$(BONLOAD_TESTS): src/bonload/program_name.$(OBJEXT) src/libbonload.a
BONCUT_TESTS = $(BONCUT_UNIT_TESTS) $(BONCUT_FUZZ_TARGETS)
$(BONCUT_TESTS): PROGRAM_LIBS = src/boncut/program_name.$(OBJEXT) $(BONCUT_LIBS)
$(BONCUT_TESTS): src/boncut/program_name.$(OBJEXT) src/libboncut.a

# Tests find the programs in the build directory, and data in the source directory.
TEST_ENVIRONMENT = \
	BONNIE='$(abs_builddir)/bonnie' \
	BONLOAD='$(abs_builddir)/bonload' \
	BONNIE_ATTACKER='$(abs_builddir)/tests/attack/attacker' \
	BONNIE_DRIVE='$(DRIVE)' \
	BONNIE_MPIRUN='$(MPIRUN)' \
	BONNIE_EMULATOR='$(EMULATOR)' \
	BONNIE_NATIVE='$(NATIVE)' \
	BONNIE_CC='$(CC)' \
	BONNIE_FLAGS='$(BONNIE_CFLAGS) $(BONNIE_LDFLAGS)' \
	BONNIE_TEST_SRCDIR='$(abs_srcdir)' \
	BONNIE_COMPLETIONS='$(abs_builddir)/completions' \
	BON_AB='$(abs_srcdir)/scripts/bon_ab' \
	BON_CSV2HTML='$(abs_srcdir)/scripts/bon_csv2html' \
	BON_CSV2TXT='$(abs_srcdir)/scripts/bon_csv2txt' \
	PERL='$(PERL)'

# Which program tests run, and how many at a time, if not as many as tests/run thinks right: make check
# CLI_TESTS='signals seeks' FAULT_TESTS= TEST_JOBS=2. The tests of the converters and their modules, which are Perl, gain nothing from a
# second compiler.
CLI_TESTS = *
CLI_WITHOUT =
FAULT_TESTS = *
ATTACK_TESTS = *
CUT_TESTS = atomic audit campaign goodfor honest liars rig unseen
STORE_TESTS =
MACHINE_TESTS =
CHECK_TESTS = *
MODULE_TESTS = *
TEST_JOBS =

# Unit tests to leave out: one of them simulates so much that it takes minutes in an
# emulator.
UNIT_WITHOUT =

# The command that runs programs built for another machine, and the directory of a build for this
# one, with which tests/machines compares them.
EMULATOR =
NATIVE =

# A plugin needs the C library that nbdkit uses, which may differ from the one of
# this build.
DRIVE = $(abs_builddir)/tests/cut/drive.so

cli_files = $(filter-out $(wildcard $(CLI_WITHOUT:%=$(srcdir)/tests/cli/%.t)), \
	$(wildcard $(CLI_TESTS:%=$(srcdir)/tests/cli/%.t)))

test-programs: $(check_PROGRAMS) $(check_DATA) $(REPLAYED) $(bin_PROGRAMS) $(noinst_SCRIPTS)

check-local: test-programs
	$(TEST_ENVIRONMENT) $(PERL) $(srcdir)/tests/run $(TEST_JOBS:%=--jobs=%) $(filter-out $(UNIT_WITHOUT), $(TESTED)) $(REPLAYED) \
		$(MODULE_TESTS:%=$(srcdir)/tests/unit/%.t) $(cli_files) \
		$(FAULT_TESTS:%=$(srcdir)/tests/fault/%.t) $(ATTACK_TESTS:%=$(srcdir)/tests/attack/%.t) \
		$(CUT_TESTS:%=$(srcdir)/tests/cut/%.t) $(STORE_TESTS:%=$(srcdir)/tests/stores/%.t) \
		$(MACHINE_TESTS:%=$(srcdir)/tests/machines/%.t) \
		$(CHECK_TESTS:%=$(srcdir)/tests/checks/%.t)

# check-faults runs only the tests of tests/fault, check-cli those of tests/cli.
check-faults: $(bin_PROGRAMS) $(noinst_SCRIPTS)
	$(TEST_ENVIRONMENT) $(PERL) $(srcdir)/tests/run $(TEST_JOBS:%=--jobs=%) \
		$(FAULT_TESTS:%=$(srcdir)/tests/fault/%.t)

check-cli: $(bin_PROGRAMS) $(noinst_SCRIPTS)
	$(TEST_ENVIRONMENT) $(PERL) $(srcdir)/tests/run $(TEST_JOBS:%=--jobs=%) $(cli_files)

# Tests the converters as they were installed, with their modules and the link.
installcheck-local:
	BONNIE='$(DESTDIR)$(bindir)/bonnie++' \
	BON_AB='$(DESTDIR)$(bindir)/bon_ab' \
	BON_CSV2HTML='$(DESTDIR)$(bindir)/bon_csv2html' \
	BON_CSV2TXT='$(DESTDIR)$(bindir)/bon_csv2txt' \
	BONNIE_TEST_SRCDIR='$(abs_srcdir)' BONNIE_TEST_MANDIR='$(DESTDIR)$(mandir)' BONNIE_TEST_SBINDIR='$(DESTDIR)$(sbindir)' \
	BONNIE_TEST_DATADIR='$(DESTDIR)$(pkgdatadir)' PERL='$(PERL)' \
	$(PERL) $(srcdir)/tests/run $(TEST_JOBS:%=--jobs=%) $(srcdir)/tests/install/*.t $(srcdir)/tests/cli/csv2*.t
