#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# How figures are printed and compared: Bonnie::Text, ::Units, ::Overview, ::Axis, ::Chart, and words around them.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../../scripts/lib";
use Test::More;
use Bonnie::Ab::Words qw(change_text interval_text plain_report result_sentence);
use Bonnie::ChangeWords ();
use Bonnie::ComparisonText ();
use Bonnie::Axis   qw(axis_from_zero axis_of_change axis_of_latency axis_of_time axis_of_values axis_upwards);
use Bonnie::Chart  qw(bar chart steps tail value whisker);
use Bonnie::Figure qw(number_figure);
use Bonnie::Overview  qw(grade_column);
use Bonnie::Text   qw(rate_text cpu_text);
use Bonnie::Units  qw(figure_text range_text axis_scale size_text);

sub words {
    return join "\x{A0}", @_;
}

sub nbsp {
    my ($text) = @_;
    return $text =~ tr/ /\x{A0}/r;
}

# KiB/s in the table, on both sides of each limit.
my @SCALED = (
    0 => '0k', 4.3 => '4.3k', 13 => '13k', 1723 => '1723k', 9999 => '9999k', 9999.5 => '9.8m', 10000 => '9.8m', 10239 => '10.0m',
    53000 => '51.8m', 102348 => '99.9m', 102349 => '100m', 376832 => '368m', 1048063 => '1023m', 1048064 => '1.0g',
    2306867 => '2.2g', 104805171 => '99.9g', 104805172 => '100g', 10484187136 => '9998g',
);
while (my ($kib, $text) = splice @SCALED, 0, 2) {
    is(rate_text(number_figure($kib), 'KiB/s'), $text, "$kib KiB/s is $text");
    ok(length $text <= 5, 'and fits');
}

my %OPS = ('533.8' => '533.8', '2138.3' => '2138', '8244' => '8244', '31209' => '31209', '123456' => '123456', '+++++' => '+++++', q{} => q{});
is(rate_text(number_figure($_), 'ops/s'), $OPS{$_}, "\"$_\" operations a second") for sort keys %OPS;
my %CPU = ('99' => '99', '9.5' => '9.5', '99.7' => '100', '1600' => '1600', '+++' => '+++', q{} => q{});
is(cpu_text(number_figure($_)), $CPU{$_}, "\"$_\" percent") for sort keys %CPU;

my @RATES = (
    0 => '0 KiB/s', 13 => '13 KiB/s', 1000 => '1,000 KiB/s', 1024 => '1 MiB/s', 110033 => '107 MiB/s', 1078676 => '1.03 GiB/s',
    55236 => '53.9 MiB/s', 2**30 => '1 TiB/s',
);
while (my ($kib, $text) = splice @RATES, 0, 2) {
    is(figure_text($kib, 'KiB/s'), nbsp($text), "$kib KiB/s is $text");
}
is(figure_text(9103828, 'ops/s'), nbsp('9.10 M/s'), 'operations have three digits');
is(figure_text('43.9', 'ops/s'), nbsp('43.9 /s'), 'few operations keep their fraction');

my @LATENCIES = (0 => '0 ns', 999 => '999 ns', 57e3 => "57 \x{B5}s", 9829e3 => '9.83 ms', 1759e6 => '1.76 s', 18244e6 => '18.2 s');
while (my ($nanoseconds, $text) = splice @LATENCIES, 0, 2) {
    is(figure_text($nanoseconds, 'ns'), nbsp($text), "$nanoseconds ns is $text");
}

is(range_text(1024, 3072, 'KiB/s'), nbsp("1\x{2013}3 MiB/s"), 'a range in one unit');
is(range_text(512, 3072, 'KiB/s'), nbsp("512 KiB/s\x{2013}3 MiB/s"), 'a range in two');
is(range_text(0, 0, 'ops/s'), nbsp("0\x{2013}0 /s"), 'a range of nothing');

