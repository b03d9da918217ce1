#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Figures that bonload prints and goader does not: whole distributions, and limits for scripts.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use List::Util qw(min sum);
use POSIX      ();
use Test::More;
use BonnieRun  qw(have refused_ok scratch tree);
use LoadRun    qw(bonload ended_in loaded);
use RunProgram qw(slurp);

my $dir   = scratch();
my @SLEEP = qw(-requests-engine=sleep -rt=30 -max-requests=150 -max-errors=100);

# ---- the distribution ----------------------------------------------------------------------------------
# The histogram in a JSON report as a hash, and a percentile of it by nearest rank.
sub buckets { my ($report) = @_; return { @{ $report->{reads}{histogram} } } }

sub percentile {
    my ($histogram, $percent) = @_;
    my $left = sum(values %{$histogram}) * $percent / 100;
    for my $value (sort { $a <=> $b } keys %{$histogram}) {
        $left -= $histogram->{$value};
        return $value if $left <= 1e-9;
    }
    return;
}

my @runs = map { loaded(@SLEEP) } 1, 2;
my %merged;
for my $run (@runs) {
    my $histogram = buckets($run);
    my $latency   = $run->{reads}{latency_ns};
    is(sum(values %{$histogram}), $latency->{count}, 'each request is in the distribution');
    is_deeply([ @{$latency}{qw(p50 p90 p95 p99)} ], [ map { min(percentile($histogram, $_), $latency->{max}) } 50, 90, 95, 99 ], 'which has the percentiles of the report');
    $merged{$_} += $histogram->{$_} for keys %{$histogram};
}
my @values = sort { $a <=> $b } map { my $h = buckets($_); map { ($_) x $h->{$_} } keys %{$h} } @runs;
is(sum(values %merged), scalar @values, 'two distributions are added up');
is(percentile(\%merged, $_), $values[ POSIX::ceil(@values * $_ / 100) - 1 ], "p$_ of the sum is that of all requests together") for 50, 90, 99;

