#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# The metadata tests with empty files, files with data, hard and symbolic links, in one directory
# and in many, and the calls that they make.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use BonnieRun qw(@TESTS bonnie csv_of scratch tree);
use Trace     qw(can_trace phases trace);

my $dir = scratch();

my @kinds = qw(1 1:0:0 1:4096:512:3 1:512:512:1024 1:20000:0:2:512 1:-1 1:-1::7 1:-2 1:-2:0:50);
for my $kind (@kinds) {
    for my $workers ([], ['-c3']) {
        my $run = bonnie('-d', $dir, qw(-s0 -r0 -mlab -q --cache=keep), '-n', $kind, @{$workers});
        my $csv = csv_of($run);
        is($run->{status}, 0, "-n $kind @{$workers}: exit status 0") or diag($run->{err});
        is(scalar(grep { length $csv->{$_} } @TESTS[ 6 .. 11 ]), 6, "-n $kind @{$workers}: six figures");
    }
}
is_deeply([ tree($dir) ], [], 'nothing is left in the directory');

# The calls of all six tests that work on files, and the names of these files.
sub traced {
    my ($run, @calls) = trace({}, [ '-y', '-e', 'trace=openat,newfstatat,unlinkat,linkat,symlinkat,mkdirat,pread64,pwrite64,write' ],
        '-d', $dir, qw(-s0 -r0 -z6 --cache=keep), @_);
    is($run->{status}, 0, "@_: exit status 0");
    return phases(@calls);
}

# For the calls with this name in a test, the file names without directories.
sub names {
    my ($phase, $call) = @_;
    return map { $_->{args} =~ m{"(\w{10,22})"(?!, \{)} ? $1 : $_->{args} =~ m{\A\d+(?:<[^>]*>)?, "(\w{10,22})"} ? $1 : () }
        grep { $_->{name} eq $call } @{$phase};
}

SKIP: {
    skip 'strace cannot trace here', 16 if !can_trace();

    subtest 'empty files in one directory' => sub {
        my $phase = traced(qw(-n1));
        my @made  = names([ grep { $_->{args} =~ /O_CREAT/ } @{ $phase->{seq_create} } ], 'openat');
        is(scalar @made, 1024, '1024 files are made');
        is_deeply(\@made, [ sort @made ], 'in sorted order');
        my %made = map { $_ => 1 } @made;
        is(scalar(keys %made), 1024, 'each with a name of its own');
        is(scalar(grep { $made{$_} } names($phase->{seq_stat}, 'newfstatat')), 1024, 'each is looked at');
        is(scalar(grep { delete $made{$_} } names($phase->{seq_del}, 'unlinkat')), 1024, 'and each is deleted');
        @made = names([ grep { $_->{args} =~ /O_CREAT/ } @{ $phase->{ran_create} } ], 'openat');
        isnt("@made", join(q{ }, sort @made), 'random names are not in sorted order');
        my @stat = names($phase->{ran_stat}, 'newfstatat');
        my @del  = names($phase->{ran_del},  'unlinkat');
        is_deeply([ sort @stat ], [ sort @made ], 'each is looked at');
        is_deeply([ sort @del ], [ sort @made ], 'and each is deleted');
        isnt("@stat", "@made", 'in another order than they were made');
        isnt("@del",  "@stat", 'and deleted in yet another');
        is((grep { $_->{name} =~ /\Ap/ } map { @{$_} } values %{$phase}), 0, 'nothing is read or written');
        is((grep { $_->{name} eq 'openat' && $_->{args} !~ /O_DIRECTORY|O_CREAT|\/proc\// } @{ $phase->{seq_stat} }), 0, 'nor opened');
    };

    subtest 'files with data in three directories' => sub {
        my $phase = traced(qw(-n1:4096:512:3:1024));
        my (%in, %written, %bytes);
        for my $call (@{ $phase->{seq_create} }) {
            $in{$1}++ if $call->{args} =~ m{\A\d+<[^>]*/(d\d{5})>, "\w+", O_WRONLY\|O_CREAT};
        }
        is_deeply([ sort { $a <=> $b } values %in ], [ 341, 341, 342 ], 'as many in each directory');
        my @writes = grep { $_->{name} eq 'pwrite64' } @{ $phase->{seq_create} };
        my @reads  = grep { $_->{name} eq 'pread64' } @{ $phase->{seq_stat} };
        my $sum = sub { my $sum = 0; $sum += ($_->{args} =~ /, (\d+), \d+\z/)[0] for @_; return $sum };
        is($sum->(@writes), $sum->(@reads), 'all that is written is read back');
        my $average = $sum->(@writes) / 1024;
        ok($average > 2000 && $average < 2600, 'the sizes are spread over the range');
        is((grep { ($_->{args} =~ /, (\d+), \d+\z/)[0] > 1024 } @writes, @reads), 0, 'in chunks of the size given');
        is((grep { $_->{args} =~ /, (\d+), 0\z/ && $1 < 512 } @writes), 0, 'no file is smaller than asked for');
    };

    subtest 'links' => sub {
        my $phase = traced(qw(-n1:-1));
        is((grep { $_->{name} eq 'linkat' && $_->{result} eq '0' } @{ $phase->{seq_create} }), 1024, 'hard links');
        $phase = traced(qw(-n1:-2));
        is((grep { $_->{name} eq 'symlinkat' && $_->{result} eq '0' } @{ $phase->{ran_create} }), 1024, 'symbolic links');
        is((grep { $_->{name} eq 'newfstatat' && $_->{args} =~ /AT_SYMLINK_NOFOLLOW/ } @{ $phase->{ran_stat} }), 1024,
            'which are looked at themselves');
    };
}

SKIP: {
    skip 'needs root: a filesystem that allows few links', 3 if !Root::may_mount();
    # A file on ext4 can have 65000 links, so 70 x 1024 links need a second file.
    my $ext4 = Root::filesystem('ext4', 200, 'noatime');
    skip 'this system makes or mounts no ext4', 3 if !defined $ext4;
    my $run = bonnie('-d', "$ext4", qw(-s0 -r0 -n70:-1 -q --cache=keep), '--tests=seq_create,seq_del');
    is($run->{status}, 0, 'more hard links than a file can have: exit status 0') or diag($run->{err});
    is(csv_of($run)->{num_files}, 70, 'all of them');
    is_deeply([ grep { $_ ne 'lost+found' } tree("$ext4") ], [], 'nothing is left');
}

done_testing();
