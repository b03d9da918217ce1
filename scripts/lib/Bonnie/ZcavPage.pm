# SPDX-License-Identifier: GPL-2.0-or-later
# The page of zcav: the curve of each pass along each device, and the places
# that are slow or unreadable, by their offsets.
package Bonnie::ZcavPage;

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(max min sum0 uniq);
use Bonnie::Axis       qw(axis_of_offset);
use Bonnie::Chart      qw(bar steps);
use Bonnie::Document   qw(counted document);
use Bonnie::Html       qw(element text);
use Bonnie::HtmlTable  qw(absent cell head_cell row_of scrolling_table);
use Bonnie::Panels     qw(panel panels);
use Bonnie::Plain      qw(shorten);
use Bonnie::Statistics qw(median);
use Bonnie::Units      qw(bytes_text figure_text grouped range_text);

our @EXPORT_OK = qw(zcav_page slow_places);

my $KIB = 1024;

# In parts of the median: a slower place is reported.
my $SLOW = 0.5;

# In pixels: the height of a strip, and of the marks at its foot.
my $HEIGHT = 72;
my $FOOT   = 6;

# More steps or passes cannot be distinguished, and would make a page large.
my $MOST_STEPS  = 500;
my $MOST_PASSES = 12;
my $MOST_PLACES = 200;

# In seconds: nothing takes less time, whatever a file says.
my $SHORTEST = 1e-9;

# A mark stays visible, however small the place.
my $SMALLEST_MARK = 0.003;

my $MAX_NAME = 60;

