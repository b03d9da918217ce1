# SPDX-License-Identifier: GPL-2.0-or-later
# The page of zcav: the curve of each pass along each device, and the places
# that are slow or unreadable, by their offsets.
package Bonnie::ZcavPage;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use List::Util qw(max min sum0 uniq);
use Bonnie::Axis       qw(axis_from_zero axis_upwards);
use Bonnie::Chart      qw(area course over_time panels stroke time_panel);
use Bonnie::Document   qw(document);
use Bonnie::Html       qw(element text);
use Bonnie::HtmlTable  qw(plain_table);
use Bonnie::Plain      qw(few shorten);
use Bonnie::Statistics qw(median);
use Bonnie::Units      qw(bytes_text counted figure_text grouped range_text);

our @EXPORT_OK = qw(zcav_page);

my $KIB = 1024;

# In parts of the median: a slower place is reported.
my $SLOW = 0.5;

# More steps or passes cannot be distinguished, and would make a page large.
my $MOST_STEPS  = 500;
my $MOST_PASSES = 12;
my $MOST_PLACES = 200;

# Of devices and places in the title and the first sentence.
my $MOST_NAMED = 4;

# In seconds: nothing takes less time, whatever a file says.
my $SHORTEST = 1e-9;

# A mark stays visible, however small the place.
my $SMALLEST_MARK = 0.003;

# @courses as in ZcavLog.pm; $title is plain text, or undef for the names of the devices.
sub zcav_page ($title, @courses) {
    my @places = map { { course => $_, places => [ places_of($_) ], median => median_rate($_) } } @courses;
    return document(
        title    => $title // join(', ', map { device_words($_) } few($MOST_NAMED, @courses)),
        class    => 'one',
        headline => headline(@places),
        facts    => facts(@courses),
        sections => [
            { id => 'curves',  title => 'Along the device',         content => [ map { curves($_) } @places ] },
            { id => 'places',  title => 'Slow and unusable places', content => [ place_table(@places) ] },
            { id => 'devices', title => 'Devices',                  content => [ device_table(@places) ] },
        ],
    );
}

# "/dev/sda, 500 GiB"
sub device_words ($course) {
    return join ', ', shorten($course->{name}), $course->{bytes} ? bytes_text($course->{bytes}) : (), memory_words($course);
}

