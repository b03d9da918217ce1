# SPDX-License-Identifier: GPL-2.0-or-later
# Makes records (see Record.pm) of a JSON report of bonnie: one for each run,
# with everything that the run's CSV line would have, and more.
package Bonnie::Json;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use List::Util qw(any uniq);
use Bonnie::Causes  qw(@CAUSES %CAUSE);
use Bonnie::Figure  qw($NOT_RUN bad_figure fast_figure is_run value_figure);
use Bonnie::Plain   qw(few shorten);
use Bonnie::Tests   qw(all_tests);
use Bonnie::Written qw(bytes_text latency_text);

our @EXPORT_OK = qw(hash in_the_way list number report_records slowest_operations storage_of text version_fault);

# The only version there is, of all documents.
my $VERSION = 1;

# A shorter test has no rate, as in the CSV line.
my $SHORTEST_SECONDS = 0.01;

# Smaller rates have a decimal, as in the CSV line.
my $SMALL_RATE  = 9.95;
my $SMALL_SEEKS = 999.95;

# Longer numbers are not measurements, as in the CSV line.
my $TOO_LARGE = 1e18;

my $MAX_VERDICT = 120;

my $MOST_DRIVES  = 64;
my $MOST_FACTS   = 5;
my $LONGEST_FACT = 160;

# Of the slowest operations: longer texts and more operations are none of bonnie's.
my $MAX_SENTENCE = 800;
my $MOST_SLOW    = 1000;

my @PERCENTILES = qw(mean p50 p90 p95 p99 p99_9 p99_99 max);
my @HOST        = qw(name kernel c_library cpu_model cpus ram_bytes ram_from);
my @SETTINGS    = qw(directory preset direct sync data verify cache engine iodepth iops_block_bytes iops_writes_percent sequential_test_seconds);
my %KNOWN = map { $_->{name} => $_ } all_tests();

# $report is what JsonText.pm read. Returns (\@records, problems).
sub report_records ($report) {
    my $problem = why_unreadable($report);
    return ([], $problem) if $problem;
    my (@records, @problems);
    my %common = common_fields($report);
    my $number = 0;
    for my $run (map { hash($_) } list($report->{runs})) {
        $number++;
        my ($record, @of_run) = run_record($run, { %common, run => $number }, hash($report->{settings}));
        push @records, $record if $record;
        push @problems, map {"run $number: $_"} @of_run;
    }
    return (\@records, @problems);
}

