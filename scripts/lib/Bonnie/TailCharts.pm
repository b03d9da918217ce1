# SPDX-License-Identifier: GPL-2.0-or-later
# What the slowest operations of each test, or of the reads and the writes of a
# load, waited for, from JSON: a table with the sentences, and a chart of the
# operations over time with a row for each cause.
package Bonnie::TailCharts;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use List::Util qw(max min sum0);
use POSIX      qw(ceil);
use Bonnie::Axis       qw(axis_of_latency axis_of_time axis_upwards is_wide);
use Bonnie::Causes     qw(@CAUSES %CAUSE);
use Bonnie::Chart      qw(over_time panels place points time_panel);
use Bonnie::Html       qw(element text);
use Bonnie::HtmlTable  qw(absent plain_table row_head tests_run);
use Bonnie::TimeCharts qw(middle);
use Bonnie::Units      qw(figure_text grouped range_text);

our @EXPORT_OK = qw(slowest_of tail_charts tail_content tail_of_groups);

# More marks than this make the page large; but fewer marks than $FEWEST in a row
# of a test would show nothing.
my $MARKS_TOTAL = 4000;
my $FEWEST      = 50;

# Marks in the same cell are drawn as one. A cell has this part of the width and this number of
# pixels of the height; where there are too many marks, cells become larger.
my $NEAR_X = 1 / 500;
my $NEAR_Y = 1;

# Height of each shape in pixels; 0: round.
my %TALL = (dot => 0, box => 4, tick => 7);

my @HEADS = ('What they waited for', 'Examined', 'Events lost');

my $OF_GROUPS = 'For each label, the run with the median rate.';

my @NOTES = (
    'A mark is one of the slowest operations, or several that are close together: from '
        . 'left to right when it began, upwards how long it took. The rows of one chart have the same scales.',
    'The longest part of an operation names its cause; "behind a flush" only means that the device was flushing meanwhile.',
);

# The tables and charts of groups: for each label those of the run with the median rate.
sub tail_of_groups (@groups) {
    my @tests;
    for my $test (tests_run(@groups)) {
        my @found = map { my $slowest = slowest_of($_, $test); $slowest ? [ $_, $slowest ] : () } @groups;
        push @tests, [ $test->{name_alone}, @found ] if @found;
    }
    return tail_content(@groups > 1 ? [qw(Label Test)] : ['Test'], [$OF_GROUPS], @tests);
}

sub slowest_of ($group, $test) {
    my @explained = grep { $_->{slowest} } $group->details($test->{name});
    my ($details) = (middle(@explained), @explained);    # no run has a rate if all were too fast
    return $details ? $details->{slowest} : undef;
}

# Each of @explained is [ title, [ group, its slowest operations ], ... ]. @{$heads} are the heads of
# the table's first columns: of the title, and before it of the label if there are several.
sub tail_content ($heads, $notes, @explained) {
    return if !@explained;
    return (tail_table($heads, @explained), tail_charts(@{$heads} > 1, $notes, @explained));
}

sub tail_table ($heads, @explained) {
    my @rows = map { my ($title, @found) = @{$_}; map { [ @{$heads} > 1 ? \row_head($_->[0]) : (), $title, cells_of($_->[1]) ] } @found } @explained;
    return plain_table({ caption => 'What the slowest operations waited for', class => 'slowest', titles => [ @{$heads}, @HEADS ] }, @rows);
}