is(size_text('8096M', 'M'), words('8,096', 'MiB'), 'a size with its suffix');
is(size_text($_, q{}), $_, 'no size: as it is') for "\x{663}\x{664}", "8\x{212A}", '9' x 400;
is(size_text('100',   'M'), words(100,     'MiB'), 'without one');
is(size_text('4096',  q{}), words(4,       'KiB'), 'bytes');
is(size_text('512',   q{}), words(512,     'bytes'), 'few bytes');
is(size_text('<b>',   q{}), '<b>', 'no size');

sub grades {
    return [ grade_column(shift, map { number_figure($_) } @_) ];
}
is_deeply(grades('higher', 100, 100, 200, 111, 90, 50), [ 0, 0, 2, 1, -1, -2 ], 'more is better');
is_deeply(grades('lower',  100, 100, 200, 111, 90, 50), [ 0, 0, -2, -1, 1, 2 ], 'less is better');
is_deeply(grades('higher', 100, '+++++', q{}), [ undef, undef, undef ], 'nothing to compare with');
is_deeply(grades('higher', 1, 4), [ -2, 2 ], 'two figures lie as far from their middle');
is_deeply(grades('higher', 0, 0, 5), [ undef, undef, undef ], 'no ratio to zero');
is_deeply(grades('higher', 0, 5, 5), [ -2, 0, 0 ], 'zero itself is much worse');

is_deeply([ axis_scale(99_000,    'ops/s') ], [ 1000, 'k/s' ],          'operations on an axis');
is_deeply([ axis_scale(600_000,   'ops/s') ], [ 1000, 'k/s' ],          'as many of them');
is_deeply([ axis_scale(2_306_867, 'KiB/s') ], [ 1024**2, 'GiB/s' ],       'throughput on an axis');

# Where the ticks are, in percent of the width, and their texts.
sub ticks {
    my ($axis) = @_;
    return join q{ }, map { sprintf('%.0f:%s', 100 * $axis->{at}->($_->[0]), $_->[1]) =~ tr/\x{A0}\x{2212}\x{B5}\x{D7}/_\-ux/r } @{ $axis->{ticks} };
}

is(ticks(axis_from_zero(376_832, 'KiB/s')), '0:0 27:100 54:200 82:300', 'an axis of throughput, which ends where the values do');
is(axis_from_zero(376_832, 'KiB/s')->{unit}, 'MiB/s', 'with its unit');
is(ticks(axis_from_zero(0, 'ops/s')), '0:0 25:0.25 50:0.5 75:0.75 100:1', 'an axis of nothing');
is(ticks(axis_of_time(2.9)), '0:0 34:1 69:2', 'an axis of time');
is(axis_of_time($_->[0])->{unit}, $_->[1], "$_->[1] for $_->[0] s") for [ 599, 'seconds' ], [ 600, 'minutes' ], [ 7200, 'hours' ];
is(ticks(axis_upwards(2_000, 'KiB/s', 200)), '0:0 26:0.5_MiB/s 51:1_MiB/s 77:1.5_MiB/s', 'an upward one has its unit at each label');
is(ticks(axis_upwards(150_000, 'ops/s', 80)), '0:0 67:100_k/s', 'and fewer of them where it is low');
is(ticks(axis_of_values('ops/s', undef, 0, 500, 9_999)), '0:0 25:2.5 50:5 75:7.5', 'below a factor of 20 an axis begins at zero');
is(ticks(axis_of_values('threads', undef, 1, 10)), '0:0 50:5 100:10', 'half a thread has no label');
is(ticks(axis_of_values('ops/s', undef, 0, 500, 10_000)), '0:0.1 50:1 100:10', 'from there on it is logarithmic');
is(ticks(axis_of_latency(5_000, 200_000)), '0:1_us 33:10_us 67:100_us 100:1_ms', 'an axis of latency');
is(ticks(axis_of_latency(1000)), '0:1_us 100:10_us', 'of a single one');
is(ticks(axis_of_latency(1, 1e12)), '0:1_ns 25:1_us 50:1_ms 75:1_s 100:1,000_s', 'of many orders of magnitude');
is(ticks(axis_of_change(-3, 4.5)), '0:-5 25:-2.5 50:0 75:+2.5 100:+5', 'an axis of small changes');
is(ticks(axis_of_change(90)), '0:x0.5 50:x1 100:x2', 'of large ones: half is as far as twice');
is(ticks(axis_of_change(-80)), '0:x0.1 50:x1 100:x10', 'of losses');
is(axis_of_change(-100, 1e9)->{at}->($_->[0]) <=> $_->[1], $_->[2], "a change of $_->[0] %") for [ -100, 0, -1 ], [ 1e9, 1, 1 ], [ 0, 0.5, 0 ];
is(whisker('range', @{ $_->[0] })->[3], $_->[1], "the ends of an interval: $_->[2]") for [ [ 0.1, 0.3 ], 'h200m-200-4v8m200-8v8', 'caps' ], [ [ 0.1, 1.3 ], 'h900m-900-4v8m900-8m-8 0l8 4l-8 4m8 0', 'an arrow where it goes on' ],
    [ [ -9, 0.3 ], 'h300m-300-4m8 0l-8 4l8 4m-8 0m300-8v8', 'at either end' ];

