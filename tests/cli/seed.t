#!/usr/bin/perl
# -z and -Z: with the same seed the same is done, in the same order, with the same contents.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun  qw(bonnie csv_of refused_ok scratch);
use RunProgram qw(spew);
use Trace      qw(can_trace trace);

my $dir = scratch();

# What the workers did: each system call, with contents and places, but not descriptors.
sub deeds {
    my ($run, @calls) = trace({ dir => "$dir" }, [ '-e', 'trace=pread64,pwrite64,openat,unlinkat,newfstatat' ],
        qw(-s1:8k:40:1 -n1:40:0 -r0 -q --cache=keep), '--tests=put_block,seeks,ran_create,ran_del', @_);
    is($run->{status}, 0, "@_");
    return [ map { ("$_->{name} $_->{args}" =~ s/\A(\w+) \d+/$1/r) } grep { $_->{args} =~ /\A\d/ && $_->{args} !~ /bonnie\.|ELF|784/ } @calls ];
}

is(csv_of(bonnie('-d', $dir, qw(-z42 -s1 -n0 -r0 -q --tests=put_block)))->{seed}, 42, '-z is told');
is(csv_of(bonnie('-d', $dir, qw(-z18446744073709551615 -s1 -n0 -r0 -q --tests=put_block)))->{seed}, '18446744073709551615', 'its largest');
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
refused_ok(bonnie('-d', $dir, '-Z', "$dir/empty", '-s1', '-n0'), qr{random file \Q$dir\E/empty: is empty}, '-Z with an empty one');
refused_ok(bonnie('-d', $dir, '-Z', "$dir", '-s1', '-n0'), qr{read random file \Q$dir\E: Is a directory}, '-Z with a directory');

SKIP: {
    skip 'strace cannot trace here', 5 if !can_trace();
    my ($first, $second, $other) = map { deeds("-z$_") } 1, 1, 2;
    cmp_ok(scalar @{$first}, '>', 2000, 'there is much to compare');
    is_deeply($first, $second, 'the same seed: the same places, names, sizes and contents');
    my %seen = map { $_ => 1 } @{$first};
    my @same = grep { $seen{$_} && !/\Apread64.*"",/ } @{$other};
    cmp_ok(scalar @same, '<', @{$first} / 10, 'another seed: others');
}

done_testing();
