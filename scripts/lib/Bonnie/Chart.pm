# A horizontal bar chart as inline SVG, one bar for each entry.
#
# Text has a fixed size and everything horizontal is a percentage, so that
# the chart is as readable on a telephone as on a wide screen: each entry is
# a line of text (label left, figure right) with its bar below.
package Bonnie::Chart;

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(max sum0);
use POSIX      qw(ceil floor log10);
use Bonnie::Html   qw(element void_element text);
use Bonnie::Units  qw(axis_scale grouped);

our @EXPORT_OK = qw(bar_chart axis_ticks);

# Pixels, from the top of an entry.
my $ENTRY_HEIGHT = 38;
my $TEXT_LINE    = 13;
my $BAR_TOP      = 17;
my $BAR_HEIGHT   = 12;
my $GRID_TOP     = $BAR_TOP - 3;
my $GRID_HEIGHT  = $BAR_HEIGHT + 6;
my $AXIS_HEIGHT  = 38;

my $MAX_INTERVALS = 4;

# What label and figure together may take, in units of the font size: the
# width of the chart on a screen of 320 pixels.
my $TEXT_EM = 22;

# %chart: title, unit (as in Tests.pm), entries => [ { label => TEXT,
# value => NUMBER or undef, shown => TEXT } ].
sub bar_chart {
    my (%chart) = @_;
    my @entries  = @{ $chart{entries} };
    my $bottom   = $ENTRY_HEIGHT * @entries;
    my @measured = grep { defined } map { $_->{value} } @entries;
    my $scale    = @measured ? scale(max(@measured), $chart{unit}) : undef;

    my $row  = 0;
    my @bars = map { entry($_, $scale, $ENTRY_HEIGHT * $row++) } @entries;
    @bars = (grid($scale, $bottom), @bars, axis($scale, $bottom)) if $scale;
    my $height = $bottom + ($scale ? $AXIS_HEIGHT : 0);
    return element('svg', { class => 'chart', role => 'img', width => '100%', height => $height },
        element('title', {}, text($chart{title})), element('desc', {}, text(description(@entries))), @bars);
}

# { ticks => [ 0 ... last ], end => the last tick in the test's own unit,
# unit => that of the ticks }
sub scale {
    my ($largest, $test_unit) = @_;
    my ($divisor, $unit) = axis_scale($largest, $test_unit);
    my @ticks = axis_ticks($largest / $divisor);
    return { ticks => \@ticks, end => $ticks[-1] * $divisor, unit => $unit };
}

# The figures themselves are in the table beside the chart.
sub description {
    my @entries = @_;
    my $text = 'Bars from zero for ' . @entries . (@entries == 1 ? ' result' : ' results');
    my ($longest) = sort { $b->{value} <=> $a->{value} } grep { defined $_->{value} } @entries;
    return $longest ? "$text. Longest: $longest->{label}, $longest->{shown}." : "$text. None was measured.";
}

# Round numbers from 0 to the first one that is not below $largest.
sub axis_ticks {
    my ($largest) = @_;
    return (0, 1) if $largest <= 0;
    my $step  = round_up_to_nice($largest / $MAX_INTERVALS);
    my $count = ceil($largest / $step - 1e-9);
    return map { $_ * $step } 0 .. $count;
}

sub round_up_to_nice {
    my ($value) = @_;
    my $power = 10**floor(log10($value));
    for my $factor (1, 2, 2.5, 5) {
        return $factor * $power if $factor * $power >= $value * (1 - 1e-9);
    }
    return 10 * $power;
}

sub entry {
    my ($entry, $scale, $top) = @_;
    my $class = defined $entry->{value} ? 'figure' : 'figure none';
    my $label = fit($entry->{label}, $TEXT_EM - text_width($entry->{shown}));
    return element('g', {},
        element('text', { x => 0, y => $top + $TEXT_LINE }, text($label)),
        element('text', { class => $class, x => '100%', y => $top + $TEXT_LINE }, text($entry->{shown})),
        bar($entry->{value}, $scale, $top + $BAR_TOP));
}

sub bar {
    my ($value, $scale, $top) = @_;
    return q{} if !defined $value;
    my $width = sprintf '%.2f%%', 100 * $value / $scale->{end};
    return element('rect', { class => 'bar', x => 0, y => $top, width => $width, height => $BAR_HEIGHT });
}

sub grid {
    my ($scale, $bottom) = @_;
    return map { line($_, $bottom) } map { percent($_, $scale) } @{ $scale->{ticks} };
}

# Dashed so that it is seen at the bars and not behind the text.
sub line {
    my ($x, $bottom) = @_;
    my $gap = $ENTRY_HEIGHT - $GRID_HEIGHT;
    return element('line', { class => $x eq '0%' ? 'zero' : 'grid', 'stroke-dasharray' => "$GRID_HEIGHT $gap",
        x1 => $x, x2 => $x, y1 => $GRID_TOP, y2 => $bottom });
}

sub axis {
    my ($scale, $bottom) = @_;
    my @labels = map { tick_label($_, $scale, $bottom + $TEXT_LINE + 1) } @{ $scale->{ticks} };
    my %place  = (x => '100%', y => $bottom + 2 * $TEXT_LINE + 5);
    my $name   = element('text', { class => 'tick last', %place }, text($scale->{unit}));
    return (@labels, $name);
}

# The outer labels stay inside the picture.
sub tick_label {
    my ($tick, $scale, $y) = @_;
    my $class = $tick == 0 ? 'tick first' : $tick == $scale->{ticks}[-1] ? 'tick last' : 'tick';
    return element('text', { class => $class, x => percent($tick, $scale), y => $y }, text(tick_text($tick)));
}

sub tick_text {
    my ($tick) = @_;
    my $text = sprintf '%.10g', $tick;
    return $text =~ /^\d+\z/a ? grouped($text) : $text;
}

sub percent {
    my ($tick, $scale) = @_;
    return sprintf '%.6g%%', 100 * $tick / $scale->{ticks}[-1];
}

# Cuts $text to a width in em. The browser's font is not known here, so the
# widths are those of a wide one.
sub fit {
    my ($text, $width) = @_;
    my $kept = q{};
    for my $letter (split //, $text) {
        $width -= letter_width($letter);
        return "$kept\x{2026}" if $width < 1;
        $kept .= $letter;
    }
    return $kept;
}

sub text_width {
    my ($text) = @_;
    return sum0(map { letter_width($_) } split //, $text);
}

sub letter_width {
    my ($letter) = @_;
    return 0.30 if $letter =~ /[iljt.,:;'|! ]/;
    return 0.58 if $letter =~ /[a-ln-vx-z0-9_-]/;
    return 0.95 if $letter =~ /[mwMW@%]/;
    return 0.72 if $letter =~ /[A-Z]/;
    return $letter =~ /[[:ascii:]\x{A0}-\x{24F}]/ ? 0.80 : 1.10;
}

1;
