# SPDX-License-Identifier: GPL-2.0-or-later
# A comparison as a table of at most 80 columns.
package Bonnie::ComparisonText;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use List::Util qw(max);
use Bonnie::Comparison;
use Bonnie::Figure qw(value_figure);
use Bonnie::Plain  qw(shorten);
use Bonnie::Tests  qw(test_named);
use Bonnie::Text   qw(rate_text terminal_text);
use Bonnie::Units  qw(beside counted);

our @EXPORT_OK = qw(comparison_text);

my $LABEL_WIDTH = 50;

# Test, both medians, change, both ends of its interval, p, verdict.
my $ROW  = ' %9s %9s %9s %9s %9s  %7s  %s';
my $HEAD = sprintf $ROW, qw(baseline other change from to p verdict);
my $OVER = sprintf ' %s %9s %s', '----median rate----', q{}, '---95 % interval---';

my ($ALPHA, $MANY_RUNS) = ($Bonnie::Comparison::ALPHA, $Bonnie::Comparison::MANY_RUNS);
my $ONE_IN = sprintf '%.0f', 1 / $ALPHA;

# The words, by whether the tests are judged together.
my @JUDGED = (
    "faster, slower: p is below $ALPHA, as happens by chance in one test in $ONE_IN.\n",
    "faster, slower: p, corrected for the number of tests (Holm), is below $ALPHA.\n"
        . "from, to: the intervals are not corrected.\n",
);

# $JUDGED[...] is inserted between the two texts.
my $CHANGE = <<'END';
change: from one median to the other.
END
my $UNCLEAR = <<'END';
N runs: not significant; with about N runs of each label, a difference like
this one would be.
even: each label is faster in the same number of pairs of runs.
END

sub comparison_text (@comparisons) {
    my @tables = map { table($_) } @comparisons;
    return terminal_text(join("\n", @tables, $CHANGE) . $JUDGED[ $comparisons[0]->together ] . $UNCLEAR);
}

sub table ($comparison) {
    my @rows  = $comparison->rows;
    my $width = max(10, map { length $_->{test} } @rows);
    my @lines = (
        group_line('Baseline', $comparison->baseline),
        group_line('Other',    $comparison->other),
        q{}, q{ } x $width . $OVER, sprintf("%-${width}s", 'Test') . $HEAD,
        (map { sprintf("%-${width}s", $_->{test}) . row_text($_) } @rows),
    );
    return join q{}, map { s/ +\z//r . "\n" } @lines;
}

sub group_line ($title, $group) {
    return sprintf '%-10s %s', $title, shorten($group->label, $LABEL_WIDTH) . ' (' . counted(scalar @{ $group->records }, 'run') . ')';
}

sub row_text ($row) {
    my $unit = test_named($row->{test})->{unit};
    return sprintf $ROW,
        (map { median_text($row->{$_}, $unit) } qw(baseline_median other_median)),
        change_text($row), (map { percent_text($row->{$_}, $row->{significant} ? 0 : undef) } qw(low_percent high_percent)),
        p_text($row->{p}), verdict_text($row);
}

# Formatted as in the tables of results.
sub median_text ($median, $unit) {
    return q{} if !defined $median;
    my $number = $median < 10 ? sprintf('%.3g', $median) : sprintf('%.1f', $median) =~ s/[.]0\z//r;
    my $text   = rate_text(value_figure($number, $median), $unit);
    return length $text > 9 ? sprintf '%.2e', $median : $text;
}

# A change from zero has no percentage.
sub change_text ($row) {
    return defined $row->{p} && !defined $row->{change_percent} ? 'from zero' : percent_text($row->{change_percent});
}

sub percent_text ($percent, $excluded = undef) {
    return q{} if !defined $percent;
    return sprintf '%+.0e %%', $percent if abs $percent >= 9999.95;
    return ($percent < 0 ? q{-} : q{+}) . beside(abs $percent, 1, $excluded) . ' %';
}

sub p_text ($p) {
    return q{} if !defined $p;
    return $p < 0.00005 ? '<0.0001' : beside($p, 4, $ALPHA);
}

sub verdict_text ($row) {
    return 'no figure'     if !defined $row->{p};
    return $row->{verdict} if $row->{significant};
    my $needed = $row->{runs_needed} // return 'even';
    return ($needed > $MANY_RUNS ? "$MANY_RUNS+" : $needed) . ' runs';
}

1;
