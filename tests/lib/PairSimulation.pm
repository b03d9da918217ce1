# SPDX-License-Identifier: GPL-2.0-or-later
# Simulated campaigns of pairs, and what bon_ab's test says about them. Times
# are in seconds, values are natural logarithms of rates.
package PairSimulation;

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(first);
use Bonnie::PairTest;

our @EXPORT_OK = qw(@MACHINES false_reports pairs_needed fixed_design normal bank_of found_in_bank $ALPHA);

our $ALPHA = 0.05;

my $PAIRS = 100;

# The duration of a run while the machine has its full speed.
my $RUN = 10;

# Each machine makes the values of a metric: sub ($run, $seconds, \%memory), called in the order of
# time.
our @MACHINES = (
    [ 'normal'                         => sub { 0.1 * normal() } ],
    [ 'heavy tails, Student with 3'    => sub { 0.1 * student3() } ],
    [ 'skew, log-normal'               => sub { -0.1 * exp normal() } ],
    [ 'drift of 50 % over the campaign' => sub { 0.05 * normal() + log(1 - 0.5 * $_[0] / (2 * $PAIRS)) } ],
    [ 'half as fast every third minute' => sub { 0.05 * normal() + (is_slow($_[1]) ? log 0.5 : 0) } ],
    [ 'correlated runs, AR 0.5'        => sub { $_[2]{last} = 0.5 * ($_[2]{last} // 0) + 0.1 * normal() } ],
);

sub is_slow { my ($seconds) = @_; return int($seconds / 60) % 3 == 2 }

sub normal {
    return sqrt(-2 * log(1 - rand)) * cos(2 * 3.14159265358979 * rand);
}

sub student3 {
    return normal() / sqrt((normal()**2 + normal()**2 + normal()**2) / 3);
}

# In how many of these campaigns of A against A any metric was ever said to
# differ. All pairs are judged one by one, and no campaign stops early.
sub false_reports {
    my ($machine, $campaigns, $metrics) = @_;
    my $reports = 0;
    $reports += false_report($machine, $metrics) for 1 .. $campaigns;
    return $reports;
}

# The order is drawn once for a pair, and all metrics have the same times.
sub false_report {
    my ($machine, $metrics) = @_;
    my @tests  = map { Bonnie::PairTest->new($ALPHA / (2 * $metrics), 0) } 1 .. $metrics;
    my @memory = map { {} } @tests;
    my $time   = 180 * rand;
    for my $pair (0 .. $PAIRS - 1) {
        my @times = ($time, $time + $RUN * (is_slow($time) ? 2 : 1));
        $time = $times[1] + $RUN * (is_slow($times[1]) ? 2 : 1);
        my $sign = rand() < 0.5 ? 1 : -1;
        for my $metric (0 .. $#tests) {
            my ($first, $second) = map { $machine->(2 * $pair + $_, $times[$_], $memory[$metric]) } 0, 1;
            $tests[$metric]->add($sign * ($first - $second));
            return 1 if $tests[$metric]->refuted(0);
        }
    }
    return 0;
}

# The numbers of pairs, sorted, after which each campaign knew that metrics
# differ by $effect; at most $most.
sub pairs_needed {
    my ($campaigns, $most, $metrics, $value) = @_;
    my @needed;
    for (1 .. $campaigns) {
        my $test = Bonnie::PairTest->new($ALPHA / (2 * $metrics), 0);
        $test->add($value->()) while !$test->refuted(0) && $test->pairs < $most;
        push @needed, $test->refuted(0) ? $test->pairs : $most + 1;
    }
    return sort { $a <=> $b } @needed;
}

# The number of pairs in a fixed design with a power of 90 %: the t test of
# pairs, by Guenther, Sample Size Formulas for Normal Theory t Tests, The
# American Statistician 35 (1981). $distance: effect by the standard deviation
# of pairs; the quantile is that of 1 - $ALPHA / 24.
sub fixed_design {
    my ($distance, $quantile) = @_;
    $quantile //= 2.8653;
    return int(($quantile + 1.2816)**2 / $distance**2 + $quantile**2 / 2 + 0.9999);
}

# Real runs in the order of time: { names => [ ... ], runs => [ [ logarithms of rates ], ... ] }.
sub bank_of {
    my ($file) = @_;
    open my $in, '<', $file or die "$file: $!\n";
    my ($names, @runs) = map { [ split /,/ ] } grep { !/^#/ } map { s/\n//r } readline $in;
    close $in or die "$file: $!\n";
    return { names => $names, runs => [ map { [ map { log } @{$_} ] } @runs ] };
}

# Campaigns drawn from the bank, as blocks of consecutive runs in pairs with a
# random order, with B better by $effect (a logarithm). Returns (campaigns in
# which any metric was said to differ, { metric => [ pairs that it took ] }).
sub found_in_bank {
    my ($bank, $campaigns, $effect) = @_;
    my ($found, %needed) = (0);
    my ($names, $runs) = @{$bank}{qw(names runs)};
    for (1 .. $campaigns) {
        my $start = int rand(@{$runs} - 2 * $PAIRS + 1);
        my @signs = map { rand() < 0.5 ? 1 : -1 } 1 .. $PAIRS;
        my $any   = 0;
        for my $metric (0 .. $#{$names}) {
            my $test = Bonnie::PairTest->new($ALPHA / (2 * @{$names}), 0);
            for my $pair (0 .. $PAIRS - 1) {
                my ($first, $second) = map { $_->[$metric] } @{$runs}[ $start + 2 * $pair, $start + 2 * $pair + 1 ];
                $test->add($effect + $signs[$pair] * ($first - $second));
                last if $test->refuted(0);
            }
            push @{ $needed{ $names->[$metric] } }, $test->refuted(0) ? $test->pairs : $PAIRS + 1;
            $any ||= $test->refuted(0);
        }
        $found++ if $any;
    }
    return ($found, \%needed);
}

1;
