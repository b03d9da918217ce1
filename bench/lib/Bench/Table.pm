# SPDX-License-Identifier: GPL-2.0-or-later
# Makes pairs of runs, and a table of their figures.
package Bench::Table;

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(max min);
use Bench::Run qw(has_program);

our @EXPORT_OK = qw(median print_group);

# A group has a title, the names of what is measured (`ours`, by default bonnie) and of its `peer`,
# the programs that it needs, and experiments. An experiment has the names of its rows, and
# functions that return a figure for each row: `ours` and `peer`, or `ours` alone where there is no
# peer, or `both`, which returns the figures of ours and then those of the peer.

# Runs the experiments of a group that have rows to print, and prints the rows. Returns the number
# of experiments that failed.
sub print_group {
    my ($group, $setup) = @_;
    my @wanted = grep { grep { /$setup->{rows}/ } @{ $_->{rows} } } @{ $group->{experiments} };
    return 0 if !@wanted;
    my @missing = grep { !has_program($_) } @{ $group->{needs} };
    if (@missing) {
        print "\n$group->{title}\nleft out: there is no @missing here\n";
        return 0;
    }
    print "\n$group->{title}\n";
    printf "%-38s %11s %11s %8s   %s\n", 'row', $group->{ours} // 'bonnie', $group->{peer}, 'ratio', 'spread';
    return scalar grep { !eval { print_experiment($_, $setup); 1 } && failed($_, $@) } @wanted;
}

# An experiment that fails, for lack of an engine or of space, does not keep others
# from running.
sub failed {
    my ($experiment, $reason) = @_;
    chomp $reason;
    printf "%-38s %s\n", $_, "not measured: $reason" for @{ $experiment->{rows} };
    return 1;
}

sub print_experiment {
    my ($experiment, $setup) = @_;
    my (@ours, @peers);
    for my $pair (1 .. $setup->{pairs}) {
        run_pair($experiment, $pair, \@ours, \@peers);
    }
    my @rows = @{ $experiment->{rows} };
    for my $row (grep { $rows[$_] =~ $setup->{rows} } 0 .. $#rows) {
        print_row($rows[$row], [ map { $_->[$row] } @ours ], [ map { $_->[$row] } @peers ]);
    }
    return;
}

# The two sides take turns in going first, because the first may leave the storage busy for the
# second.
sub run_pair {
    my ($experiment, $pair, $ours, $peers) = @_;
    if ($experiment->{both}) {
        my @figures = $experiment->{both}->();
        push @{$ours},  [ @figures[ 0 .. @figures / 2 - 1 ] ];
        push @{$peers}, [ @figures[ @figures / 2 .. $#figures ] ];
        return;
    }
    my @turns = ([ $experiment->{ours}, $ours ]);
    push @turns, [ $experiment->{peer}, $peers ] if $experiment->{peer};
    @turns = reverse @turns if $pair % 2 == 0;
    push @{ $_->[1] }, [ $_->[0]->() ] for @turns;
    return;
}

# The figures of both sides, in the order of the pairs. What is not a number (`+++++`) was too fast
# to measure.
sub print_row {
    my ($name, $ours, $peers) = @_;
    return print_alone($name, $ours) if !@{$peers};
    my @both = grep { is_figure($ours->[$_]) && is_figure($peers->[$_]) } 0 .. $#{$ours};
    if (!@both) {
        printf "%-38s %11s %11s   too fast for one of them; larger sizes help\n", $name, q{-}, q{-};
        return;
    }
    my @ratios = map { $ours->[$_] / $peers->[$_] } @both;
    my ($our_median, $peer_median) = (median(@{$ours}[@both]), median(@{$peers}[@both]));
    printf "%-38s %11s %11s %8.3f   %.3f .. %.3f of %d\n", $name, figure($our_median),
        figure($peer_median), $our_median / $peer_median, min(@ratios), max(@ratios), scalar @both;
    return;
}

sub print_alone {
    my ($name, $ours) = @_;
    printf "%-38s %11s %11s %8s   %s .. %s of %d\n", $name, figure(median(@{$ours})), q{-}, q{-},
        figure(min(@{$ours})), figure(max(@{$ours})), scalar @{$ours};
    return;
}

sub is_figure {
    my ($text) = @_;
    return defined $text && $text =~ /\A[\d.]+(?:e[-+]?\d+)?\z/ && $text > 0;
}

sub median {
    my @sorted = sort { $a <=> $b } @_;
    return ($sorted[ $#sorted / 2 ] + $sorted[ @sorted / 2 ]) / 2;
}

# At least three digits.
sub figure {
    my ($value) = @_;
    return sprintf $value >= 100 ? '%.0f' : $value >= 10 ? '%.1f' : '%.2f', $value;
}

1;
