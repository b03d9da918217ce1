#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# --data: random contents do not compress and never repeat; zero is zero; other contents compress
# as far as the user wants.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Compress::Zlib ();
use Test::More;
use BonnieRun qw(scratch);
use Trace     qw(can_trace trace);

plan skip_all => 'strace cannot trace here' if !can_trace();
my $dir = scratch();

# Everything that was written to data files, in the order of the writes.
sub written {
    my ($run, @calls) = trace({}, [ '-e', 'trace=pwrite64', '-xx', '-s65536' ], '-d', $dir, qw(-r0 -q --cache=keep), @_);
    is($run->{status}, 0, "@_");
    return map { my ($hex) = $_->{args} =~ /"([^"]*)"/; $hex =~ s/\\x//g; pack 'H*', $hex } @calls;
}

# Leaves out the ends of files, which are too short to be unique.
sub blocks { return grep { length > 100 } map { unpack '(a4096)*', $_ } @_ }

my @io     = qw(-s1:16k:10:1 -n0 -f);
my @files  = qw(-s0 -n1:6000:2000 --tests=seq_create);
for my $case ([ 'data files', @io ], [ 'files of the metadata tests', @files ]) {
    my ($name, @options) = @{$case};
    my @random = written(@options);
    my $all    = join q{}, @random;
    cmp_ok(length $all, '>=', 1 << 20, "$name: a MiB or more");
    cmp_ok(length Compress::Zlib::compress($all), '>', .95 * length $all, 'they do not compress');
    my %seen;
    is((grep { $seen{$_}++ } blocks(@random)), 0, 'no block is there twice');
    my @zero = written(@options, '--data=zero');
    ok(!grep({/[^\0]/} @zero), '--data=zero: nothing but zeros');
    cmp_ok(length(join q{}, @zero), '>=', 1 << 20, 'a MiB of them or more');
    is(length(join q{}, @zero), length $all, 'as many') if $name eq 'data files';
    cmp_ok(length Compress::Zlib::compress(join q{}, written(@options, '--data', 'random')), '>', .95 * length $all, '--data random');
}

for my $case ([ '--data=compress=50', 50 ], [ '--data=compress=25', 25 ], [ '--data=compress=100', 100 ], [ '--data=compress=1', 1 ]) {
    my ($option, $percent) = @{$case};
    my @blocks = blocks(written(@io, $option));
    my $all    = join q{}, @blocks;
    my %seen;
    is((grep { $seen{$_}++ } @blocks), 0, "$option: no block is there twice");
    my $left = 100 * length(Compress::Zlib::compress($all)) / length $all;
    cmp_ok(abs($left - $percent), '<', 3, 'this is what is left');
    # Single blocks compress in the same way. The first one does not count: it has the zeros with
    # which the engine was tried.
    my @each = map { 100 * length(Compress::Zlib::compress($_)) / length $_ } @blocks[ 1 .. 20 ];
    is((grep { abs($_ - $percent) > 5 } @each), 0, 'of every single block');
}

done_testing();
