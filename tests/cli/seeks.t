#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# The seekers share the wanted number of seeks; every tenth rewrites its chunk, whatever the
# chunk's number.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun qw(refused_ok scratch tree);
use Trace     qw(can_trace phases trace);

plan skip_all => 'strace cannot trace here' if !can_trace();
my $dir = scratch();

sub seeks {
    my ($run, @calls) = trace({}, [ '-e', 'trace=pread64,pwrite64,write,fsync,openat' ], '-d', $dir, qw(-r0 -n0 -f --cache=keep), @_);
    is($run->{status}, 0, "@_: exit status 0");
    return grep { $_->{name} =~ /\Ap/ } @{ phases(@calls)->{seeks} };
}

# More and more seeks, until there are some left for a seeker that begins late.
my (@calls, @reads, @writes, %seekers);
for my $count (1000, 10_000, 100_000) {
    @calls  = seeks("-s2:16k:$count:3", '-z9');
    @reads  = grep { $_->{name} eq 'pread64' } @calls;
    @writes = grep { $_->{name} eq 'pwrite64' } @calls;
    is(scalar @reads,  $count,      "$count seeks");
    is(scalar @writes, $count / 10, 'every tenth rewrites');
    %seekers = map { $_->{pid} => 1 } @reads;
    last if keys %seekers == 3;
}
is(scalar(keys %seekers), 3, 'three seekers, and each of them seeks');

sub place { my ($offset) = $_[0]{args} =~ /, (\d+)\z/; return $offset }
is((grep { place($_) % 16384 || place($_) >= 2 << 20 } @reads), 0, 'each at a chunk');
my %chunks = map { place($_) / 16384 => 1 } @reads;
cmp_ok(scalar(keys %chunks), '>', 120, 'all over the file');
my %written = map { place($_) / 16384 => 1 } @writes;
ok((grep { $_ % 2 } keys %written) && (grep { $_ % 2 == 0 } keys %written), 'odd and even chunks are rewritten');
my %read;
my $astray = 0;
for my $call (@calls) {
    my $place = place($call);
    $astray++ if $call->{name} eq 'pwrite64' && $read{ $call->{pid} } ne $place;
    $read{ $call->{pid} } = $place if $call->{name} eq 'pread64';
}
is($astray, 0, 'what is written goes where the seeker has just read');

@calls = seeks(qw(-s4:64k:200:2 -c3));
is((grep { $_->{name} eq 'pread64' } @calls), 200, 'with three workers: still so many seeks in all');
my %files = map { ($_->{args} =~ /\A(\d+)/)[0] => 1 } @calls;
is(scalar(keys %files), 3, 'in the files of all workers');

is(scalar(grep { $_->{name} eq 'pread64' } seeks(qw(-s1:8k:3:8))), 3, 'fewer seeks than seekers');

# A seeker that is killed from outside is a failure with a message of its own.
my $killed = (trace({}, [ '-e', 'trace=pread64', '-e', 'inject=pread64:signal=KILL:when=20' ],
        '-d', $dir, qw(-r0 -n0 -q -s1:8k:400:2 --tests=seeks)))[0];
refused_ok($killed, qr/seeker \d was killed by signal 9/, 'a killed seeker');

is_deeply([ tree($dir) ], [], 'nothing is left in the directory');
done_testing();
