# SPDX-License-Identifier: GPL-2.0-or-later
tests/unit/%.$(OBJEXT): AM_CPPFLAGS += -I$(srcdir)/tests/unit $(CMOCKA_CFLAGS)

# Each is linked with the libraries of the program whose parts it tests.
BONNIE_UNIT_TESTS = \
	tests/unit/bonnie/report/test_json \
	tests/unit/bonnie/report/test_report \
	tests/unit/bonnie/test_advice \
	tests/unit/bonnie/test_options \
	tests/unit/bonnie/test_plan \
	tests/unit/bonnie/test_result \
	tests/unit/bonnie/test_rounds \
	tests/unit/cli/test_parser \
	tests/unit/io/test_engines \
	tests/unit/io/test_io_queue \
	tests/unit/io/test_queue_time \
	tests/unit/live/test_monitor \
	tests/unit/live/test_progress_bar \
	tests/unit/measure/test_limit \
	tests/unit/measure/test_reading \
	tests/unit/measure/test_control_group \
	tests/unit/measure/test_cpu \
	tests/unit/measure/test_device \
	tests/unit/measure/test_facts \
	tests/unit/measure/test_durability \
	tests/unit/measure/test_histogram \
	tests/unit/measure/test_io_limit \
	tests/unit/measure/test_levels \
	tests/unit/measure/test_mount_info \
	tests/unit/measure/test_sources \
	tests/unit/measure/test_steady \
	tests/unit/measure/test_summary \
	tests/unit/report/test_sanitize \
	tests/unit/report/test_starts \
	tests/unit/storage/test_block_device \
	tests/unit/storage/test_direct \
	tests/unit/storage/test_guards \
	tests/unit/storage/test_page_cache \
	tests/unit/storage/test_private_directory \
	tests/unit/storage/test_scratch_names \
	tests/unit/sys/test_cache_dropper \
	tests/unit/sys/test_dropper_filter \
	tests/unit/sys/test_host \
	tests/unit/sys/test_input \
	tests/unit/sys/test_output \
	tests/unit/sys/test_path \
	tests/unit/tail/test_causes \
	tests/unit/tail/test_records \
	tests/unit/tail/test_run_delay \
	tests/unit/tail/test_summary \
	tests/unit/tools/test_zcav \
	tests/unit/util/test_bundle \
	tests/unit/util/test_err \
	tests/unit/util/test_permute \
	tests/unit/util/test_portable \
	tests/unit/util/test_rng \
	tests/unit/util/test_units \
	tests/unit/verify/test_contents \
	tests/unit/verify/test_pattern

BONLOAD_UNIT_TESTS = \
	tests/unit/bonload/test_answer \
	tests/unit/bonload/test_begin \
	tests/unit/bonload/test_backing \
	tests/unit/bonload/test_expected \
	tests/unit/bonload/test_failures \
	tests/unit/bonload/test_freeze \
	tests/unit/bonload/test_gathering \
	tests/unit/bonload/test_group \
	tests/unit/bonload/test_progress \
	tests/unit/bonload/test_schedule \
	tests/unit/bonload/test_search \
	tests/unit/bonload/test_searches \
	tests/unit/bonload/test_series \
	tests/unit/bonload/test_telling \
	tests/unit/bonload/test_text \
	tests/unit/bonload/test_verdict \
	tests/unit/bonload/test_written

if HAVE_CURL
BONLOAD_UNIT_TESTS += \
	tests/unit/bonload/test_sign \
	tests/unit/bonload/test_web
endif

BONCUT_UNIT_TESTS = \
	tests/unit/boncut/test_bound \
	tests/unit/boncut/test_log

UNIT_TESTS = $(BONNIE_UNIT_TESTS) $(BONLOAD_UNIT_TESTS) $(BONCUT_UNIT_TESTS)

VIRTUAL_CLOCK = tests/unit/support/virtual_clock.c tests/unit/support/virtual_clock.h
TREE = tests/unit/support/tree.c tests/unit/support/tree.h
GOLDEN = tests/unit/support/golden.c tests/unit/support/golden.h
tests_unit_bonload_test_freeze_SOURCES = tests/unit/bonload/test_freeze.c $(VIRTUAL_CLOCK)
tests_unit_bonload_test_telling_SOURCES = tests/unit/bonload/test_telling.c $(VIRTUAL_CLOCK)
tests_unit_bonload_test_text_SOURCES = tests/unit/bonload/test_text.c $(GOLDEN)
tests_unit_io_test_queue_time_SOURCES = tests/unit/io/test_queue_time.c $(VIRTUAL_CLOCK)
tests_unit_tools_test_zcav_SOURCES = tests/unit/tools/test_zcav.c src/tools/zcav_figures.c
tests_unit_bonload_test_backing_SOURCES = tests/unit/bonload/test_backing.c $(TREE)
tests_unit_measure_test_reading_SOURCES = tests/unit/measure/test_reading.c $(TREE)
tests_unit_measure_test_control_group_SOURCES = tests/unit/measure/test_control_group.c $(TREE)
tests_unit_measure_test_sources_SOURCES = tests/unit/measure/test_sources.c $(TREE)
tests_unit_measure_test_device_SOURCES = tests/unit/measure/test_device.c $(TREE)
tests_unit_storage_test_block_device_SOURCES = tests/unit/storage/test_block_device.c $(TREE)
tests_unit_storage_test_guards_SOURCES = tests/unit/storage/test_guards.c $(TREE)
tests_unit_measure_test_facts_SOURCES = tests/unit/measure/test_facts.c $(TREE)
tests_unit_measure_test_io_limit_SOURCES = tests/unit/measure/test_io_limit.c $(TREE)
tests_unit_measure_test_durability_SOURCES = tests/unit/measure/test_durability.c $(TREE)
tests_unit_measure_test_mount_info_SOURCES = tests/unit/measure/test_mount_info.c $(TREE)
tests_unit_bonnie_report_test_json_SOURCES = tests/unit/bonnie/report/test_json.c $(GOLDEN)
tests_unit_bonnie_report_test_report_SOURCES = tests/unit/bonnie/report/test_report.c $(GOLDEN)

if HAVE_CMOCKA
TESTED = $(UNIT_TESTS)
check_PROGRAMS += $(UNIT_TESTS)
endif
