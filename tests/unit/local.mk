# SPDX-License-Identifier: GPL-2.0-or-later
# cmocka 2 deprecates assert_in_range, but 1.1 does not have the names that replace it.
tests/unit/%.$(OBJEXT): AM_CPPFLAGS += -I$(srcdir)/tests/unit $(CMOCKA_CFLAGS) -DCMOCKA_DISABLE_DEPRECATION_WARNINGS

# Each is linked with the libraries of the program whose parts it tests.
BONNIE_UNIT_TESTS = \
	tests/unit/bonnie/report/test_json \
	tests/unit/bonnie/test_options \
	tests/unit/bonnie/test_plan \
	tests/unit/bonnie/test_reports \
	tests/unit/bonnie/test_result \
	tests/unit/bonnie/test_rounds \
	tests/unit/bonnie/test_verdict \
	tests/unit/cli/test_parser \
	tests/unit/io/test_io_queue \
	tests/unit/io/test_io_queue_time \
	tests/unit/live/test_monitor \
	tests/unit/live/test_progress \
	tests/unit/measure/test_control_group \
	tests/unit/measure/test_cpu \
	tests/unit/measure/test_device \
	tests/unit/measure/test_durability \
	tests/unit/measure/test_facts \
	tests/unit/measure/test_histogram \
	tests/unit/measure/test_levels \
	tests/unit/measure/test_limit \
	tests/unit/measure/test_mount_info \
	tests/unit/measure/test_reading \
	tests/unit/measure/test_sources \
	tests/unit/measure/test_steady \
	tests/unit/measure/test_summary \
	tests/unit/storage/test_block_device \
	tests/unit/storage/test_direct \
	tests/unit/storage/test_guards \
	tests/unit/storage/test_page_cache \
	tests/unit/storage/test_scratch_names \
	tests/unit/storage/test_scratch_private \
	tests/unit/sync/test_ranks \
	tests/unit/sys/test_cache_dropper \
	tests/unit/sys/test_cache_dropper_filter \
	tests/unit/sys/test_host \
	tests/unit/sys/test_input \
	tests/unit/sys/test_output \
	tests/unit/sys/test_path \
	tests/unit/tail/test_causes \
	tests/unit/tail/test_examiner \
	tests/unit/tail/test_summary \
	tests/unit/tail/test_trace \
	tests/unit/tools/test_zcav_figures \
	tests/unit/util/test_bundle \
	tests/unit/util/test_err \
	tests/unit/util/test_portable \
	tests/unit/util/test_printable \
	tests/unit/util/test_rng \
	tests/unit/util/test_units \
	tests/unit/verify/test_contents \
	tests/unit/verify/test_pattern

BONLOAD_UNIT_TESTS = \
	tests/unit/bonload/test_backing \
	tests/unit/bonload/test_main_loop \
	tests/unit/bonload/test_names \
	tests/unit/bonload/test_profile_target \
	tests/unit/bonload/test_progress \
	tests/unit/bonload/test_recorder \
	tests/unit/bonload/test_report \
	tests/unit/bonload/test_run \
	tests/unit/bonload/test_run_begin \
	tests/unit/bonload/test_search \
	tests/unit/bonload/test_search_simulated \
	tests/unit/bonload/test_series \
	tests/unit/bonload/test_target \
	tests/unit/bonload/test_verdict \
	tests/unit/bonload/test_written

if HAVE_CURL
BONLOAD_UNIT_TESTS += tests/unit/bonload/test_web
endif

BONCUT_UNIT_TESTS = \
	tests/unit/boncut/test_campaign \
	tests/unit/boncut/test_log

UNIT_TESTS = $(BONNIE_UNIT_TESTS) $(BONLOAD_UNIT_TESTS) $(BONCUT_UNIT_TESTS)

VIRTUAL_CLOCK = tests/unit/support/virtual_clock.c tests/unit/support/virtual_clock.h
TREE = tests/unit/support/tree.c tests/unit/support/tree.h
GOLDEN = tests/unit/support/golden.c tests/unit/support/golden.h
tests_unit_bonload_test_backing_SOURCES = tests/unit/bonload/test_backing.c $(TREE)
tests_unit_bonload_test_report_SOURCES = tests/unit/bonload/test_report.c $(GOLDEN)
tests_unit_bonload_test_run_SOURCES = tests/unit/bonload/test_run.c $(VIRTUAL_CLOCK)
tests_unit_bonnie_report_test_json_SOURCES = tests/unit/bonnie/report/test_json.c $(GOLDEN)
tests_unit_bonnie_test_reports_SOURCES = tests/unit/bonnie/test_reports.c $(GOLDEN)
tests_unit_io_test_io_queue_time_SOURCES = tests/unit/io/test_io_queue_time.c $(VIRTUAL_CLOCK)
tests_unit_measure_test_control_group_SOURCES = tests/unit/measure/test_control_group.c $(TREE)
tests_unit_measure_test_device_SOURCES = tests/unit/measure/test_device.c $(TREE)
tests_unit_measure_test_durability_SOURCES = tests/unit/measure/test_durability.c $(TREE)
tests_unit_measure_test_facts_SOURCES = tests/unit/measure/test_facts.c $(TREE)
tests_unit_measure_test_mount_info_SOURCES = tests/unit/measure/test_mount_info.c $(TREE)
tests_unit_measure_test_reading_SOURCES = tests/unit/measure/test_reading.c $(TREE)
tests_unit_measure_test_sources_SOURCES = tests/unit/measure/test_sources.c $(TREE)
tests_unit_storage_test_block_device_SOURCES = tests/unit/storage/test_block_device.c $(TREE)
tests_unit_storage_test_guards_SOURCES = tests/unit/storage/test_guards.c $(TREE)
tests_unit_tools_test_zcav_figures_SOURCES = tests/unit/tools/test_zcav_figures.c src/tools/zcav_figures.c

if HAVE_CMOCKA
TESTED = $(UNIT_TESTS)
check_PROGRAMS += $(UNIT_TESTS)
endif
