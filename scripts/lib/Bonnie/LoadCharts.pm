# SPDX-License-Identifier: GPL-2.0-or-later
# The charts of load reports: requests and errors over time, the distribution of
# latencies over time, percentiles, and the latency at each load of a sweep and on each host.
package Bonnie::LoadCharts;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use List::Util qw(max min sum0 uniq);
use Bonnie::Axis       qw(axis_of_latency axis_of_time axis_of_values axis_upwards is_wide);
use Bonnie::Chart      qw(block course over_time panels place points stroke time_panel);
use Bonnie::FigureCharts qw(latency_panels);
use Bonnie::HostCharts qw(host_panel how_to_read_hosts load_hosts);
use Bonnie::Html       qw(element is_drawn);
use Bonnie::Json       qw(hash list number text);
use Bonnie::Load       qw(amount);
use Bonnie::LoadTables qw(latency_text load_label rate_text);
use Bonnie::Units      qw(grouped);

our @EXPORT_OK = qw(load_host_charts load_time_charts load_heat_charts load_percentile_charts load_step_charts);

# A peak is cut off if it is more than this many times as high as nearly all of its strip.
my $PEAK = 3;

# Shades for the share of requests in a class of latency at a time, from the palest to the darkest:
# the limits between them.
my @SHARES = (0.01, 0.05, 0.2, 0.5);
my @SHADES = ('less than 1 %', '1 to 5 %', '5 to 20 %', '20 to 50 %', 'more than half');

# Classes of latency: 1, 2 and 5 times a power of ten, in ns.
my @CLASSES = map { my $p = 10**$_; map { $_ * $p } 1, 2, 5 } 3 .. 10;

# The slices of one kind: [ [ end, length, figures ], ... ].
sub slices_of ($kind) {
    my ($end, @course) = (0);
    for my $slice (map { hash($_) } $kind->{load}->slices) {
        my $length = number($slice->{seconds}) or next;
        $end += $length;
        push @course, [ $end, $length, hash($slice->{ $kind->{key} }) ];
    }
    return @course;
}