# A bound does not read like what the verdict beside it excludes.
for my $case ([ slower => 0.805, 0.9998, '-19.5 to -0.02 %' ], [ better => 1.00004, 1.2, '+0.004 to +20.0 %' ], [ better => 1, 1.2, '+0.0 to +20.0 %' ],
    [ no_difference => 0.98, 1.0299, '-2.0 to +2.99 %' ], [ not_known => 0.9998, 1.0298, '+0.0 to +3.0 %' ], [ worse => undef, 0.9998, 'at most -0.02 %' ]) {
    my ($verdict, $low, $high, $words) = @{$case};
    is(interval_text({ settings => { margin_percent => 3 } }, { verdict => $verdict, interval => [ $low, $high ] }), $words, "$verdict: $words");
}
is(change_text({}, { verdict => 'worse', ratio => 0.9997 }), '-0.03 %', 'neither does the ratio');
is(Bonnie::ChangeWords::interval_text({ enough_runs => 1, significant => 1, low_percent => -7, high_percent => -0.02 }), "\x{2212}7.0\x{A0}% to \x{2212}0.02\x{A0}%", 'a comparison, on a page');
is(Bonnie::ComparisonText::percent_text(-0.02, 0), '-0.02 %', 'and as text');
is(Bonnie::ComparisonText::p_text(0.04998), '0.04998', 'a p that is significant');
is(figure_text(9_998_000, 'ns', undef, 10_000_000), "9.998\x{A0}ms", 'a latency beside its limit');
is(figure_text(9_998_000, 'ns'), "10.0\x{A0}ms", 'and without one');

# The marks of a chart are where the axis says, in their own rows.
my $axis  = axis_from_zero(400, 'ops/s');
my @marks = ([ bar('bar', 0, 0.5), whisker('range', 0.25, 0.75) ], [], [ bar('bar', 0, 1), tail('tail', 0.1, 0.2) ]);
my $chart = chart(axis => $axis, height => 12, rows => [ map { { label => "l$_", shown => "<$_>", marks => $marks[$_] } } 0 .. 2 ]);
like($chart, qr{class="bar" d="M0 23h500M0 99h1000"}, 'bars begin at zero, each in its row');
like($chart, qr{class="range" d="M250 23h500m-500-4v8m500-8v8"}, 'a whisker has two caps');
like($chart, qr{class="tail" d="M100 99h100m0-4v8"}, 'a tail has one');
like(chart(axis => $axis, height => 12, rows => [ map { { label => q{}, shown => q{}, marks => [ bar("bar$_", 0, 1), whisker('range', 0, 1) ] } } 1, 2 ]),
    qr{class="bar1".*class="bar2".*class="range"}, 'whiskers are drawn over all bars');