sub cells_of ($slowest) {
    my ($of, $examined, $lost) = @{$slowest}{qw(slowest examined lost_events)};
    my $share = defined $examined ? whole($examined) . (defined $of ? "\x{A0}of\x{A0}" . whole($of) : q{}) : undef;
    return (\element('td', { class => 'said' }, sentences($slowest)), map { $_ // \absent('not given') } $share, defined $lost ? whole($lost) : undef);
}

sub sentences ($slowest) {
    my ($sentence, $note) = @{$slowest}{qw(sentence note)};
    my $shown = text(ucfirst $sentence);
    return $note eq q{} ? $shown : $shown . element('small', {}, text("Not everything can be seen: $note"));
}

sub whole ($number) { return grouped(sprintf '%.0f', $number) }

sub tail_charts ($has_labels, $notes, @explained) {
    my @drawn;
    for my $row (@explained) {
        my ($title, @found) = @{$row};
        my @seen = grep { is_any_known($_->[1]) } @found;
        push @drawn, [ $title, @seen ] if @seen;
    }
    my $most = max($FEWEST, int($MARKS_TOTAL / max(1, sum0(map { $#{$_} } @drawn))));
    my @panels = map { tail_panel($most, $has_labels, @{$_}) } @drawn;
    return panels('The slowest operations over time', [ @{$notes}, @NOTES ], @panels);
}

# A chart without a known cause would show nothing that the table does not.
sub is_any_known ($slowest) { return grep { $_ ne 'unknown' } keys %{ $slowest->{operations} } }

sub tail_panel ($most, $has_labels, $title, @found) {
    my (@seconds, @latencies, @rows);
    for my $found (@found) {
        my ($group, $slowest) = @{$found};
        for my $cause (causes_of($slowest)) {
            my @operations = unpack 'd*', $slowest->{operations}{ $cause->{name} } // q{};
            push @seconds,   @operations[ grep { !($_ % 2) } 0 .. $#operations ];
            push @latencies, @operations[ grep { $_ % 2 } 0 .. $#operations ];
            push @rows, { group => $has_labels ? $group : undef, cause => $cause, operations => \@operations, most => ceil($most * $cause->{part}) };
        }
    }
    my $strip = over_time(axis_of_time(max(@seconds)), scalar @rows, sub { is_wide(@latencies) ? axis_of_latency(@latencies) : axis_upwards(max(@latencies), 'ns', @_) });
    return time_panel($title, $strip, map { cause_row($strip, $_) } @rows);
}

# The causes that occur, the most frequent first, as in Causes.pm, with percent and part of the
# recorded operations.
sub causes_of ($slowest) {
    my $all = sum0(map {length} values %{ $slowest->{operations} });
    my @causes;
    for my $cause (@CAUSES) {
        my $part    = length($slowest->{operations}{$cause} // q{}) / $all;
        my $percent = min(100, $slowest->{percent}{$cause} // 100 * $part);
        push @causes, { %{ $CAUSE{$cause} }, percent => $percent, part => $part } if $percent || $part;
    }
    my @sorted = sort { $b->{percent} <=> $a->{percent} } @causes;
    return @sorted;
}

sub cause_row ($strip, $row) {
    my ($cause, @operations) = ($row->{cause}, @{ $row->{operations} });
    my @latencies = @operations[ grep { $_ % 2 } 0 .. $#operations ];
    my ($shape)   = split / /, $cause->{look};
    return {
        label => $row->{group} ? "$cause->{short}: " . $row->{group}->row_label : $cause->{words},
        shown => join(', ', percent_text($cause->{percent}), extent(@latencies)),
        marks => [ @operations ? points($cause->{look}, $TALL{$shape}, [ marks($row->{most}, $strip, @operations) ]) : () ],
    };
}

# Returns nothing for no latencies.
sub extent {
    my ($least, @others) = sort { $a <=> $b } @_ or return;
    my $most = $others[-1] // $least;
    my $alike = figure_text($most, 'ns') eq figure_text($least, 'ns');
    return $alike ? figure_text($most, 'ns') : range_text($least, $most, 'ns');
}

sub percent_text ($percent) {
    return ($percent > 0 && $percent < 0.5 ? '< 1' : sprintf '%.0f', $percent) . "\x{A0}%";
}

# Returns at most about $most marks as [ x, y ].
sub marks ($most, $strip, @operations) {
    my @places;
    while (my ($seconds, $latency) = splice @operations, 0, 2) {
        push @places, [ place($strip, [ $seconds, $latency ]) ];
    }
    my ($near_x, $near_y) = ($NEAR_X, $NEAR_Y);
    my @marks = apart($near_x, $near_y, @places);
    while (@marks > $most) {
        ($near_x, $near_y) = (2 * $near_x, 2 * $near_y);
        @marks = apart($near_x, $near_y, @places);
    }
    return @marks;
}

# Keeps one place of each cell.
sub apart ($width, $height, @places) {
    my %taken;
    return grep { !$taken{ int($_->[0] / $width) . q{ } . int($_->[1] / $height) }++ } @places;
}

1;
