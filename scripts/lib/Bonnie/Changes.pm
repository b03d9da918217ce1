# SPDX-License-Identifier: GPL-2.0-or-later
# How each test changed from the baseline to another label, in words, as a chart and as a table; or,
# for many labels, in one table with a row for each, and a column for each test.
package Bonnie::Changes;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use List::Util qw(max min);
use Bonnie::Axis          qw(axis_of_change);
use Bonnie::ChangeWords   qw(change_size change_text counts_text interval_text is_compared median_text verdict_text);
use Bonnie::Chart         qw(bar chart whisker);
use Bonnie::Comparison;
use Bonnie::Html          qw(element text);
use Bonnie::HtmlTable     qw(row_of row_head cell two_lines absent plain_table test_table tests_run);
use Bonnie::Plain         qw(shorten);
use Bonnie::SettingsTable qw(differing_settings);
use Bonnie::Tests         qw(test_named);
use Bonnie::Units         qw(counted);

our @EXPORT_OK = qw(changes how_to_read_changes many_changes);

# A smaller p adds no information.
my $SMALLEST_P = 0.0001;

# A change is an outlier if its logarithm is at least this many times as large as any other.
my $OUTLIER = 4;

my $INFINITY = 9**9**9;

# The look of a verdict: a class of Style.pm.
my %LOOKS = (faster => 'better', slower => 'worse', not_known => 'unclear');

# $comparison: see Comparison.pm.
sub changes ($comparison) {
    my ($baseline, $other) = map { shorten($_->name) } $comparison->baseline, $comparison->other;
    my $title = "$other compared with $baseline";
    my $id    = 'change-' . $comparison->other->number;
    my @rows  = $comparison->rows;
    return element('section', { class => 'change', 'aria-labelledby' => $id },
        element('h3', { id => $id }, text($title)), "\n",
        (map { element('p', {}, text($_)) . "\n" } summary($comparison)),
        change_chart(@rows),
        plain_table({ caption => "$title: change of each test", id => "$id-table", class => 'changes',
            titles => [ 'Test', 'Change of the median', 'Difference', 'p', "$baseline, median", "$other, median", 'Runs needed' ] }, map { table_row($_) } @rows));
}

sub summary ($comparison) {
    my @differing = differing_settings($comparison->baseline, $comparison->other);
    return (
        ucfirst counts_text($comparison) . q{.},
        @differing ? 'Settings that differ: ' . join('; ', @differing) . q{.} : (),
    );
}

sub change_chart (@rows) {
    my $cut   = outlier(@rows);
    my @known = map { grep { defined } @{$_}{qw(change_percent low_percent high_percent)} } grep { !$cut || $_ != $cut } @rows;
    my $axis  = @known ? axis_of_change(@known) : undef;
    return chart(axis => $axis, rows => [ map { chart_row($_, $axis, $cut && $_ == $cut) } @rows ]);
}

# The one change that would make all others invisible; undef: there is none. Its bar is cut off at
# the end of the axis.
sub outlier {
    my ($first, $second, @others) = sort { change_size($b) <=> change_size($a) } grep { defined $_->{change_percent} } @_;
    return @others && change_size($second) > 0 && change_size($first) > $OUTLIER * change_size($second) ? $first : undef;
}

sub chart_row ($row, $axis, $is_cut) {
    my %row = (label => test_named($row->{test})->{name_alone}, marks => []);
    return { %row, shown => 'not comparable' } if !is_compared($row);
    $row{shown} = change_text($row) . q{, } . verdict_text($row) . ($is_cut ? ' (bar is cut)' : q{});
    return \%row if !$axis;
    my ($zero, $end) = map { $axis->{at}->($_) } 0, $row->{change_percent} // $INFINITY;
    push @{ $row{marks} }, bar($LOOKS{ $row->{verdict} }, min($zero, $end), max($zero, $end));
    my ($low, $high) = map { defined $row->{$_} ? $axis->{at}->($row->{$_}) : undef } qw(low_percent high_percent);
    push @{ $row{marks} }, whisker('range', $low, $high) if defined $low && defined $high;
    return \%row;
}