like($chart, qr{class="zero" d="M0 14v94"}, 'the line of zero');
is_deeply(value($axis, 'bar', 200), [ 'bar', 0, 6, 'h500' ], 'a value is a bar from zero');
is_deeply(value(axis_of_values('ops/s', undef, 1, 100), 'bar', 10), [ 'bar spot', 0.5, 6, 'h0' ], 'or a dot, where there is no zero');
like($chart, qr{<li><bdi>l1</bdi><b class="none">&lt;1&gt;</b></li>}, 'a row without a figure');
is(scalar(() = $chart =~ /<li>/g), 3, 'every row is there');
like(chart(axis => $axis, height => 30, rows => [ { label => q{}, shown => q{}, marks => [ steps('course', 30, [ [ 0.5, 30 ], [ 1, 15 ] ]) ] } ]),
    qr/class="course" d="M0 47v-30h500v15h500v15"/, 'steps have their width and height');
for my $percent (1, 30, 90, 200, 800, 5000) {
    my $text = chart(axis => axis_of_change($percent), height => 12, rows => [ { label => q{}, shown => q{}, marks => [] } ]);
    like($text, qr{class="first" x="\S+" y="11">\S+</text>.*class="last" x="100%" y="11">}, "the outer ticks of $percent % stay inside");
}
my %iops = (name => 'iops', unit => 'ops/s', judged => 1, more_is_better => 1, verdict => 'not_known', median_a => 123_456, median_b => 234_567, ratio => 1.9, interval => [ 1.8, 2 ]);
my ($head, $row) = grep {/change|^iops/} split /\n/, plain_report({ settings => { name_a => 'old', name_b => 'new', alpha => .05, seed => 1, margin_percent => 3 }, metrics => [ \%iops ], elapsed_seconds => 5, reason => q{}, map { $_ => [] } qw(pairs control notes) });
is_deeply([ map { $head =~ /\b$_/g ? pos $head : 0 } qw(old new change) ], [ map { $row =~ /$_/g ? pos $row : 0 } 'k\/s', 'k\/s', '%' ], 'figures stand below their heads') or diag("$head\n$row");
unlike(chart(axis => undef, height => 12, rows => [ { label => 'x', shown => 'not run', marks => [] } ]), qr/<svg/, 'nothing to draw');

# Failing may be faster than succeeding, so it is said first.
my %sides = (settings => { name_a => 'old', name_b => 'new', margin_percent => 3 }, metrics => []);
is(result_sentence({ %sides, requests => { a => { asked => 1000, errors => $_->[0] }, b => { asked => 2000, errors => $_->[1] } } }), $_->[2] . 'Nothing is known of old and new: no pair was measured.', "@{$_}[0, 1] failed")
    for [ 0, 900, 'Of the requests of new 45 % failed, of those of old 0 %; rates are of those that succeeded. ' ], [ 0, 0, q{} ], [ 5, 10, q{} ],
    [ 1, 0, 'Of the requests of new 0 % failed, of those of old 0.1 %; rates are of those that succeeded. ' ];
my %report = (settings => { name_a => 'old', name_b => 'new', alpha => .05, seed => 1, margin_percent => 3 }, metrics => [ \%iops ], elapsed_seconds => 5, map { $_ => [] } qw(pairs control notes));
my $plain  = plain_report({ %report, requests => { a => { asked => 10, errors => 0 }, b => { asked => 10, errors => 5 } } });
like($_, qr/^The change is the median of the pairs' ratios, and need not be that of the\ncolumns[.]$/m, 'a change that is not that of the columns') for plain_report({ %report, metrics => [ { %iops, ratio => 1.5 } ] });
unlike($_, qr/The change is|more than --time/, 'one that is, in time') for plain_report({ %report, settings => { %{ $report{settings} }, time_seconds => 4.5 } });
like($_, qr/^0 pairs in 5 s, more than --time: a pair that has begun is not cut; --seed=1$/m, 'a campaign that took longer than --time') for plain_report({ %report, settings => { %{ $report{settings} }, time_seconds => 3 } });
is(change_text({ settings => {} }, { ratio => 132.76 }), '+13200 %', 'three digits of a large change');
like($plain, qr/\AOf the requests of new 50 % failed, [^.]*[.]\nIt is not known whether/, 'before the rates');
is(scalar(() = $plain =~ /failed/g), 1, 'once');
is(result_sentence(\%sides), 'Nothing is known of old and new: no pair was measured.', 'nothing counted requests');

done_testing();
