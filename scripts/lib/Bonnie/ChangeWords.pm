# A row of a comparison (see Comparison.pm) in the words of the page.
package Bonnie::ChangeWords;

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(any);

our @EXPORT_OK = qw(change_text counts_text interval_text is_compared percent_text verdict_text);

my %WORDS = (better => "\x{25B2} better", worse => "\x{25BC} worse", unclear => 'unclear');

# Whether both labels have figures.
sub is_compared {
    my ($row) = @_;
    return defined $row->{p};
}

# What was zero and no longer is has no percentage.
sub change_text {
    my ($row) = @_;
    return defined $row->{change_percent} ? percent_text($row->{change_percent}) : 'from zero';
}

sub interval_text {
    my ($row) = @_;
    my @limits = @{$row}{qw(low_percent high_percent)};
    return 'too few runs' if !$row->{enough_runs};
    return 'unbounded'  if !any { defined } @limits;
    return join ' to ', map { defined $_ ? percent_text($_) : 'unbounded' } @limits;
}

# With too few runs nothing is significant, whatever they measured.
sub verdict_text {
    my ($row) = @_;
    return $row->{enough_runs} ? $WORDS{ $row->{verdict} } : 'too few runs';
}

# "better in 3 of 12 tests, worse in 1 and unclear in 8"
sub counts_text {
    my @rows = grep { is_compared($_) } @_;
    my %count = (better => 0, worse => 0, unclear => 0);
    $count{ $_->{verdict} }++ for @rows;
    return "better in $count{better} of " . @rows . " tests, worse in $count{worse} and unclear in $count{unclear}";
}

sub percent_text {
    my ($percent) = @_;
    my $digits = sprintf abs $percent < 99.95 ? '%.1f' : '%.0f', abs $percent;
    my $sign = $digits == 0 ? q{} : $percent < 0 ? "\x{2212}" : q{+};
    return "$sign$digits\x{A0}%";
}

1;