sub table_row ($row) {
    my ($test, $runs) = (test_named($row->{test}), $row->{runs_needed});
    return [ $test->{name_alone}, change_cells($row), (map { \median_cell($row, $_) } qw(baseline other)), defined $runs && $runs > $Bonnie::Comparison::MANY_RUNS ? 'not known' : $runs ];
}

# $which: baseline or other.
sub median_cell ($row, $which) {
    my $median = median_text($row, $which);
    return defined $median ? two_lines(undef, $median, counted($row->{"${which}_runs"}, 'run')) : absent('not measured');
}

sub change_cells ($row) {
    return (\absent('not comparable'), undef, undef) if !is_compared($row);
    return (\two_lines(undef, change_text($row), interval_text($row)), [ $LOOKS{ $row->{verdict} }, verdict_text($row) ],
        $row->{p} < $SMALLEST_P ? "< $SMALLEST_P" : sprintf '%.2g', $row->{p});
}

# All comparisons have the same baseline.
sub many_changes (@comparisons) {
    my $baseline    = $comparisons[0]->baseline;
    my @tests       = tests_run($baseline, map { $_->other } @comparisons);
    my $title       = 'Change of each test compared with ' . shorten($baseline->name);
    my @rows        = map { label_row($_, @tests) } @comparisons;
    return (test_table({ caption => $title, class => 'many', title => 'title', before => [ 'Label', 'Runs' ] }, \@tests, @rows), differences(@comparisons));
}

sub label_row ($comparison, @tests) {
    my %row = map { $_->{test} =~ s/[.]\d\z//ar => $_ } $comparison->rows;    # of several levels the last
    return row_of(row_head($comparison->other), cell(scalar @{ $comparison->other->records }),
        map { change_cell($row{ $_->{name} }) } @tests);
}

sub change_cell ($row) {
    return absent('not run')        if !$row;
    return absent('not comparable') if !is_compared($row);
    return two_lines($LOOKS{ $row->{verdict} }, change_text($row), verdict_text($row));
}

sub differences {
    my @lines;
    for my $comparison (@_) {
        my @differing = differing_settings($comparison->baseline, $comparison->other);
        my $label     = $comparison->other->number . q{ } . shorten($comparison->other->name);
        push @lines, element('li', {}, text("$label: " . join '; ', @differing)) . "\n" if @differing;
    }
    return @lines ? (element('p', {}, 'Settings that differ:') . "\n", element('ul', {}, "\n", @lines) . "\n") : ();
}

# Explains all comparisons by the example of the first. $in_full: whether there
# are bars and intervals.
sub how_to_read_changes {
    my ($in_full, $comparison) = @_;
    my $alpha = $Bonnie::Comparison::ALPHA;
    my @full  = (
        'A bar shows how much faster or slower a test became, and the thin line across it is the 95 % confidence interval of that change.',
        'The change is from the median of the runs of the baseline to that of the other label.',
        'Runs needed: with this many runs of each label, a difference like the one measured would probably be significant.',
    );
    my @words = (
        $in_full ? @full : 'A change says how much faster or slower a test became, from median to median.',
        "Tests are called faster or slower where the Mann-Whitney U test finds a significant difference (p below $alpha); any other may be chance.",
        $comparison->together
        ? 'All tests of a label are judged together: p is corrected for their number (Holm). Intervals are not corrected.'
        : sprintf('Each test is judged by itself: where nothing has changed, one test in %.0f looks as if it had.', 1 / $alpha),
        $in_full ? () : 'For the intervals and p, see bon_csv2txt --baseline.',
    );
    return element('p', { class => 'quiet' }, text(join q{ }, @words)) . "\n";
}

1;
