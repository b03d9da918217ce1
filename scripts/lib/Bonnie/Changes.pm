# One label compared with the baseline: what changed in each test, as words,
# chart and table.
package Bonnie::Changes;

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(max min);
use Bonnie::Axis          qw(axis_of_change);
use Bonnie::Chart         qw(bar chart whisker);
use Bonnie::Html          qw(element text);
use Bonnie::HtmlTable     qw(row_of head_cell cell absent scrolling_table);
use Bonnie::Plain         qw(shorten);
use Bonnie::SettingsTable qw(differing_settings);
use Bonnie::Tests         qw(test_named);
use Bonnie::Units         qw(figure_text grouped);

our @EXPORT_OK = qw(changes how_to_read_changes);

my $BAR       = 12;
my $INTERVAL  = 8;    # height of its caps
my $MAX_LABEL = 60;

# How much smaller p is tells nothing more.
my $SMALLEST_P = 0.0001;

my %WORDS = (better => "\x{25B2} better", worse => "\x{25BC} worse", unclear => 'unclear');

# $comparison: see Comparison.pm.
sub changes {
    my ($comparison) = @_;
    my ($baseline, $other) = map { shorten($_->name, $MAX_LABEL) } $comparison->baseline, $comparison->other;
    my $title = "$other against $baseline";
    my $id    = 'change-' . $comparison->other->number;
    my @rows  = $comparison->rows;
    return element('section', { class => 'change', 'aria-labelledby' => $id },
        element('h3', { id => $id }, text($title)), "\n",
        (map { element('p', {}, text($_)) . "\n" } summary($comparison)),
        change_chart(@rows),
        scrolling_table(caption => "$title: change of each test", id => "$id-table", class => 'changes',
            change_table($baseline, $other, @rows)));
}

sub summary {
    my ($comparison) = @_;
    my $mean      = $comparison->geometric_mean_percent;
    my @differing = differing_settings($comparison->baseline, $comparison->other);
    my $few       = 'There are too few runs for any difference to be significant.';
    return (
        defined $mean ? 'Geometric mean of all changes: ' . percent_text($mean) . q{. } . counts($comparison->rows) : (),
        $comparison->can_judge ? () : $few,
        @differing ? 'What was different: ' . join('; ', @differing) . q{.} : (),
    );
}

# "Of 12 tests 3 better, 1 worse, 8 unclear."
sub counts {
    my @rows = grep { defined $_->{verdict} } @_;
    my %count = (better => 0, worse => 0, unclear => 0);
    $count{ $_->{verdict} }++ for @rows;
    return 'Of ' . @rows . " tests $count{better} better, $count{worse} worse, $count{unclear} unclear.";
}

sub change_chart {
    my @rows  = @_;
    my @known = map { grep { defined } @{$_}{qw(change_percent low_percent high_percent)} } @rows;
    my $axis  = @known ? axis_of_change(@known) : undef;
    return chart(axis => $axis, height => $BAR, rows => [ map { chart_row($_, $axis) } @rows ]);
}

sub chart_row {
    my ($row, $axis) = @_;
    my %row = (label => test_named($row->{test})->{name_alone}, marks => []);
    return { %row, shown => 'not comparable' } if !defined $row->{change_percent};
    my ($zero, $end) = map { $axis->{at}->($_) } 0, $row->{change_percent};
    push @{ $row{marks} }, bar($row->{verdict}, min($zero, $end), max($zero, $end), $BAR / 2);
    my ($low, $high) = map { defined $row->{$_} ? $axis->{at}->($row->{$_}) : undef } qw(low_percent high_percent);
    push @{ $row{marks} }, whisker('range', $low, $high, $BAR / 2, $INTERVAL) if defined $low && defined $high;
    return { %row, shown => percent_text($row->{change_percent}) . q{, } . verdict($row) };
}

sub change_table {
    my ($baseline, $other, @rows) = @_;
    my @titles = ('Test', "$baseline, median", "$other, median", 'Change, 95 % interval', 'p', 'Difference', 'Runs needed');
    return (head => [ row_of(map { head_cell($_) } @titles) ], rows => [ map { table_row($_) } @rows ]);
}

sub table_row {
    my ($row) = @_;
    my $test = test_named($row->{test});
    return row_of(element('th', { scope => 'row', class => 'label' }, text($test->{name_alone})),
        (map { median_cell($test, $row->{"${_}_median"}, $row->{"${_}_runs"}) } qw(baseline other)), change_cells($row));
}

sub median_cell {
    my ($test, $median, $runs) = @_;
    return absent('not measured') if !defined $median;
    return two_lines(figure_text($median, $test->{unit}), $runs == 1 ? '1 run' : "$runs runs");
}

sub change_cells {
    my ($row) = @_;
    return absent('not comparable', 4) if !defined $row->{change_percent};
    return (
        two_lines(percent_text($row->{change_percent}), interval_text(@{$row}{qw(low_percent high_percent)})),
        cell($row->{p} < $SMALLEST_P ? "< $SMALLEST_P" : sprintf '%.2g', $row->{p}),
        element('td', { class => $row->{verdict} }, text(verdict($row))),
        defined $row->{runs_needed} ? cell(grouped($row->{runs_needed})) : absent("\x{2013}"),
    );
}

sub two_lines {
    my ($words, $small) = @_;
    return element('td', {}, text($words), element('small', {}, text($small)));
}

sub interval_text {
    my ($low, $high) = @_;
    return 'too few runs' if !defined $low && !defined $high;
    return join ' to ', map { defined $_ ? percent_text($_) : 'without end' } $low, $high;
}

# With too few runs nothing is significant, whatever they measured.
sub verdict {
    my ($row) = @_;
    return $row->{enough_runs} ? $WORDS{ $row->{verdict} } : 'too few runs';
}

sub percent_text {
    my ($percent) = @_;
    my $digits = sprintf abs $percent < 99.95 ? '%.1f' : '%.0f', abs $percent;
    my $sign = $digits == 0 ? q{} : $percent < 0 ? "\x{2212}" : q{+};
    return "$sign$digits\x{A0}%";
}

my $READING = 'Bars show how much faster or slower each test became, thin lines the 95 % interval of it. Better and worse are what '
    . 'the U test of Mann and Whitney finds significant (p below 0.05); what is unclear may be chance. Runs needed are those of each '
    . 'label with which such a difference would probably be found. Each test is judged by itself: where nothing has changed, one '
    . 'test in twenty looks as if it had.';

sub how_to_read_changes {
    return element('p', { class => 'quiet' }, text($READING)) . "\n";
}

1;
