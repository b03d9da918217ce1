# Finds metrics in the output of a command: in reports of bonnie (JSON and CSV),
# bonload, GoBonnieGo, fio and hyperfine, anywhere in the output.
#
# A metric is { name, value, unit, more, judged }: units are those of Units.pm;
# `more` is whether more is better; rates are judged, and times if there is no
# rate. The value is the median of all runs in the output.
package Bonnie::Ab::Measured;

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(max sum0 uniq);
use Bonnie::Csv        qw(parse_line);
use Bonnie::Figure     qw(is_value);
use Bonnie::Json       qw(hash list number report_records text);
use Bonnie::JsonText   qw(try_value);
use Bonnie::Statistics qw(median);
use Bonnie::Tests      qw(all_tests);

our @EXPORT_OK = qw(measured);

my $REPORT_BEGINS = qr/^(?:\xEF\xBB\xBF)?+(?=\{[ \t\r\n]*+")/m;

# Longer lines are not results.
my $LONGEST_LINE = 65_536;

# Percentiles by the keys of bonnie and bonload, which are part of the names of
# metrics.
my @PERCENTILES = qw(mean p50 p90 p95 p99 p99_9 p99_99 max);

# fio's keys for these percentiles.
my %FIO = ('50.000000' => 'p50', '90.000000' => 'p90', '95.000000' => 'p95', '99.000000' => 'p99', '99.900000' => 'p99_9', '99.990000' => 'p99_99');

# How each kind of report is recognised, and the function that turns it into
# runs, each a list of metrics, and settings.
my @KINDS = (
    [ bonnie     => sub { ($_[0]{format} // q{}) eq 'bonnie' },   \&of_bonnie ],
    [ bonload    => sub { ref $_[0]{bonload} eq 'HASH' },         \&of_bonload ],
    [ fio        => sub { defined $_[0]{'fio version'} },         \&of_fio ],
    [ GoBonnieGo => sub { defined first_result($_[0])->{iops} },  \&of_gobonniego ],
    [ hyperfine  => sub { defined first_result($_[0])->{mean} && defined first_result($_[0])->{command} }, \&of_hyperfine ],
);

# Returns { kind, metrics => [ ... ], settings => { name => text } }, or undef
# if the output has no report. Dies when a report cannot be read.
sub measured {
    my ($bytes) = @_;
    my $found = of_json($bytes) // of_csv($bytes) // return;
    my @metrics = middle_of(@{ $found->{runs} });
    die "a report of $found->{kind} without any figure\n" if !@metrics;
    return { kind => $found->{kind}, settings => $found->{settings}, metrics => \@metrics };
}

sub of_json {
    my ($bytes) = @_;
    my ($found, $fault);
    pos($bytes) = 0;
    while ($bytes =~ /$REPORT_BEGINS/gc) {
        my ($report, $why) = try_value(\$bytes);
        $fault //= $why;
        last if $why;
        my ($kind) = grep { $_->[1]->($report) } @KINDS or next;
        my ($settings, @runs) = $kind->[2]->($report);
        $found //= { kind => $kind->[0], settings => $settings };
        push @{ $found->{runs} }, @runs if $found->{kind} eq $kind->[0];
    }
    die "a JSON report that cannot be read: $fault->{why}\n" if $fault;
    return $found;
}

sub of_csv {
    my ($bytes) = @_;
    my (@records, @problems);
    for my $line (split /\n/, $bytes) {
        next if length $line > $LONGEST_LINE;
        my ($record, @wrong) = parse_line($line);
        push @records, $record // ();
        push @problems, @wrong;
    }
    die "a result that cannot be read: $problems[0]\n" if @problems;
    return if !@records;
    my %settings = map { $_ => $records[0]{$_} } qw(version concurrency file_size chunk_size seek_count seekers num_files max_size min_size num_dirs file_chunk_size);
    return { kind => 'bonnie', settings => flat(\%settings), runs => [ map { [ record_metrics($_) ] } @records ] };
}

sub of_bonnie {
    my ($report) = @_;
    my ($records, @problems) = report_records($report);
    die "a report of bonnie that cannot be read: $problems[0]\n" if @problems;
    my %about = map { $_ => hash($report->{$_}) } qw(host settings);
    return (flat({ version => text($report->{bonnie_version}), %about }), map { [ record_metrics($_) ] } @{$records});
}

sub record_metrics {
    my ($record) = @_;
    my @metrics;
    for my $test (all_tests()) {
        my $figures = $record->{tests}{ $test->{name} } or next;
        next if !$figures->{rate} || !is_value($figures->{rate});
        push @metrics, rate($test->{name}, $figures->{rate}{value}, $test->{unit});
        my %latency = %{ $figures->{percentiles} // {} };
        $latency{max} //= $figures->{latency}{value} if $figures->{latency} && is_value($figures->{latency});
        push @metrics, latencies($test->{name}, \%latency);
    }
    return @metrics;
}

# Uses the result of a search, and not that of its last step.
sub of_bonload {
    my ($report) = @_;
    my $load = $report->{bonload};
    my @metrics;
    for my $kind (qw(writes reads)) {
        my $figures = hash($load->{$kind});
        next if !number($figures->{requests});
        push @metrics, rate($kind, number($figures->{found}) // number($figures->{achieved_per_second}), 'ops/s');
        push @metrics, latencies($kind, hash($figures->{latency_ns}));
    }
    return (flat({ version => text($load->{version}), settings => hash($load->{settings}) }), \@metrics);
}

sub of_gobonniego {
    my ($report) = @_;
    my @about = grep { !/\A(?:results|start_time)\z/ } keys %{$report};
    my @runs;
    for my $result (map { hash($_) } list($report->{results})) {
        my ($write, $read) = map { (number($_) // 0) * 1e6 / 1024 } @{$result}{qw(write_megabytes_per_second read_megabytes_per_second)};
        push @runs, [ rate('write', $write, 'KiB/s'), rate('read', $read, 'KiB/s'), rate('iops', number($result->{iops}), 'ops/s') ];
    }
    return (flat({ map { $_ => $report->{$_} } @about }), @runs);
}

# Combines jobs with the same name, as group_reporting does: adds up their
# rates, and takes the worst of their latencies. If there are several names,
# each metric's name begins with that of its job.
sub of_fio {
    my ($report) = @_;
    my @jobs  = map { hash($_) } list($report->{jobs});
    my @names = uniq(map { text($_->{jobname}) // q{} } @jobs);
    my @metrics;
    for my $name (@names) {
        my @same = grep { (text($_->{jobname}) // q{}) eq $name } @jobs;
        for my $kind (qw(read write trim)) {
            push @metrics, fio_metrics(@names > 1 ? "$name.$kind" : $kind, map { hash($_->{$kind}) } @same);
        }
    }
    my %options = map { (text($jobs[$_]{jobname}) // $_) => hash($jobs[$_]{'job options'}) } 0 .. $#jobs;
    return (flat({ version => text($report->{'fio version'}), global => hash($report->{'global options'}), jobs => \%options }), \@metrics);
}

sub fio_metrics {
    my ($name, @parts) = @_;
    my $bytes = sum0(map { number($_->{bw_bytes}) // 0 } @parts) or return;
    my @latencies;
    for my $part (@parts) {
        my ($whole, $device) = map { hash($part->{$_}) } qw(lat_ns clat_ns);
        my %latency = map { $_ => number($whole->{$_}) } qw(mean max);
        my $at = hash((%{ hash($whole->{percentile}) } ? $whole : $device)->{percentile});
        $latency{ $FIO{$_} } = number($at->{$_}) for grep { $FIO{$_} } keys %{$at};
        push @latencies, \%latency;
    }
    my %worst = map { my $key = $_; $key => max(map { $_->{$key} // 0 } @latencies) } @PERCENTILES;
    my $iops  = sum0(map { number($_->{iops}) // 0 } @parts);
    return (rate($name, $bytes / 1024, 'KiB/s'), { %{ rate("$name.iops", $iops, 'ops/s') }, judged => 0 }, latencies($name, \%worst));
}

sub of_hyperfine {
    my ($report) = @_;
    my @results = map { hash($_) } list($report->{results});
    my @metrics;
    for my $i (0 .. $#results) {
        my $name = @results > 1 ? 'time.' . ($i + 1) : 'time';
        my ($median, $mean) = map { number($_) } @{ $results[$i] }{qw(median mean)};
        push @metrics, { name => $name, value => ($median // $mean // 0) * 1e9, unit => 'ns', more => 0, judged => 1 };
    }
    return (flat({ map { $_ + 1 => { command => text($results[$_]{command}) } } 0 .. $#results }), \@metrics);
}

sub first_result {
    my ($report) = @_;
    my ($first) = list($report->{results});
    return hash($first);
}

sub rate {
    my ($name, $value, $unit) = @_;
    return { name => $name, value => $value, unit => $unit, more => 1, judged => 1 };
}

sub latencies {
    my ($name, $latency) = @_;
    return map { +{ name => "$name.$_", value => number($latency->{$_}), unit => 'ns', more => 0, judged => 0 } }
        grep { number($latency->{$_}) } @PERCENTILES;
}

# The median of the positive values, because the others have no ratio.
sub middle_of {
    my @runs = @_;
    my (%values, %metric, @names);
    for my $metric (grep { ($_->{value} // 0) > 0 } map { @{$_} } @runs) {
        push @names, $metric->{name} if !$metric{ $metric->{name} };
        $metric{ $metric->{name} } //= $metric;
        push @{ $values{ $metric->{name} } }, $metric->{value};
    }
    return map { +{ %{ $metric{$_} }, value => median(@{ $values{$_} }) } } @names;
}

# Turns settings into texts by names with dots. Values that naturally differ from
# run to run are no settings.
my $NO_SETTING = qr/(?:\A|[.])(?:seed|start_time|label)\z/;

sub flat {
    my ($settings) = @_;
    my %flat;
    for my $name (grep { defined $settings->{$_} } keys %{$settings}) {
        my $value = $settings->{$name};
        my $inner = ref $value eq 'HASH' ? flat($value) : undef;
        $flat{"$name.$_"} = $inner->{$_} for $inner ? keys %{$inner} : ();
        $flat{$name} = $value if !ref $value;
    }
    return { map { $_ => $flat{$_} } grep { $_ !~ $NO_SETTING } keys %flat };
}

1;