# "in memory (tmpfs)", if that is known.
sub memory_words ($course) {
    return ($course->{filesystem} // q{}) =~ /\A((?:tmp|ram)fs)\z/ || $course->{name} =~ m{\A/dev/(z?ram)\d+\z}a ? "in memory ($1)" : ();
}

# How fast each device is, and then where it is slow or fails.
sub headline (@devices) {
    return device_sentence($devices[0]) if @devices == 1;
    my @shown = few($MOST_NAMED, @devices);
    return join q{ }, (map { shorten($_->{course}{name}) . " \l" . device_sentence($_) } @shown), @shown < @devices ? 'The others are below.' : ();
}

sub device_sentence ($device) {
    my ($course, $places) = @{$device}{qw(course places)};
    my ($past, @rates) = ($course->{writes} ? 'written' : 'read', rates_of($course));
    my $passes = @{ $course->{passes} };
    my $speed = !@rates ? "Has not been $past" : ($course->{writes} ? 'Writes ' : 'Reads ') . figure_text($device->{median}, 'KiB/s')
        . (@rates > 1 ? ' (median of the blocks' . ($passes > 1 ? ", each over $passes passes; " : '; ') . range_text(min(@rates), max(@rates), 'KiB/s') . ')' : q{}) . join q{}, map {" $_"} memory_words($course);
    my @found = (found_text("cannot be $past", "cannot be $past", grep { $_->{error} } @{$places}), found_text('is slow', 'are slow', grep { !$_->{error} } @{$places}));
    return join('; ', $speed, join(', ', @found) || 'no place is slow' . ($passes > 1 ? ' in every pass' : q{}) . ', and none has failed') . q{.};
}

sub found_text ($is, $are, @places) {
    return @places ? counted(scalar @places, 'place') . (@places == 1 ? " $is" : " $are") . ' (' . offsets_text(@places) . ')' : ();
}

sub offsets_text (@places) {
    my @at = map { 'at ' . ($_->{offset} ? bytes_text($_->{offset}) : 0) } @places;
    return join ', ', few($MOST_NAMED, @at), @at > $MOST_NAMED ? "\x{2026}" : ();
}

sub facts (@courses) {
    my @hosts  = uniq(grep { defined && length } map { $_->{host} } @courses);
    my @blocks = uniq(map { bytes_text($_->{block_bytes}) } @courses);
    my $where  = @hosts == 1 ? " on $hosts[0]" : q{};
    my @facts  = uniq(grep { defined && length } map { $_->{in_the_way} } @courses);
    return join q{ }, counted(scalar @courses, 'device') . "$where; blocks of " . join(', ', @blocks) . q{.}, map {"$_."} @facts;
}

# ---- figures --------------------------------------------------------------------

# Combines the blocks of all passes into one: the median of each block's rates,
# undef where no pass moved anything.
sub middle_blocks ($course) {
    my @passes = map { $_->{blocks} } @{ $course->{passes} };
    my @rates  = map { [] } @{ $passes[0] };
    for my $pass (@passes) {
        for my $i (0 .. min($#{$pass}, $#rates)) {
            push @{ $rates[$i] }, rate($pass->[$i]) if $pass->[$i][1] > 0;
        }
    }
    return map { { offset => $passes[0][$_][0], rate => @{ $rates[$_] } ? median(@{ $rates[$_] }) : undef } } 0 .. $#rates;
}

# In KiB/s, as everywhere on the pages.
sub rate ($block) {
    my (undef, $bytes, $seconds) = @{$block};
    return $bytes / $KIB / max($seconds, $SHORTEST);
}

sub rates_of { return grep {defined} map { $_->{rate} } middle_blocks(@_) }

sub median_rate {
    my @rates = rates_of(@_);
    return @rates ? median(@rates) : 0;
}

# Below this rate a block of the pass is slow.
sub slow_below ($pass) {
    my @rates = map { rate($_) } grep { $_->[1] > 0 } @{ $pass->{blocks} };
    return @rates ? $SLOW * median(@rates) : 0;
}

# Neighbouring blocks that are slow in each pass that measured them, merged into places: { offset,
# end, rate }. What is slow only once is not the device's.
sub slow_places ($course) {
    my %fast;
    for my $pass (@{ $course->{passes} }) {
        my $limit = slow_below($pass);
        $fast{ $_->[0] } = 1 for grep { $_->[1] > 0 && rate($_) >= $limit } @{ $pass->{blocks} };
    }
    my ($before, @slow) = (0);
    for my $block (middle_blocks($course)) {
        my $is_slow = defined $block->{rate} && !$fast{ $block->{offset} };
        push @slow, { offset => $block->{offset}, rates => [] } if $is_slow && !$before;
        if ($is_slow) {
            $slow[-1]{end} = $block->{offset} + $course->{block_bytes};
            push @{ $slow[-1]{rates} }, $block->{rate};
        }
        $before = $is_slow;
    }
    return map { { offset => $_->{offset}, end => $_->{end}, rate => @{ $_->{rates} } / (sum0(map { 1 / $_ } @{ $_->{rates} }) || 1) } } @slow;
}

# Slow and failed places, sorted by offset.
sub places_of ($course) {
    my @bad = map { { offset => $_->{offset}, end => $_->{offset} + $_->{bytes}, error => $_->{error} || 'failed' } } @{ $course->{bad} };
    return sort { $a->{offset} <=> $b->{offset} || $a->{end} <=> $b->{end} } @bad, slow_places($course);
}

# ---- curves ---------------------------------------------------------------------

sub curves ($device) {
    my ($course, $places) = @{$device}{qw(course places)};
    my @passes  = @{ $course->{passes} };
    my @shown   = few($MOST_PASSES, @passes);
    my @curves  = map { { title => $_->{title}, steps => [ curve($course, $_) ] } } @shown;
    my $highest = max(1, map { $_->[1] } map { @{ $_->{steps} } } @curves);
    my $along   = axis_from_zero(max(1, $course->{bytes} // 0, map { $_->[0] + $course->{block_bytes} } map { @{ $_->{blocks} } } @passes), 'bytes');
    my $strip   = over_time({ %{$along}, unit => "offset in $along->{unit}" }, scalar @shown, sub { axis_upwards($highest, 'KiB/s', @_) });
    my @notes   = ('Line: the median, ' . figure_text($device->{median}, 'KiB/s') . q{.}, [ losses => 'Orange: blocks below half the median of their pass.' ], [ open => 'Grey: failed; see below.' ]);
    push @notes, "Only the first $MOST_PASSES of @{[ scalar @passes ]} passes are shown." if @passes > @shown;
    return panels(shorten($course->{name}), \@notes,
        time_panel($course->{writes} ? 'Writing' : 'Reading', $strip, map { curve_row($strip, $device, $_) } @curves));
}

# [ [ offset of the end, rate until there, whether a block there is slow ], ... ]. Merges neighbouring
# blocks if there are too many. A skipped gap is zero if it is wider than a step.
sub curve ($course, $pass) {
    my @blocks = @{ $pass->{blocks} };
    my $limit  = slow_below($pass);
    my $group  = int((@blocks + $MOST_STEPS - 1) / $MOST_STEPS) || 1;
    my $step   = @blocks > 1 ? $blocks[1][0] - $blocks[0][0] : $course->{block_bytes};
    my @curve  = $blocks[0][0] > 0 ? [ $blocks[0][0], 0 ] : ();
    while (my @some = splice @blocks, 0, $group) {
        my $bytes   = sum0(map { $_->[1] } @some);
        my $seconds = sum0(map { $_->[2] } @some);
        my $end     = @blocks ? $blocks[0][0] : $some[-1][0] + min($step, $course->{block_bytes});
        push @curve, [ $end, rate([ 0, $bytes, $seconds ]), scalar grep { $_->[1] > 0 && rate($_) < $limit } @some ];
    }
    return @curve;
}

sub curve_row ($strip, $device, $curve) {
    my @steps  = @{ $curve->{steps} };
    my @rates  = grep { $_ > 0 } map { $_->[1] } @steps;
    my @slow   = map { [ $_->[0], $_->[2] ? $_->[1] : 0 ] } @steps;
    my @failed = map { failed_mark($strip, $_) } grep { $_->{error} } @{ $device->{places} };
    return {
        label => $curve->{title},
        shown => @rates ? range_text(min(@rates), max(@rates), 'KiB/s') : 'nothing',
        marks => [ course($strip, 'course', @steps), (grep { $_->[2] } @steps) ? course($strip, 'losses', @slow) : (), @failed,
            stroke($strip, 'range', map { [ $_, $device->{median} ] } 0, $steps[-1][0]) ],
    };
}

sub failed_mark ($strip, $place) {
    my ($from, $to) = map { $strip->{x}{at}->($_) } @{$place}{qw(offset end)};
    return area('open', min($from, max(0, $to - $SMALLEST_MARK)), max($to, $SMALLEST_MARK), 0, $strip->{height});
}

# ---- tables ---------------------------------------------------------------------

sub place_table (@devices) {
    my @places = map { my $device = $_; map { [ $device, $_ ] } @{ $device->{places} } } @devices;
    return element('p', {}, text('No block is below half the median of its pass each time, and none failed.')) . "\n"
        if !@places;
    my $more = @places - $MOST_PLACES;
    my @note = $more > 0 ? element('p', {}, text("Only the first $MOST_PLACES are shown; " . grouped($more) . ' more are left out.')) . "\n" : ();
    my @titles = ('Device', 'From', 'To', 'Problem', 'Rate', 'Share of the median', 'First byte', 'Bytes');
    return (plain_table({ caption => 'Places below half the median in each pass, and places that failed', class => 'places', titles => \@titles }, map { place_row(@{$_}) } few($MOST_PLACES, @places)), @note);
}

sub place_row ($device, $place) {
    my ($course, $median) = @{$device}{qw(course median)};
    my @rate = $place->{error} ? (undef) x 2 : (figure_text($place->{rate}, 'KiB/s'), sprintf '%.0f %%', 100 * $place->{rate} / $median);
    return [ shorten($course->{name}), $place->{offset} ? bytes_text($place->{offset}) : '0', bytes_text($place->{end}),
        $place->{error} ? ($course->{writes} ? 'cannot be written: ' : 'cannot be read: ') . $place->{error} : 'slow', @rate, grouped($place->{offset}), grouped($place->{end} - $place->{offset}) ];
}

sub device_table {
    my @titles = ('Device', 'Size', 'Block', 'Passes', 'Median', 'Slowest block', 'Fastest block', 'Slow', 'Failed', 'Engine');
    return plain_table({ caption => 'Devices', class => 'devices', titles => \@titles }, map { device_row($_) } @_);
}

sub device_row ($device) {
    my ($course, $places) = @{$device}{qw(course places)};
    my @rates  = rates_of($course);
    my ($slow, $bad) = (0, 0);
    for my $place (@{$places}) {
        $_ += $place->{end} - $place->{offset} for $place->{error} ? $bad : $slow;
    }
    return [ shorten($course->{name}), $course->{bytes} ? bytes_text($course->{bytes}) : undef, bytes_text($course->{block_bytes}), passes_words($course),
        (@rates ? map { figure_text($_, 'KiB/s') } median(@rates), min(@rates), max(@rates) : (undef) x 3), (map { $_ ? bytes_text($_) : 'none' } $slow, $bad), how_words($course) ];
}

sub passes_words ($course) {
    my @passes = @{ $course->{passes} };
    my ($mean) = $passes[0]{title} =~ /\A(\d+) passes\z/;
    return defined $mean ? "mean of $mean" : scalar @passes;
}

sub how_words ($course) {
    return if !length($course->{engine} // q{});
    my $depth = ($course->{iodepth} // 1) > 1 ? ", depth $course->{iodepth}" : q{};
    return $course->{engine} . $depth . ($course->{direct} ? ', direct' : ', buffered');
}

1;
