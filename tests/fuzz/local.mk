# SPDX-License-Identifier: GPL-2.0-or-later
# libFuzzer runs these targets where the compiler has it; elsewhere each target replays its corpus
# as a test.
BONNIE_FUZZ_TARGETS = \
	tests/fuzz/fuzz_cpuinfo \
	tests/fuzz/fuzz_device \
	tests/fuzz/fuzz_identity \
	tests/fuzz/fuzz_mounts \
	tests/fuzz/fuzz_names \
	tests/fuzz/fuzz_options \
	tests/fuzz/fuzz_pattern \
	tests/fuzz/fuzz_sanitize \
	tests/fuzz/fuzz_seed_file \
	tests/fuzz/fuzz_size_spec \
	tests/fuzz/fuzz_trace \
	tests/fuzz/fuzz_units

BONLOAD_FUZZ_TARGETS = tests/fuzz/fuzz_load_options tests/fuzz/fuzz_profile
if HAVE_CURL
BONLOAD_FUZZ_TARGETS += tests/fuzz/fuzz_xml_text
endif

BONCUT_FUZZ_TARGETS = tests/fuzz/fuzz_promise_log

FUZZ_TARGETS = $(BONNIE_FUZZ_TARGETS) $(BONLOAD_FUZZ_TARGETS) $(BONCUT_FUZZ_TARGETS)

EXTRA_PROGRAMS = $(FUZZ_TARGETS)
EXTRA_LIBRARIES = tests/fuzz/libreplay.a
tests_fuzz_libreplay_a_SOURCES = tests/fuzz/replay.c tests/fuzz/fuzz.h
if !FUZZING
REPLAYED = $(FUZZ_TARGETS)
$(REPLAYED): tests/fuzz/libreplay.a
endif

# Seconds for which each target runs: make fuzz FUZZ_SECONDS=60
FUZZ_SECONDS = 5

fuzz:
if FUZZING
	$(MAKE) $(AM_MAKEFLAGS) $(FUZZ_TARGETS)
	$(TEST_ENVIRONMENT) $(PERL) $(srcdir)/tests/fuzz/run --seconds $(FUZZ_SECONDS) $(FUZZ_TARGETS)
else
	@echo 'make fuzz needs configure --enable-fuzzing' >&2; exit 1
endif