sub load_time_charts (@kinds) {
    my $time   = axis_of_time(max(1e-3, map { sum0(map { number(hash($_)->{seconds}) // 0 } $_->{load}->slices) || 1 } @kinds));
    my @panels = map { rate_panel($time, @{$_}, @kinds) } [ made => 'Requests per second' ], [ errors => 'Errors per second' ];
    return panels('Over time', ['Each strip has a scale of its own. Much higher peaks are cut off.'], @panels);
}

# The top of the strips: the largest value, unless that is a peak that would make all others
# invisible, as after a stall.
sub highest {
    my @sorted = sort { $a <=> $b } grep { $_ > 0 } @_ or return;
    my $usual  = $PEAK * $sorted[ 0.95 * $#sorted ];
    return min($sorted[-1], $usual);
}

sub rate_panel ($time, $key, $title, @kinds) {
    my @rates = map { [ map { [ $_->[0], (number($_->[2]{$key}) // 0) / $_->[1] ] } slices_of($_) ] } @kinds;
    return if !highest(map { $_->[1] } map { @{$_} } @rates);
    return time_panel($title, over_time($time, scalar @kinds, sub { }), map { rate_row($time, scalar @kinds, load_label($kinds[$_]), @{ $rates[$_] }) } 0 .. $#kinds);
}

# Rates are [ end, per second ].
sub rate_row ($time, $rows, $label, @rates) {
    my $largest = max(0, map { $_->[1] } @rates);
    my $highest = highest(map { $_->[1] } @rates) // 1;
    my $strip   = over_time($time, $rows, sub { axis_upwards($highest, 'ops/s', @_) });
    my $shown   = $largest > $highest ? 'to ' . rate_text($highest) . '/s; cut off, up to ' . rate_text($largest) . '/s' : 'to ' . rate_text($largest) . '/s';
    return { label => $label, shown => $shown, y => $strip->{y}, marks => [ @rates ? course($strip, 'course', @rates) : () ] };
}

# A map for each kind, and the legend of its shades.
sub load_heat_charts (@kinds) {
    my @panels = map { heat_panel($_) } @kinds or return;
    return (panels('Latency over time', ['The colour of a cell is the share of the requests at that time that had this latency.'], @panels),
        element('ul', { class => 'legend' }, map { element('li', { class => "heat$_" }, $SHADES[$_]) } grep { is_drawn("heat$_", @panels) } 0 .. $#SHADES) . "\n");
}

sub heat_panel ($kind) {
    my @course = slices_of($kind) or return;
    my @edges  = $kind->{load}->edges;
    my (%cells, $all);
    for my $slice (@course) {
        my %counts = classes(\@edges, list($slice->[2]{heat}));
        my $sum    = sum0(values %counts) or next;
        for my $class (keys %counts) {
            my $share = $counts{$class} / $sum;
            push @{ $cells{$class} }, [ $slice->[0] - $slice->[1], $slice->[0], scalar grep { $share > $_ } @SHARES ];
        }
        $all += $sum;
    }
    my @classes = sort { $a <=> $b } keys %cells or return;
    my $latency = axis_of_latency(@CLASSES[ $classes[0], $classes[-1] ], upper_end($classes[-1]));
    my $strip   = over_time(axis_of_time($course[-1][0]), 1, sub {$latency});
    my @marks   = map { my $class = $_; map { block($strip, "heat$_->[2]", [ $_->[0], $CLASSES[$class] ], [ $_->[1], upper_end($class) ]) } joined(@{ $cells{$class} }) } @classes;
    return time_panel(load_label($kind), $strip, { label => 'Latency, logarithmic', shown => grouped($all) . ' requests', marks => \@marks });
}

sub upper_end ($class) { return $CLASSES[ $class + 1 ] // 2 * $CLASSES[$class] }

# The number of requests in each class, from bins with counts.
sub classes ($edges, @heat) {
    my %counts;
    while (my ($bin, $count) = map { number($_) } splice @heat, 0, 2) {
        last if !defined $bin || !defined $count || $bin !~ /\A\d+\z/a;
        my $from = ($edges->[$bin] // 0) || 1;
        $counts{ grep { $_ <= $from * 1.0001 } @CLASSES[ 1 .. $#CLASSES ] } += $count;
    }
    return %counts;
}

# Neighbours of one shade are one cell.
sub joined (@cells) {
    my @joined;
    for my $cell (@cells) {
        my $last = $joined[-1];
        if ($last && $last->[2] == $cell->[2] && abs($last->[1] - $cell->[0]) < 1e-6) {
            $last->[1] = $cell->[1];
            next;
        }
        push @joined, [ @{$cell} ];
    }
    return @joined;
}

sub load_percentile_charts (@kinds) {
    return latency_panels('Percentiles', 'Requests',
        map { my $latency = hash($_->{figures}{latency_ns}); { label => load_label($_), map { $_ => number($latency->{$_}) } qw(p50 p90 p99 p99_9 max) } } @kinds);
}

my @STEP_NOTES = (
    [ better => 'Blue: a step that kept the limit.' ],
    [ worse => 'Orange: one that broke it.' ],
    [ unclear => 'Grey: neither is known.' ],
    [ fit => 'Dashed: the limit.' ],
    [ lower => 'The lower line is the median.' ],
    [ tail => 'The upright line is the load that was confirmed, or in a sweep the last before latency rises.' ],
);

# What a sweep and a search are for: the curve of latency over load, or the tries.
sub load_step_charts ($load) {
    return panels('Latency over load', \@STEP_NOTES, map { curve_panel($load, $_) } $load->kinds);
}

my %LOOKS = (good => 'better', open => 'better', not_good => 'worse');

# A search tries a load more than once.
sub curve_panel ($load, $kind) {
    my $key   = $kind->{key};
    my @steps = grep { $_->{x} && $_->{p50} && $_->{y} } map { my ($f, $ns) = ($_, hash($_->{latency_ns}));
        { x => amount($f, 'load'), p50 => number($ns->{p50}), y => number($f->{limited_ns} // $ns->{p99}), looks => $LOOKS{ text($f->{verdict}) // q{} } // 'unclear' } }
        map { hash(hash($_)->{$key}) } $load->steps or return;
    my @sorted    = sort { $a->{x} <=> $b->{x} } @steps;
    my $is_search = $load->mode eq 'search';
    my $settings  = hash($load->{settings});
    my $limit     = number($settings->{max_latency_ns});
    my @all       = ((map { ($_->{y}, $is_search ? () : $_->{p50}) } @steps), $limit // ());
    my $x         = axis_of_values($load->is_of_threads ? 'threads' : 'requests per second', undef, map { $_->{x} } @steps);
    my $strip     = over_time($x, 1, sub { is_wide(@all) ? axis_of_latency(@all) : axis_upwards(max(@all), 'ns', @_) });
    my ($flat)    = $load->flat_part($key);
    my ($found, $confirmed) = (amount($kind->{figures}, 'found'), $is_search ? amount(hash(($load->confirmed // {})->{$key}), 'load') : @{$flat} ? $flat->[-1]{load} : undef);
    my @marks     = (defined $limit ? stroke($strip, 'fit', map { [ $_, $limit ] } 0, $sorted[-1]{x}) : (),
        $confirmed ? stroke($strip, 'tail', [ $confirmed, 0 ], [ $confirmed, 9**9**9 ]) : ());
    for my $line ($is_search ? () : ([ p50 => 'lower' ], [ y => 'upper' ])) {
        my ($of, $class) = @{$line};
        push @marks, (map { stroke($strip, $class, map { [ $_->{x}, $_->{$of} ] } @sorted[ $_ - 1, $_ ]) } 1 .. $#sorted), dots($strip, "dot $class", $of, @sorted);
    }
    push @marks, map { my $looks = $_; dots($strip, "spot $looks", 'y', grep { $_->{looks} eq $looks } @steps) } uniq map { $_->{looks} } $is_search ? @steps : ();
    my $shown = !$is_search ? join ' to ', map { latency_text($_) } uniq(min(map { $_->{y} } @steps), max(map { $_->{y} } @steps)) : $confirmed ? 'confirmed: ' . rate_text($confirmed)
        : $found ? 'at least ' . rate_text($found) . ($found > $sorted[-1]{x} ? ', in a step that was cut short' : ', not confirmed') : 'no load is known to keep it';
    return time_panel(load_label($kind), $strip, { label => (text($settings->{max_latency_of}) // 'p99')
        . ($is_search ? ' of each step' : ', and the median'), shown => $shown, marks => \@marks });
}

sub dots ($strip, $class, $of, @steps) {
    return points($class, 0, [ map { [ place($strip, [ $_->{x}, $_->{$of} ]) ] } @steps ]);
}

# The latency on each host, if several hosts made a load together.
sub load_host_charts (@kinds) {
    my @hosts  = map { [ load_hosts($_) ] } @kinds;
    my @notes  = ('A bar is the mean latency of the requests that a host made.', how_to_read_hosts(@hosts));
    my @panels = map { host_panel(load_label($kinds[$_]), 'ns', undef, @{ $hosts[$_] }) } 0 .. $#kinds;
    return panels('Hosts, less is better', \@notes, @panels);
}

1;
