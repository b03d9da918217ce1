# SPDX-License-Identifier: GPL-2.0-or-later
# Compares many labels with the baseline in one table: a row for each label, a
# column for each test, as in the table of rates.
package Bonnie::ManyChanges;

use strict;
use warnings;
use Exporter 'import';
use Bonnie::ChangeWords   qw(change_text is_compared verdict_text);
use Bonnie::Html          qw(element text);
use Bonnie::HtmlTable     qw(row_of row_head cell absent test_heads tests_run scrolling_table);
use Bonnie::Plain         qw(shorten);
use Bonnie::SettingsTable qw(differing_settings);

our @EXPORT_OK = qw(many_changes);

my $MAX_LABEL = 60;

# All comparisons have the same baseline.
sub many_changes {
    my @comparisons = @_;
    my $baseline    = $comparisons[0]->baseline;
    my @tests       = tests_run($baseline, map { $_->other } @comparisons);
    my $title       = 'Change of each test compared with ' . shorten($baseline->name, $MAX_LABEL);
    my @heads       = test_heads('title', [ 'Label', 'Runs' ], [], @tests);
    my @rows        = map { label_row($_, @tests) } @comparisons;
    return (scrolling_table(caption => $title, class => 'many', head => \@heads, rows => \@rows), differences(@comparisons));
}

sub label_row {
    my ($comparison, @tests) = @_;
    my %row = map { $_->{test} =~ s/[.]\d\z//ar => $_ } $comparison->rows;    # of several levels the last
    return row_of(row_head($comparison->other), cell(scalar @{ $comparison->other->records }),
        map { change_cell($row{ $_->{name} }) } @tests);
}

sub change_cell {
    my ($row) = @_;
    return absent('not run')        if !$row;
    return absent('not comparable') if !is_compared($row);
    return element('td', { class => $row->{verdict} }, text(change_text($row)), element('small', {}, text(verdict_text($row))));
}

sub differences {
    my @lines;
    for my $comparison (@_) {
        my @differing = differing_settings($comparison->baseline, $comparison->other);
        my $label     = $comparison->other->number . q{ } . shorten($comparison->other->name, $MAX_LABEL);
        push @lines, element('li', {}, text("$label: " . join '; ', @differing)) . "\n" if @differing;
    }
    return @lines ? (element('p', {}, 'Settings that differ:') . "\n", element('ul', {}, "\n", @lines) . "\n") : ();
}

1;
