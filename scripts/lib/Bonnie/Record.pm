# SPDX-License-Identifier: GPL-2.0-or-later
# One result, the input of every report, whatever file it came from. A JSON report has one for each
# of its runs.
#
#   label                             plain text, may be empty
#   format  version                   of the CSV line; of the program
#   concurrency seed file_size chunk_size seek_count seekers
#   num_files max_size min_size num_dirs file_chunk_size
#                                     plain text as written; '' is the default;
#                                     undef where this generation has no field
#   tests    { NAME => { rate => FIGURE, cpu => FIGURE, latency => FIGURE } }
#   source   { file => ..., line => ... }
#
# Of JSON only:
#
#   start_time  of the run, RFC 3339
#   run         its number in the report
#   host        { name, kernel, c_library, cpu_model, cpus, ram_bytes, ram_from, filesystem,
#               mount_options, device, disk_model, scheduler, in_the_way }
#   settings    { directory, preset, direct, sync, data, verify, cache, engine, iodepth, iops_block_bytes,
#               iops_writes_percent, sequential_test_seconds }
#   tests       besides its figures, a test has
#       percentiles  { mean, p50, p90, p95, p99, p99_9, p99_99, max }, nanoseconds
#       intervals    [ { seconds => end since the start of the test, ops => ..., bytes => ... } ]
#       levels       [ { rate, from_seconds, to_seconds } ], what its speed fell to; empty if it did
#                    not. The first has the figures of a test "NAME.1", and so on
#       hosts        [ { name => ..., ranks => number, rate => of each of them } ], of several ranks under MPI
#       steady       { metric, unit, is_steady, reason, round_seconds, precondition, rounds => [ { figure, mean_ns, p99_ns } ],
#                    fit => { first_round, mean, range_percent, slope } }; only if it was to become steady
#       slowest      what its slowest operations waited for, as slowest_operations() of Json.pm has it
#       limited_by
#
# All texts are plain (see Plain.pm); unknown values are undef.
package Bonnie::Record;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use List::Util qw(any);
use Bonnie::Figure qw(is_run no_figure);
use Bonnie::Tests  qw(tests_in_half);

our @EXPORT_OK = qw(figure has_half has_latency has_rows setting);

sub figure ($record, $test, $kind) {
    my $figures = $record->{tests}{ $test->{name} };
    return $figures ? $figures->{$kind} : no_figure();
}

# A setting's text; empty also where this generation does not record it.
sub setting ($record, $name) { return $record->{$name} // q{} }

# Whether any test of the half 'io' or 'files' was asked for.
sub has_half ($record, $half) {
    my $amount = $half eq 'io' ? 'file_size' : 'num_files';
    return setting($record, $amount) ne q{} || has_figures($record, $half, 'rate');
}

# Whether the tests are rows of a preset.
sub has_rows ($record) { return has_figures($record, 'rows', 'rate') }

sub has_latency ($record, $half) { return has_figures($record, $half, 'latency') }

sub has_figures ($record, $half, $kind) {
    return any { is_run(figure($record, $_, $kind)) } tests_in_half($half);
}

1;
