# Bars of the hosts that made a run together: a panel for each test, hosts from
# the slowest to the fastest. Of many, those are named that are far from the
# others, which share one row.
package Bonnie::HostCharts;

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(max);
use Bonnie::Axis       qw(axis_from_zero);
use Bonnie::Chart      qw(bar whisker);
use Bonnie::HtmlTable  qw(tests_run);
use Bonnie::Panels     qw(panels panel row_label);
use Bonnie::Plain      qw(shorten);
use Bonnie::Statistics qw(median);
use Bonnie::Units      qw(figure_text);

our @EXPORT_OK = qw(host_charts);

my $BAR   = 12;
my $RANGE = 8;    # height of the caps

# More hosts are not shown each, and no more outliers are named at either end.
my $MOST_EACH  = 12;
my $MOST_NAMED = 5;

# Tukey's fences: so many interquartile ranges beyond the quartiles.
my $FENCE = 1.5;

my $MAX_NAME = 60;
my $NOTE     = 'For each rank. Of many hosts, those far from the others are named; the line goes from the slowest of the others to the fastest.';

# A figure for each label whose runs were made by several hosts.
sub host_charts {
    my @groups = @_;
    return map { charts_of($_) } @groups;
}

sub charts_of {
    my ($group) = @_;
    my @panels = map { host_panel($_, hosts_of($group, $_)) } tests_run($group);
    return panels(row_label($group) . ': hosts, more is better', [$NOTE], @panels);
}

# { name, rate } of each host from the slowest to the fastest; rates are medians of the runs.
sub hosts_of {
    my ($group, $test) = @_;
    my %rates;
    for my $record (@{ $group->records }) {
        push @{ $rates{ $_->{name} } }, $_->{rate} for @{ $record->{tests}{ $test->{name} }{hosts} // [] };
    }
    my @hosts = map { { name => $_, rate => median(@{ $rates{$_} }) } } keys %rates;
    my @sorted = sort { $a->{rate} <=> $b->{rate} || $a->{name} cmp $b->{name} } @hosts;
    return @sorted;
}

sub host_panel {
    my ($test, @hosts) = @_;
    return if @hosts < 2;
    my $like = $hosts[ @hosts / 2 ]{rate};
    my $axis = axis_from_zero(max(map { $_->{rate} } @hosts), $test->{unit}, $like);
    my $shown = sub { figure_text($_[0], $test->{unit}, $like) };
    return panel($test->{name_alone}, axis => $axis, height => $BAR, rows => [ rows_of($axis, $shown, @hosts) ]);
}

sub rows_of {
    my ($axis, $shown, @hosts) = @_;
    return map { host_row($axis, $shown, $_) } @hosts if @hosts <= $MOST_EACH;
    my ($slow, $fast) = outliers(@hosts);
    my @others = @hosts[ $slow .. $#hosts - $fast ];
    return (
        (map { host_row($axis, $shown, $_) } @hosts[ 0 .. $slow - 1 ]),
        others_row($axis, $shown, @others),
        (map { host_row($axis, $shown, $_) } @hosts[ @hosts - $fast .. $#hosts ]),
    );
}

# How many at either end are far from the others. The slowest is named in any case: a test waits for it.
sub outliers {
    my @rates = map { $_->{rate} } @_;
    my ($low, $high) = @rates[ @rates / 4, 3 * @rates / 4 ];
    my $far  = $FENCE * ($high - $low);
    my $slow = grep { $_ < $low - $far } @rates;
    my $fast = grep { $_ > $high + $far } @rates;
    return (at_most($slow) || 1, at_most($fast));
}

sub at_most { my ($count) = @_; return $count < $MOST_NAMED ? $count : $MOST_NAMED }

sub host_row {
    my ($axis, $shown, $host) = @_;
    my $mark = bar('bar', 0, $axis->{at}->($host->{rate}), $BAR / 2);
    return { label => shorten($host->{name}, $MAX_NAME), shown => $shown->($host->{rate}), marks => [$mark] };
}

sub others_row {
    my ($axis, $shown, @others) = @_;
    my $middle = median(map { $_->{rate} } @others);
    my ($low, $median, $high) = map { $axis->{at}->($_) } $others[0]{rate}, $middle, $others[-1]{rate};
    my @marks = (bar('bar', 0, $median, $BAR / 2), $high > $low ? whisker('range', $low, $high, $BAR / 2, $RANGE) : ());
    return { label => scalar(@others) . ' others', shown => $shown->($middle), marks => \@marks };
}

1;
