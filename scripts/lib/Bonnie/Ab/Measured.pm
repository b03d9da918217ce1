# SPDX-License-Identifier: GPL-2.0-or-later
# Finds metrics in the output of a command: in reports of bonnie (JSON and CSV),
# bonload, GoBonnieGo, fio and hyperfine, anywhere in the output.
#
# A metric is { name, value, unit, more, judged }: units are those of Units.pm;
# `more` is whether more is better; rates are judged, and times if there is no
# rate. The value is the median of all runs in the output.
package Bonnie::Ab::Measured;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use List::Util qw(max sum0 uniq);
use Bonnie::Csv        qw(next_result $MOST_IN_VAIN);
use Bonnie::Figure     qw(is_value);
use Bonnie::GoBonnieGo ();
use Bonnie::Json       qw(hash list number report_records text);
use Bonnie::JsonText   qw(try_value);
use Bonnie::OtherForms qw(other_form);
use Bonnie::Plain      qw(plain_text shorten);
use Bonnie::Statistics qw(median);
use Bonnie::Tests      qw(all_tests);

our @EXPORT_OK = qw(measured number_in unread_report);

# A report, or a list of them, at the beginning of a line, and behind the words of a log.
my $REPORT_BEGINS = qr/^(?:\xEF\xBB\xBF)?+[ \t]*+(?=(?:\[\s{0,99}+){0,9}+\{\s{0,99}+")/m;
my $BEHIND_WORDS  = qr/^([^\n{"]*[^\s{"\[][ \t]*)(?=(?:\[[ \t]*+){0,9}+\{[ \t]*+(?:"|\r?$))/m;

# Logs whose lines begin in more ways are not read.
my $MOST_PREFIXES = 20;

# Percentiles by the keys of bonnie and bonload, which are part of the names of metrics.
my @PERCENTILES = qw(mean p50 p90 p95 p99 p99_9 p99_99 max);

# fio's keys for these percentiles.
my %FIO = ('50.000000' => 'p50', '90.000000' => 'p90', '95.000000' => 'p95', '99.000000' => 'p99', '99.900000' => 'p99_9', '99.990000' => 'p99_99');

# GoBonnieGo's figures: their names, those of our tests, and units.
my @GOBONNIEGO = ([ write => 'put_block', 'KiB/s' ], [ read => 'get_block', 'KiB/s' ], [ iops => 'iops', 'ops/s' ]);

# Where the figures of fio 3 and of fio 2 are, and what their latencies are multiplied by.
my @FIO_LATENCIES = ([ lat_ns => 'clat_ns', 1 ], [ lat => 'clat', 1000 ]);

# How each kind of report is recognised; what it has figures in; the function that turns it into
# settings and runs, each a list of metrics; and the function that says in words that its own work
# has failed.
my @KINDS = (
    [ bonnie     => sub { ($_[0]{format} // q{}) eq 'bonnie' }, 'tests of at least 10 ms', \&of_bonnie ],
    [ bonload    => sub { ($_[0]{format} // q{}) eq 'bonload' }, 'reads or writes', \&of_bonload, \&failed_bonload ],
    [ fio        => sub { defined $_[0]{'fio version'} }, 'jobs or client_stats with bw_bytes or bw', \&of_fio, \&failed_fio ],
    [ GoBonnieGo => \&Bonnie::GoBonnieGo::is_report, 'results', \&of_gobonniego ],
    [ hyperfine  => sub { defined first_result($_[0])->{command} && exists first_result($_[0])->{mean} }, 'results with median or mean', \&of_hyperfine, \&failed_hyperfine ],
);

# Returns { kind, metrics => [ ... ], settings => { name => text }, asked and errors => numbers of
# requests, and of those that failed, of reports that count them, failed => in words how the
# measured work itself has failed, or undef }; undef if the output has no report. Dies when a report
# cannot be read.
sub measured ($bytes) {
    my ($found, $fault) = of_json($bytes);
    $found //= of_log($bytes);
    die "a JSON report that cannot be read: $fault\n" if defined $fault;
    $found //= of_csv($bytes) // return;
    my @metrics = middle_of(@{ $found->{runs} });
    die "a report of $found->{kind} without any figure: it has no $found->{has}\n" if !@metrics && !defined $found->{failed};
    return { %{$found}, metrics => \@metrics };
}

# What looks like a report that measured() does not read, in words; undef: nothing does.
sub unread_report ($output, $errors) {
    my ($form, $on_errors) = map { other_form($_) } $output, $errors;
    return $form // (defined $on_errors ? "$on_errors, on standard error" : undef);
}

# The number in a text that has only one, and what follows it, its unit; nothing if there is none,
# or several. Commas are allowed between groups of three digits, but not a single one without a point,
# which stands before decimals in many languages.
sub number_in ($text) {
    my ($number, $unit) = $text =~ /\A[^\d]*?(?<![\w.,])([-+]?(?:[1-9]\d{0,2}(?:(?:,\d{3}){2,}|,\d{3}(?=[.]\d))(?:[.]\d+)?|\d+(?:[.]\d*)?|[.]\d+)(?:[eE][-+]?\d+)?)\s*([^\d\s]*)[^\d]*\z/a or return;
    return ($number =~ tr/,//dr + 0, $unit);
}

# Returns what was found, and why some of it cannot be read.
sub of_json ($bytes) {
    my $found;
    pos($bytes) = 0;
    while ($bytes =~ /$REPORT_BEGINS/gc) {
        my ($value, $fault) = try_value(\$bytes);
        return ($found, $fault->{why}) if $fault;
        for my $report (reports_in($value)) {
            my ($json, $kind, undef, $has, $runs, $failed) = @{$report};
            next if $found && $found->{kind} ne $kind;
            my ($settings, @runs) = $runs->($json);
            $found //= { kind => $kind, has => $has, settings => $settings };
            $found->{failed} //= $failed->($json) if $failed;
            my ($asked, $errors) = $kind eq 'bonload' ? requests_of($json) : (0, 0);
            $found->{asked} += $asked;
            $found->{errors} += $errors;
            push @{ $found->{runs} }, @runs;
        }
    }
    return $found;
}

# The reports in a value, however deep, each with its kind.
sub reports_in ($value) {
    return map { reports_in($_) } @{$value} if ref $value eq 'ARRAY';
    return if ref $value ne 'HASH';
    my ($kind) = grep { $_->[1]->($value) } @KINDS;
    return $kind ? [ $value, @{$kind} ] : map { reports_in($value->{$_}) } sort keys %{$value};
}

# Reads JSON in lines that a log has put words before: the same ones, apart from numbers.
sub of_log ($bytes) {
    my (%tried, $unread);
    while (keys %tried < $MOST_PREFIXES && $bytes =~ /$BEHIND_WORDS/g) {
        my ($words, $place) = ($1, $-[0]);
        my $prefix = join '\d+', map { quotemeta } split /\d+/a, $words, -1;
        next if $tried{$prefix}++;
        my $text  = substr($bytes, $place) =~ s/^$prefix//mgar;
        my ($found, $fault) = of_json($text);
        return $found if $found && !defined $fault;
        my $line = 1 + substr($bytes, 0, $place) =~ tr/\n//;
        $unread //= "a report that begins on line $line, behind \"" . shorten(plain_text($words), 40)
            . '", and cannot be read' . (defined $fault ? ": $fault" : q{}) . "\n" if $text =~ $Bonnie::OtherForms::LOOKS_LIKE;
    }
    die $unread if defined $unread;
    return;
}

sub of_csv ($bytes) {
    my (@records, @problems);
    my $tries = $MOST_IN_VAIN;
    pos($bytes) = 0;
    while (pos $bytes < length $bytes) {
        next if $bytes =~ /\G[^\n]*+\{\s*"[^\n]*+\n?/gc;    # JSON, of another program
        my ($record, undef, @wrong) = next_result(\$bytes, \$tries);
        push @records, $record // ();
        push @problems, @wrong;
    }
    die "a result that cannot be read: $problems[0]\n" if @problems;
    return if !@records;
    my %settings = map { $_ => $records[0]{$_} } qw(version concurrency file_size chunk_size seek_count seekers num_files max_size min_size num_dirs file_chunk_size);
    return { kind => 'bonnie', settings => flat(\%settings), runs => [ map { [ record_metrics($_) ] } @records ], has => 'figures' };
}

sub of_bonnie ($report) {
    my ($records, @problems) = report_records($report);
    die "a report of bonnie that cannot be read: $problems[0]\n" if @problems;
    my %settings = %{ hash($report->{settings}) };
    delete $settings{size_bytes} if (text($settings{preset}) // q{}) eq 'quick'; # what it could write in its time
    my @runs;
    push @{ $runs[ $_->{run} - 1 ] }, record_metrics($_) for @{$records};
    return (flat({ version => text($report->{version}), host => hash($report->{host}), settings => \%settings }), grep {defined} @runs);
}

sub record_metrics ($record) {
    my @metrics;
    for my $test (all_tests()) {
        my $figures = $record->{tests}{ $test->{name} } or next;
        next if !$figures->{rate} || !is_value($figures->{rate});
        my $name   = $test->{name};
        my @levels = @{ $figures->{levels} // [] };    # of which the mean is not judged
        push @metrics, { %{ rate($name, $figures->{rate}{value}, $test->{unit}) }, judged => @levels ? 0 : 1 };
        push @metrics, map { rate("$name." . ($_ + 1), $levels[$_]{rate}{value}, $test->{unit}) } 0 .. $#levels;
        my %latency = %{ $figures->{percentiles} // {} };
        $latency{max} //= $figures->{latency}{value} if $figures->{latency} && is_value($figures->{latency});
        push @metrics, latencies($name, \%latency);
    }
    return @metrics;
}

# The figure of a search is the load that it has found: a rate, or a number of threads.
sub of_bonload ($report) {
    my ($load, $settings) = ($report, hash($report->{settings}));
    my $is_search = (text($settings->{mode}) // q{}) eq 'search';
    my $is_rate   = (text($settings->{search}) // 'rate') eq 'rate';
    my (@metrics, @nothing);
    for my $kind (qw(writes reads)) {
        my $figures = hash($load->{$kind});
        next if !number($figures->{made}) && !number($figures->{errors});
        my $found = $is_search ? number($figures->{found_per_second} // $figures->{found_threads}) : number($figures->{made_per_second});
        push @nothing, $kind if $is_search && !$found;
        push @metrics, rate($kind, $found, $is_rate ? 'ops/s' : undef), latencies($kind, hash($figures->{latency_ns})) if $found;
    }
    my @profiles = map { hash($_) } list(hash($load->{good_for})->{profiles});
    push @metrics, map { profile_metrics(@profiles > 1 ? (text($_->{name}) // q{}) . q{.} : q{}, $_) } @profiles;
    die "a report of bonload whose search of @nothing has found no load\n" if !@metrics && @nothing;
    return (flat({ version => text($load->{version}), settings => $settings }), \@metrics);
}

# The durations under the last load of a profile of -good-for, as "fdatasync.p99".
sub profile_metrics ($prefix, $profile) {
    my $load = hash((list($profile->{loads}))[-1]);
    return map { my $times = $_; latencies($prefix . (text($times->{name}) // q{}),
        { map { $_ => $times->{"${_}_ns"} } qw(p50 p99 max) }) } map { hash($_) } list($load->{durations});
}

# The numbers of its requests, and of those that failed.
sub requests_of ($load) {
    my ($made, $errors) = map { my $key = $_; sum0(map { number(hash($load->{$_})->{$key}) // 0 } qw(writes reads)) } qw(made errors);
    return ($made + $errors, $errors);
}

# By its default, unless the report says what it allowed.
sub failed_bonload ($report) {
    my $load = $report;
    my ($all, $errors) = requests_of($load);
    my $most = number(hash($load->{settings})->{max_errors_percent}) // 50;
    return 'a report of bonload that was stopped' if number($load->{stopped});
    return "a report of bonload with $load->{damaged} damaged reads" if number($load->{damaged});
    return sprintf 'a report of bonload in which %.3g %% of the requests failed, more than -max-errors=%.4g', 100 * $errors / $all, $most if $all && 100 * $errors > $most * $all;
    return;
}

sub of_gobonniego ($report) {
    my @about = grep { !/\A(?:results|start_time)\z/ } keys %{$report};
    my ($records) = Bonnie::GoBonnieGo::records($report);
    my @runs = map { my $tests = $_->{tests}; [ map { rate($_->[0], $tests->{ $_->[1] }{rate}{value}, $_->[2]) } @GOBONNIEGO ] } @{$records};
    return (flat({ map { $_ => $report->{$_} } @about }), @runs);
}

# Combines jobs with the same name, as group_reporting does: adds up their
# rates, and takes the worst of their latencies. If there are several names,
# each metric's name begins with that of its job.
sub of_fio ($report) {
    my @jobs  = fio_jobs($report);
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

# With --client, a job of each machine, and their sum, which is left out.
sub fio_jobs ($report) {
    my @jobs = map { hash($_) } list($report->{jobs} // $report->{client_stats});
    return @jobs > 1 ? grep { (text($_->{jobname}) // q{}) ne 'All clients' } @jobs : @jobs;
}

sub failed_fio ($report) {
    for my $job (fio_jobs($report)) {
        my $error = number($job->{error}) || number($job->{first_error}) or next;
        return 'a report of fio with error ' . $error . ' (' . do { local $! = $error; "$!" } . ') in job ' . shorten(text($job->{jobname}) // q{}, 40);
    }
    return;
}

# Up to version 2, rates are KiB/s and latencies microseconds.
sub fio_metrics ($name, @parts) {
    my $kib = sum0(map { defined $_->{bw_bytes} ? (number($_->{bw_bytes}) // 0) / 1024 : number($_->{bw}) // 0 } @parts) or return;
    my @latencies;
    for my $part (@parts) {
        my ($keys) = grep { $part->{ $_->[0] } } @FIO_LATENCIES or next;
        my ($whole, $device) = map { hash($part->{$_}) } @{$keys}[ 0, 1 ];
        my %latency = map { $_ => number($whole->{$_}) } qw(mean max);
        my $at = hash((%{ hash($whole->{percentile}) } ? $whole : $device)->{percentile});
        $latency{ $FIO{$_} } = number($at->{$_}) for grep { $FIO{$_} } keys %{$at};
        push @latencies, { map { $_ => ($latency{$_} // 0) * $keys->[2] } keys %latency };
    }
    my %worst = map { my $key = $_; $key => max(0, map { $_->{$key} // 0 } @latencies) } @PERCENTILES;
    my $iops  = sum0(map { number($_->{iops}) // 0 } @parts);
    return (rate($name, $kib, 'KiB/s'), { %{ rate("$name.iops", $iops, 'ops/s') }, judged => 0 }, latencies($name, \%worst));
}

sub of_hyperfine ($report) {
    my @results = map { hash($_) } list($report->{results});
    my @metrics;
    for my $i (0 .. $#results) {
        my $name = @results > 1 ? 'time.' . ($i + 1) : 'time';
        my ($median, $mean) = map { number($_) } @{ $results[$i] }{qw(median mean)};
        push @metrics, { name => $name, value => ($median // $mean // 0) * 1e9, unit => 'ns', more => 0, judged => 1 };
    }
    return (flat({ map { $_ + 1 => { command => text($results[$_]{command}) } } 0 .. $#results }), \@metrics);
}

# The exit status of a command that a signal has ended is null.
sub failed_hyperfine ($report) {
    for my $result (map { hash($_) } list($report->{results})) {
        my @codes  = list($result->{exit_codes});
        my @failed = grep { ($_ // 1) ne '0' } @codes or next;
        return sprintf 'a report of hyperfine in which %d of %d runs failed, the first with %s', scalar @failed, scalar @codes, defined $failed[0] ? "exit status $failed[0]" : 'a signal';
    }
    return;
}

sub first_result ($report) {
    my ($first) = list($report->{results});
    return hash($first);
}

sub rate ($name, $value, $unit) {
    ($value, $unit) = (1024 * $value, 'bytes/s') if defined $value && ($unit // q{}) eq 'KiB/s';
    return { name => $name, value => $value, unit => $unit, more => 1, judged => 1 };
}

sub latencies ($name, $latency) {
    return map { +{ name => "$name.$_", value => number($latency->{$_}), unit => 'ns', more => 0, judged => 0 } }
        grep { number($latency->{$_}) } @PERCENTILES;
}

# The median of the positive values, because the others have no ratio.
sub middle_of (@runs) {
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

sub flat ($settings) {
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
