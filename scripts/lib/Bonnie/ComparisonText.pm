# SPDX-License-Identifier: GPL-2.0-or-later
# A comparison as a table of at most 80 columns.
package Bonnie::ComparisonText;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use List::Util qw(max);
use Bonnie::ChangeWords ();
use Bonnie::Comparison;
use Bonnie::Plain qw(shorten wrapped);
use Bonnie::Text  qw(terminal_text);
use Bonnie::Units qw(beside counted);

our @EXPORT_OK = qw(comparison_text);

my $LABEL_WIDTH = 50;

# Test, both medians, change, both ends of its interval, p, verdict.
my $ROW  = ' %9s %9s %9s %8s %8s  %7s  %s';
my $HEAD = sprintf $ROW, qw(baseline other change from to p verdict);
my $OVER = sprintf ' %s %9s %s', '-----per second----', q{}, '--95 % interval--';

my ($ALPHA, $MANY_RUNS) = ($Bonnie::Comparison::ALPHA, $Bonnie::Comparison::MANY_RUNS);
my $ONE_IN = sprintf '%.0f', 1 / $ALPHA;

# The words, by whether the tests are judged together.
my @JUDGED = (
    "faster, slower: p is below $ALPHA, as happens by chance in one test in $ONE_IN.\n",
    "faster, slower: p, corrected for the number of tests (Holm), is below $ALPHA.\n"
        . "from, to: the intervals are not corrected.\n",
);

my $CHANGE = "change: from one median to the other.\n";

# The answers come first, and the words that explain the tables last.
sub comparison_text (@comparisons) {
    my @answers = map { wrapped(answer($_)) . "\n" } @comparisons;
    my @tables  = map { table($_) } @comparisons;
    return terminal_text(join("\n", join(q{}, @answers), @tables, $CHANGE) . $JUDGED[ $comparisons[0]->together ]);
}

# "direct is slower than buffered in seeks and putc; not known: 10 tests."
sub answer ($comparison) {
    my ($old, $new) = map { shorten($_->label, $LABEL_WIDTH) } $comparison->baseline, $comparison->other;
    my %of;
    push @{ $of{ $_->{verdict} } }, $_->{test} for grep { defined $_->{p} } $comparison->rows;
    my @differ = map { $of{$_} ? "$_ than $old in " . names(@{ $of{$_} }) : () } qw(faster slower);
    return "$new and $old: " . Bonnie::ChangeWords::counts_text($comparison) . q{.} if !@differ;
    return "$new is " . join(' and ', @differ) . ($of{not_known} ? '; not known: ' . counted(scalar @{ $of{not_known} }, 'test') : q{}) . q{.};
}

sub names (@names) {
    my $last = pop @names;
    return @names ? join(', ', @names) . " and $last" : $last;
}

sub table ($comparison) {
    my @rows  = $comparison->rows;
    my $width = max(10, map { length $_->{test} } @rows);
    my @lines = (
        group_line('Baseline', $comparison->baseline),
        group_line('Other',    $comparison->other),
        q{}, q{ } x $width . $OVER, sprintf("%-${width}s", 'Test') . $HEAD,
        (map { sprintf("%-${width}s", $_->{test}) . row_text($_) } @rows),
        q{}, runs_needed(@rows),
    );
    pop @lines if $lines[-1] eq q{};
    return join q{}, map { s/ +\z//r . "\n" } @lines;
}

sub group_line ($title, $group) {
    return sprintf '%-10s %s', $title, shorten($group->label, $LABEL_WIDTH) . ' (' . counted(scalar @{ $group->records }, 'run') . ')';
}

# How many runs it would take to know what is not known.
sub runs_needed (@rows) {
    my (%of, @even);
    for my $row (grep { defined $_->{p} && !$_->{significant} } @rows) {
        my $needed = $row->{runs_needed};
        push @{ defined $needed ? $of{ $needed > $MANY_RUNS ? $MANY_RUNS + 1 : $needed } //= [] : \@even }, $row->{test};
    }
    my @needed = map { ($_ > $MANY_RUNS ? "more than $MANY_RUNS" : $_) . ' for ' . names(@{ $of{$_} }) } sort { $a <=> $b } keys %of;
    return (
        @needed ? wrapped('Runs of each label that would show such a difference: ' . join('; ', @needed) . q{.}) : (),
        @even ? wrapped(names(@even) . ': each label is faster in the same number of pairs of runs.') : (),
    );
}

sub row_text ($row) {
    return sprintf $ROW, (map { median_text($row, $_) } qw(baseline other)),
        change_text($row), (map { percent_text($row->{$_}, $row->{significant} ? 0 : undef) } qw(low_percent high_percent)),
        p_text($row->{p}), !defined $row->{p} ? 'no figure' : $row->{significant} ? $row->{verdict} : 'not known';
}

sub median_text ($row, $which) {
    my $text = (Bonnie::ChangeWords::median_text($row, $which) // q{}) =~ s{/s\z}{}r =~ tr/\x{A0}/ /r;
    return length $text > 9 ? sprintf '%.2e', $row->{"${which}_median"} : $text;
}

# A change from zero has no percentage.
sub change_text ($row) {
    return defined $row->{p} && !defined $row->{change_percent} ? 'from zero' : percent_text($row->{change_percent});
}

sub percent_text ($percent, $excluded = undef) {
    return q{} if !defined $percent;
    my $size = abs $percent;
    return sprintf '%+.0e %%', $percent if $size >= 9999.5;
    return ($percent < 0 ? q{-} : q{+}) . ($size < 999.5 ? beside($size, $size < 99.95 ? 1 : 0, $excluded) : 0 + sprintf '%.3g', $size) . ' %';
}

sub p_text ($p) {
    return q{} if !defined $p;
    return $p < 0.00005 ? '<0.0001' : beside($p, 4, $ALPHA);
}

1;
