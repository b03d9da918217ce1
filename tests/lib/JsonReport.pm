# SPDX-License-Identifier: GPL-2.0-or-later
# Reports of --json: whether one is valid, and whether its figures are consistent.
package JsonReport;

use strict;
use warnings;
use Exporter 'import';
use JSON::PP   ();
use Test::More ();
use BonnieRun  qw(@ALL_TESTS bonnie source);
use JsonSchema qw(schema_errors);
use RunProgram qw(slurp);

our @EXPORT_OK = qw(report_ok report_of tests_of);

my $SCHEMA = JSON::PP->new->utf8->decode(slurp(source('share/bonnie.schema.json')));
my %NEEDED = (p50 => 2, p90 => 10, p95 => 20, p99 => 100, p99_9 => 1000, p99_99 => 10_000); # operations that show it

# Numbers are printed with 15 digits, of which 9 must agree.
sub about { my ($value, $expected) = @_; return abs($value - $expected) <= 1e-9 * abs $expected }

# report_of(ARGUMENT...): runs bonnie, checks that it succeeded, and returns the report.
sub report_of {
    my $run = bonnie(@_);
    Test::More::is($run->{status}, 0, 'exit status 0') or Test::More::diag($run->{err});
    return report_ok($run->{out});
}

# report_ok(TEXT): checks that it is one valid object with consistent figures, and returns
# it.
sub report_ok {
    my ($text) = @_;
    Test::More::like($text, qr/\A\{.*\}\n\z/s, 'one object and a newline, nothing else');
    my $report = eval { JSON::PP->new->utf8->decode($text) };
    Test::More::ok($report, 'which is JSON') or do { Test::More::diag($@); return {} };
    Test::More::is(join("\n", schema_errors($SCHEMA, $report)), q{}, 'and as the schema says');
    Test::More::is(join("\n", wrong_in($report)), q{}, 'its figures agree');
    return $report;
}

# tests_of(REPORT): the names of the tests of its first run, as one text.
sub tests_of { my ($report) = @_; return join q{ }, map { $_->{name} } @{ $report->{runs}[0]{tests} } }

# Lines that say what is inconsistent in a report.
sub wrong_in {
    my ($report) = @_;
    my @runs = @{ $report->{runs} };
    my @wrong;
    push @wrong, 'it did not start with its first run' if $report->{start_time} ne $runs[0]{start_time};
    for my $run (@runs) {
        my %order = map { $ALL_TESTS[$_] => $_ } 0 .. $#ALL_TESTS;
        my @names = map { $_->{name} } @{ $run->{tests} };
        my $has_rows = grep { defined $_->{row} } @{ $run->{tests} };
        push @wrong, "not in running order: @names" if !$has_rows && "@names" ne join q{ }, sort { $order{$a} <=> $order{$b} } @names;
        push @wrong, map { wrong_in_test($_) } @{ $run->{tests} };
    }
    my @tests = map { $_->{name} } @{ $report->{summary} };
    push @wrong, "the summary is of @tests" if "@tests" ne tests_of($report);
    for my $summary (@{ $report->{summary} }) {
        my @rates = map { $_->{ $summary->{ops_per_second} ? 'ops_per_second' : 'bytes_per_second' }
            } grep { $_->{name} eq $summary->{name} && ($_->{row} // q{}) eq ($summary->{row} // q{}) } map { @{ $_->{tests} } } @runs;
        push @wrong, wrong_in_summary($summary, sort { $a <=> $b } @rates);
    }
    return @wrong;
}

sub wrong_in_test {
    my ($test) = @_;
    my @wrong;
    for my $what (qw(bytes ops)) {
        my $rate = $test->{elapsed_seconds} > 0 ? $test->{$what} / $test->{elapsed_seconds} : 0;
        push @wrong, "$test->{\"${what}_per_second\"} $what a second instead of $rate" if !about($test->{"${what}_per_second"}, $rate);
    }
    push @wrong, 'no operation' if !$test->{ops};

    my $latency = $test->{latency_ns};
    my @ascending = grep {defined} @{$latency}{qw(min p50 p90 p95 p99 p99_9 p99_99 max)};
    push @wrong, map {"$_ of $test->{ops} operations"} grep { defined $latency->{$_} xor $test->{ops} >= $NEEDED{$_} } sort keys %NEEDED;
    push @wrong, "percentiles @ascending" if grep { $ascending[ $_ - 1 ] > $ascending[$_] } 1 .. $#ascending;
    push @wrong, "a mean of $latency->{mean} beyond the ends" if $latency->{mean} < $latency->{min} || $latency->{mean} > $latency->{max};

    my @ends = map { $_->{seconds} } @{ $test->{intervals} };
    push @wrong, "intervals that end at @ends" if grep { $ends[ $_ - 1 ] >= $ends[$_] } 1 .. $#ends;
    return map {"$test->{name}: $_"} @wrong;
}

sub wrong_in_summary {
    my ($summary, @sorted) = @_;
    my $rate   = $summary->{ops_per_second} // $summary->{bytes_per_second};
    my $mean   = 0;
    my $square = 0;
    $mean   += $_ / @sorted                                    for @sorted;
    $square += ($_ - $mean)**2 / (@sorted > 1 ? @sorted - 1 : 1) for @sorted;
    my @wrong;
    push @wrong, "$summary->{runs} runs" if $summary->{runs} != @sorted;
    push @wrong, 'min or max' if !about($rate->{min}, $sorted[0]) || !about($rate->{max}, $sorted[-1]);
    push @wrong, 'median'     if !about($rate->{median}, ($sorted[ $#sorted / 2 ] + $sorted[ @sorted / 2 ]) / 2);
    push @wrong, 'deviation'  if abs($rate->{stddev} - sqrt $square) > 1e-9 * $mean;
    my ($low, $high) = @{ $rate->{ci95} };
    push @wrong, 'an interval that is not around the mean' if !about($low + $high, 2 * $mean);
    push @wrong, 'an interval of one run' if @sorted == 1 && $low != $high;
    return map {"summary of $summary->{name}: $_"} @wrong;
}

1;
