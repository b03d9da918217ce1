#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# In both colour schemes every text of the page has a contrast of at least 4.5
# to 1, by the formula of WCAG 2.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../../scripts/lib";
use List::Util qw(max min sum0);
use Test::More;
use Bonnie::Style qw(style_sheet);

sub luminance {
    my ($colour) = @_;
    my @linear = map { $_ <= 0.04045 ? $_ / 12.92 : (($_ + 0.055) / 1.055)**2.4 } map { hex($_) / 255 } $colour =~ /([[:xdigit:]]{2})/g;
    return sum0(map { $linear[$_] * (0.2126, 0.7152, 0.0722)[$_] } 0 .. 2);
}

sub contrast {
    my @luminances = map { luminance($_) } @_;
    return (max(@luminances) + 0.05) / (min(@luminances) + 0.05);
}

my @PAIRS = (
    (map { [ 'text', $_ ] } qw(page card head b2 b1 w1 w2)),
    (map { [ 'quiet', $_ ] } qw(page card)),
    (map { [ 'focus', $_ ] } qw(page)),
);

my @schemes = style_sheet() =~ /:root\{(.*?)\}/sg;
for my $scheme (0, 1) {
    my %colour = $schemes[$scheme] =~ /--(\w+):(#[[:xdigit:]]{6})(?:;|\z)/g;
    for my $pair (@PAIRS) {
        my $contrast = contrast(@colour{ @{$pair} });
        ok($contrast >= 4.5, sprintf '%s: %s on %s: %.1f', ('light', 'dark')[$scheme], @{$pair}, $contrast);
    }
    ok(contrast(@colour{ $_, 'card' }) >= 3, "$_ is seen") for qw(bar better worse unclear dark middle tail range zero);
    ok(contrast(@colour{ $_, 'range' }) >= 3, "the range is seen on $_") for qw(bar better worse unclear);
}

done_testing();
