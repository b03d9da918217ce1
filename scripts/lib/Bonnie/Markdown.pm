# SPDX-License-Identifier: GPL-2.0-or-later
# Results and comparisons as tables of Markdown, for pull requests.
package Bonnie::Markdown;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use List::Util qw(max);
use Bonnie::ChangeWords qw(change_text counts_text interval_text is_compared median_text verdict_text);
use Bonnie::Tests       qw(all_tests test_named);
use Bonnie::Units       qw(counted figure_text);

our @EXPORT_OK = qw(markdown_comparison markdown_results);

# The medians of each label, a row for each test that any of them ran.
sub markdown_results (@groups) {
    my @rows;
    for my $test (all_tests()) {
        next if !grep { $_->ran($test->{name}) } @groups;
        my @medians = map { my $spread = $_->spread_of($test->{name}, 'rate'); $spread && $spread->{median} } @groups;
        my $like    = max(map { $_ // 0 } @medians);
        push @rows, [ $test->{name_alone}, map { defined ? figure_text($_, $test->{unit}, $like) : q{-} } @medians ];
    }
    return table([ 'Test', map { $_->name . ' (' . counted(scalar @{ $_->records }, 'run') . ')' } @groups ], @rows);
}

# $comparison as in Comparison.pm: the answer, then the table.
sub markdown_comparison ($comparison) {
    my ($old, $new) = ($comparison->baseline, $comparison->other);
    my @rows;
    for my $row ($comparison->rows) {
        my @medians = map { median_text($row, $_) // q{-} } qw(baseline other);
        push @rows, [ test_named($row->{test})->{name_alone}, @medians, is_compared($row) ? (change_text($row), interval_text($row), verdict_text($row)) : (q{-}, q{-}, 'no figure') ];
    }
    return '**' . escaped($new->name) . '** beside **' . escaped($old->name) . '**: ' . counts_text($comparison) . ".\n\n"
        . table([ 'Test', $old->name, $new->name, 'change', '95 % interval', 'verdict' ], @rows);
}

sub table ($heads, @rows) {
    my @lines = ($heads, [ '---', ('---:') x (@{$heads} - 1) ], @rows);
    return join q{}, map { '| ' . join(' | ', map { escaped($_) } @{$_}) . " |\n" } @lines;
}

# A label is no markup.
sub escaped ($text) { return $text =~ s/([\\`*_\[\]<>|])/\\$1/gr =~ s/\x{A0}/ /gr }

1;
