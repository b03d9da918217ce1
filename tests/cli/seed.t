#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# -z and -Z: runs with the same seed do the same, in the same order and at the same offsets. The
# contents differ from run to run, so that data left by an earlier run is noticed.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun  qw(bonnie csv_of refused_ok scratch);
use RunProgram qw(spew);
use Trace      qw(can_trace trace);

my $dir = scratch();

# What the workers did: each system call with its names and offsets, but without descriptors
# and contents.
sub deeds {
    my ($run, @calls) = trace({ dir => "$dir" }, [ '-e', 'trace=pread64,pwrite64,openat,unlinkat,newfstatat' ],
        qw(-s1:8k:40:1 -n1:40:0 -r0 -q --cache=keep), '--tests=put_block,seeks,ran_create,ran_del', @_);
    is($run->{status}, 0, "@_");
    my @done = grep {/\A\w+ \d/} map {"$_->{name} $_->{args}"} @calls;
    s/\A(p\w+ )\d+, "(?:[^"\\]|\\.)*"[.]*,|\A(\w+ )\d+,/$1 || $2/e for @done;
    return [ grep { !/bonnie\.| "",|"(?:\.|owner|d\d+)"/ } @done ];
}

is(csv_of(bonnie('-d', $dir, qw(-z42 -s1 -n0 -r0 -q --tests=put_block)))->{seed}, 42, '-z is told');
is(csv_of(bonnie('-d', $dir, qw(-z9007199254740991 -s1 -n0 -r0 -q --tests=put_block)))->{seed}, '9007199254740991', 'its largest');
is(csv_of(bonnie('-d', $dir, qw(-z0 -s1 -n0 -r0 -q --tests=put_block)))->{seed}, 0, 'its smallest');

spew("$dir/a", 'some bytes');
spew("$dir/b", 'some bytez');
spew("$dir/empty", q{});
my ($a, $again, $b) = map { csv_of(bonnie('-d', $dir, "-Z$dir/$_", qw(-s1 -n0 -r0 -q --tests=put_block)))->{seed} } qw(a a b);
is($a, $again, '-Z: the seed comes from the contents of the file');
isnt($a, $b, '-Z: all of them');
is(csv_of(bonnie('-d', $dir, '-z42', "--random-file=$dir/a", qw(-s1 -n0 -r0 -q --tests=put_block)))->{seed}, $a, 'the last of -z and -Z counts');
is(csv_of(bonnie('-d', $dir, '-Z', "$dir/a", qw(-z42 -s1 -n0 -r0 -q --tests=put_block)))->{seed}, 42, 'either way');
refused_ok(bonnie('-d', $dir, '-Z', "$dir/none", '-s1', '-n0'), qr{random file \Q$dir\E/none: No such file}, '-Z without the file');
refused_ok(bonnie('-d', $dir, '-Z', "$dir/empty", '-s1', '-n0'), qr{random file \Q$dir\E/empty is empty}, '-Z with an empty one');
refused_ok(bonnie('-d', $dir, '-Z', "$dir/a", qw(-s1 -n0 -q -u nobody)), qr{random file \Q$dir\E/a: in \S+: Permission denied}, '-Z with -u is read by that user') if $> == 0;
refused_ok(bonnie('-d', $dir, '-Z', "$dir", '-s1', '-n0'), qr{read random file \Q$dir\E: Is a directory}, '-Z with a directory');

# How many positions have the same random value in both runs.
sub in_common {
    my ($one, $other) = @_;
    my @random = grep { $one->[$_] !~ /\Apwrite64 8192, / } 0 .. $#{$one};
    return (scalar(@random), scalar grep { $one->[$_] eq ($other->[$_] // q{}) } @random);
}

# The 8-byte words that a run writes to the data files and to the files of the
# metadata tests.
sub words {
    my (undef, @calls) = trace({ dir => "$dir" }, [ '-e', 'trace=pwrite64', '-xx', '-s8192' ],
        qw(-s1:8k:40:1 -n1:4000:4000 -r0 -q --cache=keep), '--tests=put_block,seeks,seq_create', @_);
    my @written = map { $_->{args} =~ /"([^"]*)"/ ? $1 =~ s/\\x//gr : () } @calls;
    return map { unpack '(a16)*', $_ } @written;
}

SKIP: {
    skip 'strace cannot trace here', 9 if !can_trace();
    my ($first, $second, $other) = map { deeds("-z$_") } 1, 1, 2;
    cmp_ok(scalar @{$first}, '>', 2000, 'there is much to compare');
    is_deeply($first, $second, 'the same seed: the same places, names and sizes');
    my ($random, $same) = in_common($first, $other);
    cmp_ok($same, '<', $random / 10, 'another seed: others');

    my ($twice, $again) = map { deeds(qw(-z1 -x2)) } 1 .. 2;
    is_deeply($twice, $again, '-x 2 with the same seed: the same in both runs');
    my @runs = ([ @{$twice}[ 0 .. $#{$first} ] ], [ @{$twice}[ -@{$first} .. -1 ] ]);
    is_deeply($runs[0], $first, 'the first run does what a single one does');
    ($random, $same) = in_common(@runs);
    cmp_ok($random, '>', 1000, 'there is much to compare');
    cmp_ok($same, '<', $random / 10, 'the second run does something else');

    my ($one, $two) = map { [ words('-z1') ] } 1 .. 2;
    cmp_ok(scalar @{$one}, '>', 600_000, 'what two processes with the same seed write');
    # Stamps have six words; seed, file, unit and generation are the same in both runs.
    my $zeros = '00' x 8;
    $same = grep { $one->[$_] eq $two->[$_] && $one->[$_] ne $zeros } 0 .. $#{$one};
    cmp_ok($same, '<=', 3 * @{$one} / 512, 'has no word in common but the seed and the places in stamps');
}

done_testing();
