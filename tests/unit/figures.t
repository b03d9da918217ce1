#!/usr/bin/perl
# How figures are printed and compared: Bonnie::Text, ::Units, ::Grade, ::Chart.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../../scripts/lib";
use Test::More;
use Bonnie::Chart  qw(axis_ticks);
use Bonnie::Figure qw(number_figure);
use Bonnie::Grade  qw(grade_column);
use Bonnie::Text   qw(rate_text cpu_text);
use Bonnie::Units  qw(rate_parts latency_parts axis_scale size_text);

sub words {
    return join "\x{A0}", @_;
}

# KiB/s in the table: each limit, from both sides.
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
    is(join(q{ }, rate_parts($kib, 'KiB/s')), $text, "$kib KiB/s is $text");
}
is(join(q{ }, rate_parts(9103828, 'ops/s')), '9,103,828 ops/s', 'operations are grouped');
is(join(q{ }, rate_parts('43.9', 'ops/s')), '43.9 ops/s', 'few operations keep their fraction');

my @LATENCIES = (0 => '0 ns', 999 => '999 ns', 57e3 => "57 \x{B5}s", 9829e3 => '9.83 ms', 1759e6 => '1.76 s', 18244e6 => '18.2 s');
while (my ($nanoseconds, $text) = splice @LATENCIES, 0, 2) {
    is(join(q{ }, latency_parts($nanoseconds)), $text, "$nanoseconds ns is $text");
}

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

is_deeply([ axis_ticks($_->[0]) ], $_->[1], "an axis for $_->[0]")
    for [ 0, [ 0, 1 ] ], [ 100, [ 0, 25, 50, 75, 100 ] ], [ 107, [ 0, 50, 100, 150 ] ], [ 0.3, [ 0, 0.1, 0.2, 0.1 * 3 ] ], [ 1.15, [ 0, 0.5, 1, 1.5 ] ];
is_deeply([ axis_scale(99_000,    'ops/s') ], [ 1,    'ops/s' ],          'operations on an axis');
is_deeply([ axis_scale(600_000,   'ops/s') ], [ 1000, 'thousand ops/s' ], 'many of them');
is_deeply([ axis_scale(2_306_867, 'KiB/s') ], [ 1024**2, 'GiB/s' ],       'throughput on an axis');

done_testing();