my $run = bonload(@SLEEP, "-hgrm=$dir/sleep");
is($run->{status}, '0', '-hgrm') or diag($run->{err});
is_deeply([ tree($dir) ], ['sleep-reads.hgrm'], 'a file for the reads, which there were');
my @lines = split /\n/, slurp("$dir/sleep-reads.hgrm");
my ($made) = $run->{out} =~ /^reads +\d+ +(\d+) /m;
like($lines[0], qr/^ +Value +Percentile +TotalCount +1\/\(1-Percentile\)$/, 'what the columns are');
my @rows = map { [split] } grep {/^ *\d/} @lines;
is_deeply([ @{ $rows[-1] }[ 1, 2 ] ], [ '1.000000000000', $made // 0 ], 'the last row has all that succeeded');
is_deeply([ map { $_->[2] } @rows ], [ sort { $a <=> $b } map { $_->[2] } @rows ], 'counts grow');
like($lines[-3], qr/^#\[Mean    = +[\d.]+, StdDeviation   = +[\d.]+\]$/, 'mean and deviation');
like($lines[-2], qr/^#\[Max     = +[\d.]+, Total count    = +\d+\]$/,    'maximum and count');
refused_ok(bonload(@SLEEP, "-hgrm=$dir/none/x"), qr{none/x-reads[.]hgrm: No such file or directory}, '-hgrm where there is no directory');

# ---- each second --------------------------------------------------------------------------------------
my $told = bonload(qw(-requests-engine=null -rps=100 -duration=2500ms), "-live-file=$dir/live.csv");
is($told->{status}, '0', '-live-file, CSV');
my ($head, @seconds) = map { [ split /,/ ] } split /\n/, slurp("$dir/live.csv");
is("@{$head}[ 0, 1, 7, 11 ]", 'seconds writes reads read_p99_ns', 'what the columns are');
cmp_ok(scalar @seconds, '>=', 1, 'a line for each second that was seen');
my $total = ended_in($told->{out}, 'reads'); # 250, but for those at the very end where the machine was away
is(sum(map { $_->[7] } @seconds), $total, 'each request is in one');
my $seconds = bonload(qw(-requests-engine=sleep -rt=100 -wt=1 -warmup=1100ms -duration=1100ms -max-errors=100 --json), "-live-file=$dir/live.prom");
my $figures = JSON::PP::decode_json($seconds->{out})->{reads};
my $count = $figures->{latency_ns}{count};
like(slurp("$dir/live.prom"), qr/^bonload_latency_seconds_count\{kind="read"\} $count$/m, '-live-file, metrics: the requests that count');
is_deeply([ grep {/live/} tree($dir) ], [qw(live.csv live.prom)], 'nothing else is left');
SKIP: {
    skip 'there is no promtool', 1 if !have('promtool');
    is(qx(promtool check metrics < $dir/live.prom 2>&1), q{}, 'promtool has nothing to say');
}
my %quantile = map {m/kind="read",quantile="([\d.]+)"\} (\S+)/} split /\n/, slurp("$dir/live.prom");
for my $case ([ p50 => '0.5' ], [ p90 => '0.9' ], [ p99 => '0.99' ], [ p99_9 => '0.999' ]) {
    my ($key, $quantile) = @{$case};
    my $ns = $figures->{latency_ns}{$key};
    is($quantile{$quantile}, defined $ns ? sprintf('%.9f', $ns / 1e9) : 'NaN', "in the end, $key is that of the whole run");
}
is(int(1e9 * ((slurp("$dir/live.prom") =~ /_sum\{kind="read"\} (\S+)/)[0] // 0) / $count + .001), $figures->{latency_ns}{mean}, 'so is the mean');
like(slurp("$dir/live.prom"), qr/kind="read",quantile="0[.]999"\} NaN$/m, 'what too few requests show is NaN') if $count < 1000;

# What a CSV file says, as rows of cells by name.
sub seconds_in {
    my ($head, @rows) = map { [ split /,/, $_, -1 ] } split /\n/, slurp($_[0]);
    return map { my $row = $_; +{ map { $head->[$_] => $row->[$_] } 0 .. $#{$head} } } @rows;
}
my $warmed = loaded(qw(-requests-engine=sleep -rt=3 -warmup=1100ms -duration=1100ms -max-errors=100), "-live-file=$dir/warm.csv");
my @warm   = seconds_in("$dir/warm.csv");
is(sum(map { $_->{reads} } @warm), $warmed->{reads}{asked}, 'CSV has none of the requests of the warm-up');
is_deeply([ map { $_->{seconds} } @warm ], [ sort { $a <=> $b } map { $_->{seconds} } @warm ], 'its seconds do not run backwards');
is(join(q{}, map { my $row = $_; map { $row->{"write_$_"} } qw(p50_ns p99_ns max_ns) } @warm), q{}, 'a kind that never runs has no latency');
my ($whole, @row);
for my $try (1 .. 20) { # on a busy machine it may take more than a second
    $whole = loaded(qw(-requests-engine=sleep -rt=8 -max-requests=24 -max-errors=100), "-live-file=$dir/whole.csv");
    @row   = seconds_in("$dir/whole.csv");
    last if @row == 1 && @{ $whole->{intervals} } == 1;
}
for my $second ([ 'in CSV', sub { $row[0]{"read_$_[0]_ns"} } ], [ 'in JSON', sub { $whole->{intervals}[0]{reads}{"$_[0]_ns"} } ]) {
    my ($where, $figure) = @{$second};
    is_deeply([ grep { my $all = $whole->{reads}{latency_ns}{$_}; defined $all ? abs($figure->($_) / $all - 1) > .002 : length $figure->($_) } qw(p50 p99 max) ], [], "a run of one second, $where: its latencies are those of the report, but for rounding");
}
my $dead = loaded(qw(-rps=20 -duration=1s -max-errors=100), "-url=$dir/none/XX", "-live-file=$dir/dead.csv");
is(join(q{}, map { my $row = $_; map { $row->{"read_$_"} } qw(p50_ns p99_ns max_ns) } seconds_in("$dir/dead.csv")), q{}, 'nor has one without a success');
is(sum(map { $_->{read_errors} } seconds_in("$dir/dead.csv")), $dead->{reads}{errors}, 'while its errors are there');
is_deeply([ grep {defined} map { $_->{reads}{p99_ns} } @{ $dead->{intervals} } ], [], 'intervals in JSON: null');
unlink map {"$dir/$_.csv"} qw(warm whole dead);
refused_ok(bonload(@SLEEP, "-live-file=$dir/none/$_"), qr{none/$_: No such file or directory}, "-live-file where there is no directory: $_") for qw(x x.prom);

# ---- a limit --------------------------------------------------------------------------------------------
my $above = bonload(@SLEEP, '-fail-above=p50:1us');
is($above->{status}, '2', '-fail-above: exit status 2');
like($above->{err}, qr/^bonload: (?:reads|writes): p50 [\d.]+ ms is above 1[.]00 us$/m, 'with the figure, on standard error');
ok(!bonload(@SLEEP, "-fail-above=$_")->{status}, "-fail-above=$_ is kept") for qw(p50:1h max:1h 1h);
is(JSON::PP::decode_json(bonload(@SLEEP, '--json', '-fail-above=max:1ns')->{out})->{above}, 1, 'in JSON too');
my $few = bonload(qw(-requests-engine=sleep -wt=1 -rt=0 -max-requests=20 -fail-above=p99:1ns));
is("$few->{status} $few->{err}", "3 bonload: writes: p99 is not known: 20 were seen, 100 are needed\n", 'a percentile that is printed as - is not judged');
like($few->{out}, qr/^writes (?: +\S+){4} +[\d.]+ ms +-(?: |$)/m, 'and is printed so');
my $none = bonload(qw(-rt=1 -max-requests=5 -max-errors=100 -fail-above=p99:1h), "-url=$dir/none/XX");
is($none->{status}, '1', 'where nothing succeeds, no latency is below the limit');
like($none->{err}, qr/^bonload: Reads: none succeeded, so -fail-above has no latency to judge: read: /m, 'as a line says');

# A search begins with a load that is far too large. What it prints, and judges, is the last load.
my $search = bonload(qw(-requests-engine=sleep -wt=100 -rt=0 -max-latency=400ms -window=100ms -window-max=400ms -max-errors=100 -fail-above=max:850ms --json));
my $last   = JSON::PP::decode_json($search->{out});
is($last->{above} ? 1 : 0, $last->{writes}{latency_ns}{max} > 850e6 ? 1 : 0, "a search: -fail-above judges the figures that are printed, of the $last->{figures_of}");
like($search->{status}, $last->{above} ? qr/\A2\z/ : qr/\A[03]\z/, 'so does the exit status');
refused_ok(bonload('-fail-above=p0:1s'), qr/-fail-above: 'p0:1s' is not accepted; expected a duration/, 'a limit that is none');

done_testing();
