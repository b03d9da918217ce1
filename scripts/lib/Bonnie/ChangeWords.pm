# SPDX-License-Identifier: GPL-2.0-or-later
# A row of a comparison (see Comparison.pm) in the words of the page.
package Bonnie::ChangeWords;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use List::Util    qw(any max);
use Bonnie::Tests qw(test_named);
use Bonnie::Units qw(beside figure_text);

our @EXPORT_OK = qw(change_size change_text counts_text interval_text is_compared median_text verdict_text);

my %WORDS = (faster => "\x{25B2} faster", slower => "\x{25BC} slower", not_known => 'not known');

# From this percentage on, a change is a multiple.
my $MULTIPLE = 400;

# Whether both labels have figures for this test.
sub is_compared ($row) { return defined $row->{p} }

# The median of the baseline or the other, in the unit that suits both; undef if there is none.
sub median_text ($row, $which) {
    my $median = $row->{"${which}_median"} // return;
    return figure_text($median, test_named($row->{test})->{unit}, max(map { $_ // 0 } @{$row}{qw(baseline_median other_median)}));
}

# A change from zero has no percentage, and large ones are easier to read as multiples.
sub change_text ($row) {
    my $percent = $row->{change_percent} // return 'from zero';
    return $percent < $MULTIPLE ? percent_text($percent) : sprintf "\x{D7}\x{A0}%.3g", 1 + $percent / 100;
}

# The size of a change: twice as fast is as much as half as fast.
sub change_size ($row) {
    my $ratio = defined $row->{change_percent} ? 1 + $row->{change_percent} / 100 : 0;
    return $ratio > 0 ? abs log $ratio : 9**9**9;
}

sub interval_text ($row) {
    my @limits = @{$row}{qw(low_percent high_percent)};
    return 'too few runs' if !$row->{enough_runs};
    return 'unbounded'  if !any { defined } @limits;
    return join ' to ', map { defined $_ ? percent_text($_, $row->{significant} ? 0 : undef) : 'unbounded' } @limits;
}

# With too few runs nothing is significant, whatever was measured.
sub verdict_text ($row) { return $row->{enough_runs} ? $WORDS{ $row->{verdict} } : 'too few runs' }

# "faster in 3 of 12 tests, slower in 1", or why there is nothing to count.
sub counts_text ($comparison) {
    my @rows = grep { is_compared($_) } $comparison->rows or return 'no test in common';
    return few_text($comparison) if !any { $_->{enough_runs} } @rows;
    my @counts;
    for my $verdict (qw(faster slower)) {
        my $count = grep { $_->{verdict} eq $verdict } @rows or next;
        push @counts, "$verdict in $count" . (@counts ? q{} : ' of ' . @rows . ' tests');
    }
    return @counts ? join ', ', @counts : 'not known to differ in any of ' . @rows . ' tests';
}

# "not known: 1 run each, 6 are needed"
sub few_text ($comparison) {
    my ($m, $n) = map { scalar @{ $_->records } } $comparison->baseline, $comparison->other;
    return 'not known: ' . ($m != $n ? "$m and $n runs, " : $m == 1 ? '1 run each, ' : "$m runs each, ") . $comparison->runs_to_tell . ' are needed';
}

sub percent_text ($percent, $excluded = undef) {
    my $digits = beside(abs $percent, abs $percent < 99.95 ? 1 : 0, $excluded);
    my $sign = $digits == 0 ? q{} : $percent < 0 ? "\x{2212}" : q{+};
    return "$sign$digits\x{A0}%";
}

1;
