# SPDX-License-Identifier: GPL-2.0-or-later
# Horizontal axes of charts: where values lie on them, and which values label
# them.
#
#   { unit  => name, written below the axis,
#     at    => sub (value), 0 at the left end to 1 at the right one,
#     ticks => [ [ value, text ], ... ], the outer ones at the ends }
package Bonnie::Axis;

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(first max min);
use POSIX      qw(ceil floor log10);
use Bonnie::Units qw(axis_scale figure_text grouped);

our @EXPORT_OK = qw(axis_from_zero axis_of_time axis_of_rounds axis_of_latency axis_of_change axis_of_offset axis_ticks);

my $MAX_INTERVALS = 4;

my @ROUND_STEPS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250);

my @SMALL_CHANGES = (2, 5, 10, 20, 40);
my @LARGE_CHANGES = ([ -50, 0, 100 ], [ -75, -50, 0, 100, 300 ], [ -90, 0, 900 ], [ -99, -90, 0, 900, 9900 ]);

# An axis for figures in the unit of their test; with $like, in the unit that
# suits this value, as the figures are.
sub axis_from_zero {
    my ($largest, $test_unit, $like) = @_;
    my ($divisor, $unit) = axis_scale($test_unit eq 'KiB/s' ? $like // $largest : $largest, $test_unit);
    return linear_axis($unit, $divisor, axis_ticks($largest / $divisor));
}

sub axis_of_time {
    my ($seconds) = @_;
    return linear_axis('seconds', 1, axis_ticks($seconds));
}

# Round n lies between n - 1 and n.
sub axis_of_rounds {
    my ($rounds) = @_;
    my $step = first { $_ * $MAX_INTERVALS >= $rounds } @ROUND_STEPS;
    return linear_axis('rounds', 1, defined $step ? map { $_ * $step } 0 .. ceil($rounds / $step) : axis_ticks($rounds));
}

# An axis along a device, from its start to its end, in powers of 1024.
sub axis_of_offset {
    my ($bytes) = @_;
    my ($divisor, $unit) = axis_scale($bytes, 'bytes');
    return linear_axis("offset in $unit", $divisor, axis_ticks($bytes / $divisor));
}

sub linear_axis {
    my ($unit, $divisor, @ticks) = @_;
    my $end = $ticks[-1] * $divisor;
    return {
        unit  => $unit,
        at    => sub { $_[0] / $end },
        ticks => [ map { [ $_ * $divisor, number_text($_) ] } @ticks ],
    };
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

# A logarithmic axis for nanoseconds above 0, with powers of ten as ticks. It
# has no zero.
sub axis_of_latency {
    my @nanoseconds = @_;
    my $first = floor(log10(min(@nanoseconds)) + 1e-9);
    my $last  = max($first + 1, ceil(log10(max(@nanoseconds)) - 1e-9));
    my $step  = ceil(($last - $first) / $MAX_INTERVALS);
    my $count = ceil(($last - $first) / $step);
    return {
        unit  => 'time of one operation, logarithmic',
        at    => sub { (log10($_[0]) - $first) / ($step * $count) },
        ticks => [ map { [ 10**$_, figure_text(10**$_, 'ns') ] } map { $first + $step * $_ } 0 .. $count ],
    };
}

# An axis for changes in percent, with zero in the middle. Small changes are
# drawn to scale. Beyond them, twice as large is as far from the middle as half
# as large, so that gains do not look larger than losses. Values beyond an end
# are drawn at that end.
sub axis_of_change {
    my @percents = @_;
    my $largest = max(0, map { abs } @percents);
    my $end = first { $_ >= $largest } @SMALL_CHANGES;
    return change_axis('', sub { $_[0] / $end }, map { $end * $_ } -1, -0.5, 0, 0.5, 1) if defined $end;

    my $widest = max(map { abs log_ratio($_) } @percents);
    my $ticks  = (first { log_ratio($_->[-1]) >= $widest } @LARGE_CHANGES) // $LARGE_CHANGES[-1];
    my $whole  = log_ratio($ticks->[-1]);
    return change_axis(', logarithmic', sub { log_ratio($_[0]) / $whole }, @{$ticks});
}

# $kind: words after the unit. $part: sub (change), which returns the distance
# from the middle, where 1 is the right end.
sub change_axis {
    my ($kind, $part, @ticks) = @_;
    return {
        unit  => "change of the rate in percent$kind",
        at    => sub { 0.5 + 0.5 * max(-1, min(1, $part->(@_))) },
        ticks => [ map { [ $_, signed_text($_) ] } @ticks ],
    };
}

sub log_ratio {
    my ($percent) = @_;
    return log max(1e-9, 1 + $percent / 100);
}

sub signed_text {
    my ($number) = @_;
    my $sign = $number < 0 ? "\x{2212}" : $number > 0 ? q{+} : q{};
    return $sign . number_text(abs $number);
}

sub number_text {
    my ($number) = @_;
    my $text = sprintf '%.10g', $number;
    return $text =~ /^\d+\z/a ? grouped($text) : $text;
}

1;