# @courses as in ZcavLog.pm; $title is plain text.
sub zcav_page {
    my ($title, @courses) = @_;
    my @places = map { { course => $_, places => [ places_of($_) ], median => median_rate($_) } } @courses;
    return document(
        title    => $title,
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

sub headline {
    my @devices = @_;
    my $verb = (grep { $_->{course}{writes} } @devices) ? 'written' : 'read';
    my @all  = map { @{ $_->{places} } } @devices;
    my $bad  = grep { $_->{error} } @all;
    my $slow = @all - $bad;
    return 'No place is slow, and none has failed.' if !@all;
    return join(', ', $bad ? counted($bad, 'place') . " cannot be $verb" : (),
        $slow ? counted($slow, 'place') . ($slow == 1 ? ' is slow' : ' are slow') : ()) . q{.};
}

sub facts {
    my @courses = @_;
    my @hosts  = uniq(grep { defined && length } map { $_->{host} } @courses);
    my @blocks = uniq(map { bytes_text($_->{block_bytes}) } @courses);
    my $where  = @hosts == 1 ? " on $hosts[0]" : q{};
    return counted(scalar @courses, 'device') . "$where; blocks of " . join(', ', @blocks) . q{.};
}

# ---- figures --------------------------------------------------------------------

# Combines the blocks of all passes into one: the median of each block's rates,
# undef where no pass moved anything.
sub middle_blocks {
    my ($course) = @_;
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
sub rate {
    my ($block) = @_;
    my (undef, $bytes, $seconds) = @{$block};
    return $bytes / $KIB / max($seconds, $SHORTEST);
}

sub median_rate {
    my ($course) = @_;
    my @rates = grep { defined } map { $_->{rate} } middle_blocks($course);
    return @rates ? median(@rates) : 0;
}

# Neighbouring blocks below half the median, merged into places: { offset, end,
# rate }.
sub slow_places {
    my ($course) = @_;
    my $limit = $SLOW * median_rate($course);
    my ($before, @slow) = (0);
    for my $block (middle_blocks($course)) {
        my $is_slow = defined $block->{rate} && $block->{rate} < $limit;
        push @slow, { offset => $block->{offset}, rates => [] } if $is_slow && !$before;
        if ($is_slow) {
            $slow[-1]{end} = $block->{offset} + $course->{block_bytes};
            push @{ $slow[-1]{rates} }, $block->{rate};
        }
        $before = $is_slow;
    }
    return map { { offset => $_->{offset}, end => $_->{end}, rate => harmonic(@{ $_->{rates} }) } } @slow;
}

# The rate over several blocks of one size.
sub harmonic {
    my @rates = @_;
    return @rates / (sum0(map { 1 / $_ } @rates) || 1);
}

# Slow and failed places, sorted by offset.
sub places_of {
    my ($course) = @_;
    my @bad = map { { offset => $_->{offset}, end => $_->{offset} + $_->{bytes}, error => $_->{error} || 'failed' } } @{ $course->{bad} };
    return sort { $a->{offset} <=> $b->{offset} || $a->{end} <=> $b->{end} } @bad, slow_places($course);
}

# ---- curves ---------------------------------------------------------------------

sub curves {
    my ($device) = @_;
    my ($course, $places, $median) = @{$device}{qw(course places median)};
    my @passes  = @{ $course->{passes} };
    my @shown   = @passes > $MOST_PASSES ? @passes[ 0 .. $MOST_PASSES - 1 ] : @passes;
    my @curves  = map { { title => $_->{title}, steps => [ curve($course, $_) ] } } @shown;
    my $highest = max(1, map { $_->[1] } map { @{ $_->{steps} } } @curves);
    my $axis    = axis_of_offset(end_of($course));
    my @notes   = ('Height of a strip: ' . figure_text($highest, 'KiB/s') . '. Line: the median, ' . figure_text($median, 'KiB/s') . q{.});
    push @notes, 'Orange: slow or failed; see below.' if @{$places};
    push @notes, "Only the first $MOST_PASSES of @{[ scalar @passes ]} passes are shown." if @passes > @shown;
    return panels(shorten($course->{name}, $MAX_NAME), \@notes, panel($course->{writes} ? 'Writing' : 'Reading',
        axis   => $axis,
        height => $HEIGHT,
        rows   => [ map { curve_row($axis, $highest, $median, $places, $_) } @curves ],
    ));
}

sub end_of {
    my ($course) = @_;
    return max(1, $course->{bytes} // 0, map { $_->[0] + $course->{block_bytes} } map { @{ $_->{blocks} } } @{ $course->{passes} });
}

# [ [ offset of the end, rate until there ], ... ]. Merges neighbouring blocks
# if there are too many. A skipped gap is zero if it is wider than a step.
sub curve {
    my ($course, $pass) = @_;
    my @blocks = @{ $pass->{blocks} };
    my $group  = int((@blocks + $MOST_STEPS - 1) / $MOST_STEPS) || 1;
    my $step   = @blocks > 1 ? $blocks[1][0] - $blocks[0][0] : $course->{block_bytes};
    my @curve  = $blocks[0][0] > 0 ? [ $blocks[0][0], 0 ] : ();
    while (my @some = splice @blocks, 0, $group) {
        my $bytes   = sum0(map { $_->[1] } @some);
        my $seconds = sum0(map { $_->[2] } @some);
        my $end     = @blocks ? $blocks[0][0] : $some[-1][0] + min($step, $course->{block_bytes});
        push @curve, [ $end, rate([ 0, $bytes, $seconds ]) ];
    }
    return @curve;
}

sub curve_row {
    my ($axis, $highest, $median, $places, $curve) = @_;
    my @rates = grep { $_ > 0 } map { $_->[1] } @{ $curve->{steps} };
    my @steps = map { [ $axis->{at}->($_->[0]), $HEIGHT * $_->[1] / $highest ] } @{ $curve->{steps} };
    my $line  = sprintf '%.0f', $HEIGHT * (1 - min(1, $median / $highest));
    return {
        label => $curve->{title},
        shown => @rates ? range_text(min(@rates), max(@rates), 'KiB/s') : 'nothing',
        marks => [ steps('course', $HEIGHT, \@steps), (map { place_mark($axis, $_) } @{$places}), bar('range', 0, $steps[-1][0], $line) ],
    };
}

sub place_mark {
    my ($axis, $place) = @_;
    my ($from, $to) = map { min(1, $axis->{at}->($_)) } @{$place}{qw(offset end)};
    $from = max(0, $to - $SMALLEST_MARK) if $to - $from < $SMALLEST_MARK;
    return bar('worse', $from, max($to, $SMALLEST_MARK), $HEIGHT - $FOOT);
}

# ---- tables ---------------------------------------------------------------------

sub place_table {
    my @devices = @_;
    my @places = map { my $device = $_; map { [ $device, $_ ] } @{ $device->{places} } } @devices;
    return element('p', {}, text('No block took more than twice the median time, and none failed.')) . "\n"
        if !@places;
    my $more = @places - $MOST_PLACES;
    my @note = $more > 0 ? element('p', {}, text("Only the first $MOST_PLACES are shown; " . grouped($more) . ' more are left out.')) . "\n" : ();
    splice @places, $MOST_PLACES if $more > 0;
    my @rows = map { place_row(@{$_}) } @places;
    my @titles = ('Device', 'From', 'To', 'Problem', 'Rate', 'Share of the median', 'First byte', 'Bytes');
    return (scrolling_table(caption => 'Places below half the median, and places that failed', class => 'places',
            head => [ row_of(map { head_cell($_) } @titles) ], rows => \@rows), @note);
}

sub place_row {
    my ($device, $place) = @_;
    my ($course, $median) = @{$device}{qw(course median)};
    my @rate = $place->{error} ? map { absent("\x{2013}") } 1, 2
        : (cell(figure_text($place->{rate}, 'KiB/s')), cell(sprintf '%.0f %%', 100 * $place->{rate} / $median));
    return row_of(name_cell($course),
        cell($place->{offset} ? bytes_text($place->{offset}) : '0'), cell(bytes_text($place->{end})),
        cell($place->{error} ? failed_words($course, $place) : 'slow'), @rate,
        cell(grouped($place->{offset})), cell(grouped($place->{end} - $place->{offset})));
}

sub failed_words {
    my ($course, $place) = @_;
    return ($course->{writes} ? 'cannot be written: ' : 'cannot be read: ') . $place->{error};
}

sub name_cell {
    my ($course) = @_;
    return element('th', { scope => 'row', class => 'label' }, element('bdi', {}, text(shorten($course->{name}, $MAX_NAME))));
}

sub device_table {
    my @rows = map { device_row($_) } @_;
    my @titles = ('Device', 'Size', 'Block', 'Passes', 'Median', 'Slowest block', 'Fastest block', 'Slow', 'Failed', 'Engine');
    return scrolling_table(caption => 'What was measured', class => 'devices',
        head => [ row_of(map { head_cell($_) } @titles) ], rows => \@rows);
}

sub device_row {
    my ($device) = @_;
    my ($course, $places) = @{$device}{qw(course places)};
    my @rates  = grep { defined } map { $_->{rate} } middle_blocks($course);
    my @cells  = map { @rates ? cell(figure_text($_, 'KiB/s')) : absent("\x{2013}") }
        @rates ? (median(@rates), min(@rates), max(@rates)) : (0) x 3;
    my ($slow, $bad) = (0, 0);
    for my $place (@{$places}) {
        $_ += $place->{end} - $place->{offset} for $place->{error} ? $bad : $slow;
    }
    return row_of(name_cell($course), $course->{bytes} ? cell(bytes_text($course->{bytes})) : absent('not recorded'),
        cell(bytes_text($course->{block_bytes})), cell(passes_words($course)), @cells,
        (map { cell($_ ? bytes_text($_) : 'none') } $slow, $bad), how_cell($course));
}

sub passes_words {
    my ($course) = @_;
    my @passes = @{ $course->{passes} };
    my ($mean) = $passes[0]{title} =~ /\A(\d+) passes\z/;
    return defined $mean ? "mean of $mean" : scalar @passes;
}

sub how_cell {
    my ($course) = @_;
    return absent('not recorded') if !length($course->{engine} // q{});
    my $depth = ($course->{iodepth} // 1) > 1 ? ", depth $course->{iodepth}" : q{};
    return cell($course->{engine} . $depth . ($course->{direct} ? ', direct' : ', buffered'));
}

1;
