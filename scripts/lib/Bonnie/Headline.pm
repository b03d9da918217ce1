# SPDX-License-Identifier: GPL-2.0-or-later
# The top of the page: the result in one sentence, and where and when it was
# measured.
package Bonnie::Headline;

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(max maxstr minstr uniq);
use Bonnie::ChangeWords qw(change_text counts_text few_text is_compared);
use Bonnie::HtmlTable   qw(tests_run);
use Bonnie::Plain       qw(shorten);
use Bonnie::Tests       qw(test_named);
use Bonnie::Units       qw(bytes_text figure_text);

our @EXPORT_OK = qw(headline facts);

my $MAX_LABEL = 60;

# From this percentage of a CPU on, the CPU counts as the limit of a test in a
# CSV line, which does not name the limit.
my $CPU_FULL = 95;

# The tests that describe a single label: the test, and the words before and
# after its rate, which may depend on the settings of the records.
my @TOLD = (
    [ 'put_block',  'writes',  sub {'in blocks'} ],
    [ 'get_block',  'reads',   sub {'in blocks'} ],
    [ 'seeks',      'does',    sub {'seeks a second'} ],
    [ 'iops',       'does',    \&mix_of ],
    [ 'seq_create', 'creates', sub {'files a second'} ],
);

# One sentence, or an empty text. $page: see Page.pm.
sub headline {
    my ($page) = @_;
    my @comparisons = @{ $page->{comparisons} };
    my @groups      = @{ $page->{groups} };
    return of_comparison(@comparisons) if @comparisons == 1;
    return of_comparisons(@comparisons) if @comparisons;
    return @groups == 1 ? of_one(@groups) : of_many(@groups);
}

sub name_of {
    my ($group) = @_;
    return shorten($group->name, $MAX_LABEL);
}

sub of_comparison {
    my ($comparison) = @_;
    my @rows = grep { is_compared($_) } $comparison->rows or return 'No test was measured with both labels.';
    my ($baseline, $other) = map { name_of($_) } $comparison->baseline, $comparison->other;
    my $counts = counts_text($comparison) // return "$other compared with $baseline: " . few_text($comparison) . q{.};
    my ($most) = sort { size_of($b) <=> size_of($a) } grep { $_->{significant} } @rows;
    my $words = "Compared with $baseline, $other is $counts";
    return "$words." if !$most;
    return "$words; the largest change is " . change_text($most) . ', in "' . test_named($most->{test})->{name_alone} . '".';
}

# The size of a change: twice as fast is as much as half as fast.
sub size_of {
    my ($row) = @_;
    my $ratio = defined $row->{change_percent} ? 1 + $row->{change_percent} / 100 : 0;
    return $ratio > 0 ? abs log $ratio : 9**9**9;
}

sub of_comparisons {
    my @comparisons = @_;
    my %with = (better => 0, worse => 0);
    for my $comparison (@comparisons) {
        my %seen = map { ($_->{verdict} // q{}) => 1 } $comparison->rows;
        $with{$_}++ for grep { $seen{$_} } keys %with;
    }
    my %are = map { $_ => $with{$_} . ($with{$_} == 1 ? ' is' : ' are') } keys %with;
    return 'Of ' . @comparisons . ' labels compared with ' . name_of($comparisons[0]->baseline)
        . ", $are{better} better in at least one test and $are{worse} worse in at least one.";
}

sub of_one {
    my ($group) = @_;
    my @parts;
    for my $told (@TOLD) {
        my ($test, $verb, $what) = @{$told};
        my $spread = $group->spread_of($test, 'rate') or next;
        push @parts, join q{ }, $verb, figure_text($spread->{median}, test_named($test)->{unit}) =~ s/\x{A0}ops\/s//r,
            $what->($group), limited_text($group, $test);
    }
    return if !@parts;
    my $last = pop @parts;
    my $runs = @{ $group->records };
    return name_of($group) . q{ } . join(', ', @parts) . (@parts ? ' and ' : q{}) . $last . ($runs > 1 ? " (medians of $runs runs)." : q{.});
}

# "random writes of 4 KiB a second", if all runs did the same.
sub mix_of {
    my ($group) = @_;
    my @settings = map { $_->{settings} // {} } @{ $group->records };
    my ($block, @blocks)   = uniq(map { $_->{iops_block_bytes} // q{} } @settings);
    my ($writes, @writes)  = uniq(map { $_->{iops_write_percent} // q{} } @settings);
    my $of   = !@blocks && $block =~ /\A\d{1,15}\z/a ? ' of ' . bytes_text($block) : q{};
    my $what = @writes || $writes !~ /\A\d{1,3}\z/a ? 'reads and writes'
        : $writes == 0                              ? 'reads'
        : $writes == 100                            ? 'writes'
        :                                             "operations ($writes\x{A0}% writes)";
    return "random $what$of a second";
}

# In brackets: whether something other than the storage limited the figure, or
# the figure was not steady.
sub limited_text {
    my ($group, $test) = @_;
    my @details = $group->details($test);
    my %limit   = (cpu => 'limited by the CPU', others => 'waiting for a CPU: others used it', 'page cache' => 'in the page cache', server => 'limited by the server');
    my @limits  = uniq(map { $_->{limited_by} // q{} } @details);
    my $cpu     = $group->spread_of($test, 'cpu');
    my @words   = @limits == 1 ? $limit{ $limits[0] } // () : !@limits && $cpu && $cpu->{median} >= $CPU_FULL ? sprintf("at %.0f\x{A0}%% CPU", $cpu->{median}) : ();
    my ($unsteady) = grep { $_ !~ /\Asteady/ } map { $_->{steady}{verdict} } grep { $_->{steady} } @details;
    push @words, 'not steady' if defined $unsteady;
    return @words ? '(' . join(', ', @words) . ')' : ();
}

sub of_many {
    my @groups = @_;
    my @tests  = tests_run(@groups) or return;
    my %first;
    for my $test (@tests) {
        my @rates = map { [ $_, $_->spread_of($test->{name}, 'rate') ] } @groups;
        my ($best, $second) = sort { $b->[1]{median} <=> $a->[1]{median} } grep { $_->[1] } @rates;
        $first{ $best->[0]->number }++ if $second && $best->[1]{median} > $second->[1]{median};
    }
    my $most = max(values %first) or return;
    my @best = grep { ($first{ $_->number } // 0) == $most } @groups;
    my $tests = @tests;
    return name_of($best[0]) . " has the highest rate in $most of $tests tests, more than any other of the " . @groups . ' labels.' if @best == 1;
    return 'None of ' . @groups . " labels has the highest rate in more than $most of $tests tests.";
}

# Facts that only JSON reports have; otherwise nothing.
sub facts {
    my ($page) = @_;
    my @records = map { @{ $_->records } } @{ $page->{groups} };
    my @hosts   = uniq(grep { defined } map { $_->{host}{name} } grep { $_->{host} } @records);
    my @times   = grep { defined } map { $_->{start_time} } @records;
    my $where   = @hosts == 1 ? ' on ' . shorten($hosts[0], $MAX_LABEL) : @hosts ? ' on ' . @hosts . ' hosts' : q{};
    my $when    = @times ? ', ' . period(@times) : q{};
    return $where eq q{} && $when eq q{} ? () : "Measured$where$when.";
}

sub period {
    my ($first, $last) = map { shorten(tr/TZ/ /dr, $MAX_LABEL) } minstr(@_), maxstr(@_);
    return $first eq $last ? "$first UTC" : "$first to $last UTC";
}

1;