sub why_unreadable ($report) {
    return 'JSON, but no report of bonnie' if (text($report->{format}) // q{}) ne 'bonnie';
    return version_fault($report) // (list($report->{runs}) ? undef : 'the JSON report has no runs');
}

# The fields that all runs of a report share.
sub common_fields ($report) {
    return (
        label    => text($report->{label}) // q{},
        format   => 'JSON ' . text($report->{format_version}),
        version  => text($report->{version}) // q{},
        seed     => text(hash($report->{settings})->{seed}) // q{},
        host     => { %{ texts($report->{host}, @HOST) }, %{ storage_of($report) } },
        settings => texts($report->{settings}, @SETTINGS),
    );
}

# What is known of the storage, with the models of all drives together.
sub storage_of ($report) {
    my $storage = hash($report->{storage});
    my @drives  = map { hash($_) } few($MOST_DRIVES, list($storage->{drives}));
    my %joined  = map { my $key = $_; $key => join(', ', uniq(grep { defined && length } map { text($_->{$key}) } @drives)) } qw(model scheduler);
    return { %{ texts($storage, qw(filesystem mount_options device)) }, disk_model => $joined{model} || undef, scheduler => $joined{scheduler} || undef, in_the_way => in_the_way($report) };
}

# The facts that stood in the way of its storage, as one text.
sub in_the_way ($report) {
    return join '; ', map { shorten(text(hash($_)->{text}) // q{}, $LONGEST_FACT) } few($MOST_FACTS, list(hash($report->{storage})->{facts}));
}

sub run_record ($run, $common, $settings) {
    my ($tests, @problems) = read_tests(list($run->{tests}));
    return (undef, @problems, 'has no test') if !any { is_run($_->{rate}) } values %{$tests};
    my %record = (
        %{$common},
        start_time => text($run->{start_time}),
        csv_settings($tests, $settings),
        tests => $tests,
    );
    return (\%record, @problems);
}

my $MOST_LEVELS = 4;

sub read_tests (@written) {
    my %tests = map { $_ => $NOT_RUN } keys %KNOWN;
    my @problems;
    for my $written (map { hash($_) } @written) {
        my $name = text($written->{row} // $written->{name}) // q{};
        if (!$KNOWN{$name}) {
            push @problems, 'unknown test "' . shorten($name, 20) . q{"};
            next;
        }
        my $test = $tests{$name} = read_test($KNOWN{$name}, $written);
        $tests{"$name.$_"} = { %{$NOT_RUN}, rate => $test->{levels}[ $_ - 1 ]{rate} } for 1 .. @{ $test->{levels} };
        push @problems, map {"$_ of $name is not a number"} grep { $test->{$_}{state} eq 'bad' } qw(rate cpu latency);
    }
    return (\%tests, @problems);
}

# The rate, as the CSV line has it; of a level, which has only its bytes, $bytes are those of an
# operation.
sub rate_of ($test, $written, $bytes = undef) {
    my $is_ops = $test->{unit} eq 'ops/s';
    my $rate   = number($written->{ $is_ops && !$bytes ? 'ops_per_second' : 'bytes_per_second' });
    return !defined $rate ? undef : $is_ops ? $rate / ($bytes || 1) : $rate / 1024;
}

# Record.pm says what a figure has beyond the three of the CSV line.
sub read_test ($test, $written) {
    my $latency = hash($written->{latency_ns});
    my $seconds = number($written->{elapsed_seconds});
    my $short   = defined $seconds && $seconds < $SHORTEST_SECONDS;
    return {
        rate        => $short ? fast_figure('+++++') : figure(rate_of($test, $written), rate_text($test)),
        cpu         => $short ? fast_figure('+++') : figure($written->{cpu_percent}, sub { sprintf '%.0f', shift }),
        latency     => figure($latency->{max}, \&latency_text),
        percentiles => { map { known($_ => number($latency->{$_})) } @PERCENTILES },
        intervals   => [ grep { defined $_->{seconds} } map { interval(hash($_)) } list($written->{intervals}) ],
        levels      => [ map { level($test, hash($_), number($written->{chunk_bytes})) } grep { defined } (list($written->{levels}))[ 0 .. $MOST_LEVELS - 1 ] ],
        hosts       => [ grep { defined $_->{name} && defined $_->{rate} } map { host_part($test, hash($_)) } list($written->{hosts}) ],
        known(steady => steady_state(hash($written->{steady_state}))),
        known(slowest => slowest_operations(hash($written->{tail}))),
        known(limited_by => text($written->{limited_by})),
    };
}

# Omits what is unknown, because a hostile report may have many tests.
sub known ($name, $value = undef) { return defined $value ? ($name => $value) : () }

sub interval ($written) { return { map { $_ => number($written->{$_}) } qw(seconds ops bytes) } }

sub level ($test, $written, $bytes) {
    return { rate => figure(rate_of($test, $written, $bytes), rate_text($test)), map { $_ => number($written->{$_}) // 0 } qw(from_seconds to_seconds) };
}

# The rate of a host, per rank.
sub host_part ($test, $written) {
    my ($rate, $ranks) = (rate_of($test, $written), number($written->{ranks}));
    return { name => text($written->{name}), ranks => $ranks, rate => $ranks && defined $rate ? $rate / $ranks : undef };
}

# Of each metric the key of its figure, what divides it, and the unit that it then has.
my %METRIC = (iops => [ 'ops_per_second', 1, 'ops/s' ], bandwidth => [ 'bytes_per_second', 1024, 'KiB/s' ], latency => [ 'mean_ns', 1, 'ns' ], p99 => [ 'p99_ns', 1, 'ns' ]);

sub steady_state ($written) {
    my $metric = text($written->{metric}) // q{};
    my ($key, $divisor, $unit) = @{ $METRIC{$metric} // return };
    my @rounds = map { steady_round(hash($_), $key, $divisor) } list($written->{rounds});
    return if $metric eq 'p99' && grep { !defined $_->{p99_ns} } @rounds;    # too few operations
    my $fit    = steady_fit(hash($written->{fit}), scalar @rounds, $divisor) // return;
    return {
        metric        => $metric,
        unit          => $unit,
        is_steady     => number($written->{steady}) ? 1 : 0,
        reason        => shorten(text($written->{reason}) // 'not given', $MAX_VERDICT),
        round_seconds => number($written->{round_seconds}) // 0,
        precondition  => number($written->{precondition})  // 0,
        rounds        => \@rounds,
        fit           => $fit,
    };
}

sub steady_round ($written, $key, $divisor) {
    return { figure => (number($written->{$key}) // 0) / $divisor, map { $_ => number($written->{$_}) } qw(mean_ns p99_ns) };
}

sub steady_fit ($written, $rounds, $divisor) {
    my %fit = map { $_ => number($written->{$_}) } qw(first_round mean range_percent);
    my ($sign, $slope) = (text($written->{slope}) // q{}) =~ /\A(-?)(.*)\z/s;
    $fit{slope} = number($slope);
    return if grep { !defined } values %fit;
    return if $fit{first_round} < 1 || $fit{first_round} > $rounds;
    $fit{slope} = -$fit{slope} if $sign;
    $fit{$_} /= $divisor for qw(mean slope);
    return \%fit;
}

# undef without a reason. A cause that is not known here is unknown.
sub slowest_operations ($written) {
    my $sentence = text($written->{reason}) // return;
    my %of_cause;
    for my $operation (map { hash($_) } few($MOST_SLOW, list($written->{operations}))) {
        my ($seconds, $latency) = map { number($operation->{$_}) } qw(seconds latency_ns);
        next if !defined $seconds || !$latency;
        my $cause = text($operation->{cause}) // q{};
        push @{ $of_cause{ $CAUSE{$cause} ? $cause : 'unknown' } }, $seconds, $latency;
    }
    my $percent = hash($written->{percent});
    return {
        sentence => shorten($sentence, $MAX_SENTENCE),
        note     => shorten(text($written->{note}) // q{}, $MAX_SENTENCE),
        (map { $_ => number($written->{$_}) } qw(slowest examined lost_events above_ns)),
        percent    => { map { known($_ => number($percent->{$_})) } @CAUSES },
        operations => { map { $_ => pack 'd*', @{ $of_cause{$_} } } keys %of_cause },
    };
}

sub figure ($written, $text_of) {
    my $value = number($written);
    return defined $value ? value_figure($text_of->($value), $value) : bad_figure(text($written) // 'nothing');
}

sub rate_text ($test) {
    my $small = $test->{name} eq 'seeks' ? $SMALL_SEEKS : $SMALL_RATE;
    return sub { sprintf $_[0] < $small ? '%.1f' : '%.0f', $_[0] };
}

# The settings as the CSV line has them: empty for a default, and for a half that was not run.
sub csv_settings ($tests, $settings) {
    my %ran;
    $ran{ $KNOWN{$_}{half} } = 1 for grep { $KNOWN{$_} && is_run($tests->{$_}{rate}) } keys %{$tests};
    my %csv = (concurrency => text($settings->{concurrency}));
    @csv{qw(file_size chunk_size seek_count seekers)} = $ran{io} || $ran{mixed} || $ran{rows} ? bulk_settings($settings) : (q{}) x 4;
    @csv{qw(num_files max_size min_size num_dirs file_chunk_size)} = $ran{files} ? file_settings($settings) : (q{}) x 5;
    return %csv;
}

sub bulk_settings ($settings) {
    my $chunk = number($settings->{chunk_bytes});
    return (
        bytes_text(number($settings->{size_bytes})),
        !defined $chunk || $chunk == 8192 ? q{} : lc bytes_text($chunk),
        map { text($settings->{$_}) // q{} } qw(seeks seekers),
    );
}

sub file_settings ($settings) {
    my $files = number($settings->{files}) // 0;
    my ($max, $min, $directories, $chunk)
        = map { number($settings->{$_}) // 0 } qw(file_max_bytes file_min_bytes directories file_chunk_bytes);
    my %kind = (hard_links => 'link', symbolic_links => 'symlink');
    return (
        $files / 1024,
        $kind{ text($settings->{file_kind}) // q{} } // ($max || q{}),
        $min || q{},
        $directories > 1 ? $directories : q{},
        $chunk == 8192   ? q{}          : $chunk,
    );
}

# The value, if it has the expected type, because JSON may have anything anywhere.

sub hash ($value = undef) { return ref $value eq 'HASH' ? $value : {} }

sub list ($value = undef) { return ref $value eq 'ARRAY' ? @{$value} : () }

sub text ($value = undef) { return ref $value ? undef : $value }

# What is wrong with the version of a document, in words; undef: nothing.
sub version_fault ($report) {
    my $version = shorten(text($report->{format_version}) // 'none', 20);
    return $version eq $VERSION ? undef : "format_version $version of the JSON document is not known; expected $VERSION";
}

sub texts ($value, @names) {
    my $hash = hash($value);
    return { map { $_ => text($hash->{$_}) } @names };
}

sub number ($value = undef) {
    my $is_number = defined $value && !ref $value && $value =~ /^\d+(?:[.]\d+)?(?:e[-+]?\d+)?\z/a;
    return $is_number && $value < $TOO_LARGE ? $value + 0 : undef;
}

1;
