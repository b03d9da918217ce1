#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Work that is not measured may not take long, either: where files are slow to make, a test that
# deletes them stops with fewer files, and the report says that it measured for less time than
# the user wanted.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP ();
use Test::More;
use BonnieRun qw(scratch tree);
use Trace     qw(can_trace trace);

plan skip_all => 'strace cannot trace here' if !can_trace();
my $dir = scratch();

# Each file takes 2 ms to open, and therefore to make; deleting 1024 of them takes less than
# 0.2 s.
my ($run, @calls) = trace({}, [ '--seccomp-bpf', '-e', 'trace=openat', '-e', 'inject=openat:delay_enter=2000' ],
    '-d', $dir, qw(-r0 -s0 -n1 --tests=seq_del --min-time=0.4), '--format=text,json');
is($run->{status}, 0, 'it succeeds') or diag($run->{err});

# Each file takes at least 2 ms of the 0.8 s that the program allows for preparing
# further rounds.
my $made = grep { $_->{args} =~ /O_CREAT/ && $_->{args} !~ /owner|O_TMPFILE/ } @calls;
cmp_ok($made, '>=', 1024,             'the first round has all files');
cmp_ok($made, '<=', 1024 + 400 + 100, 'further rounds are content with what can be made in their time');
my ($json)   = $run->{out} =~ /^([{].*)/ms;
my $measured = JSON::PP->new->decode($json)->{runs}[0]{tests}[0]{elapsed_seconds};
my $says_so  = $run->{out} =~ s/\s+/ /gr =~ / seq_del: measured for only \d\.\d\d s; more would take long to prepare\./;
is($says_so ? 1 : 0, $measured < 0.4 ? 1 : 0, 'the report says so, if it measured for less');
is_deeply([ tree($dir) ], [], 'nothing is left');

done_testing();
