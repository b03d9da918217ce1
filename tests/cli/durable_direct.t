#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# With -D, every descriptor that the block tests and the seeks use on data files has O_DIRECT.
# With -b, everything that is written is made durable, including directories. Without these
# options neither happens.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use BonnieRun qw(@BLOCK_TESTS bonnie refused_ok scratch_on_disk takes_direct tree);
use Trace     qw(can_trace phases trace);

plan skip_all => 'strace cannot trace here' if !can_trace();

my @BLOCKS = ('-n0', '--iops-duration=0.1', '--tests=' . join q{,}, @BLOCK_TESTS);
my $dir    = (Root::may_mount() ? Root::filesystem('ext4', 200) : undef) // scratch_on_disk();

# The open flags of the descriptors that the calls of a test used.
sub flags_used {
    my ($calls, $test) = @_;
    my %in_phase = map { $_->{order} => 1 } @{ phases(@{$calls})->{$test} // [] };
    my (%flags, %used);
    for my $call (@{$calls}) {
        if ($call->{name} eq 'openat') {
            my ($fd) = $call->{result} =~ /\A(\d+)/ or next;
            ($flags{$fd}) = $call->{args} =~ /, (O_[A-Z_|]+)/;
        }
        elsif ($call->{name} =~ /\Ap(?:read|write)64\z/ && $in_phase{ $call->{order} }) {
            my ($fd) = $call->{args} =~ /\A(\d+)/;
            $used{ $flags{$fd} }++;
        }
    }
    return sort keys %used;
}

sub traced {
    my (@options) = @_;
    my ($run, @calls) = trace({}, [ '-e', 'trace=openat,pread64,pwrite64,write,fsync,fdatasync,syncfs' ],
        '-d', "$dir", qw(-r0 -s1:64k:100:2 -c2 --cache=keep), @options);
    is($run->{status}, 0, "@options: exit status 0") or diag($run->{err});
    return @calls;
}

sub count { my ($call, @calls) = @_; return scalar grep { $_->{name} eq $call } @calls }

SKIP: {
    skip 'this filesystem refuses O_DIRECT', 12 if !takes_direct($dir);
    my @calls = traced(@BLOCKS, '-D');
    for my $test (@BLOCK_TESTS) {
        my @flags = flags_used(\@calls, $test);
        cmp_ok(scalar @flags, '>', 0, "-D, $test: data is moved");
        is_deeply([ grep { !/O_DIRECT\b/ } @flags ], [], "-D, $test: every descriptor has O_DIRECT");
    }
    subtest 'seeks that make their file themselves' => sub {
        my @alone = traced(qw(-n0 --direct --tests=seeks));
        my @seeks = grep { $_->{args} =~ /65536, \d+\z/ } @{ phases(@alone)->{seeks} };
        my ($opened) = grep { $alone[$_]{args} =~ /O_DIRECT/ } 0 .. $#alone;
        ok(defined $opened, 'the file is opened with O_DIRECT');
        my ($fd) = $alone[$opened]{result} =~ /(\d+)/;
        cmp_ok((grep { $_->{name} eq 'pread64' } @seeks), '==', 100, 'a hundred seeks');
    };
    refused_ok(bonnie('-d', "$dir", qw(-r0 -s1:1000 -n0 -D -q)),
        qr/--size: direct I\/O on \S+ needs chunks that are a multiple of \d+ bytes, which 1000 is not/, '-D: a chunk that does not fit');
}

my @plain = traced(@BLOCKS);
is_deeply([ grep {/O_DIRECT|O_DSYNC|O_SYNC/} map { flags_used(\@plain, $_) } @BLOCK_TESTS ], [], 'without -D and -b: neither');

subtest 'durable' => sub {
    my @calls = traced(@BLOCKS, '-b');
    for my $test (qw(put_block rewrite seeks iops)) {
        is_deeply([ grep { !/O_D?SYNC\b/ } flags_used(\@calls, $test) ], [], "-b, $test: every descriptor has O_DSYNC");
    }
    my @putc = traced(qw(-n0 -f1 --sync --tests=putc));
    ok((grep { $_->{name} eq 'openat' && $_->{args} =~ m{/proc/self/fd/\d+", O_WRONLY\|.*O_DSYNC} } @putc), '-b, putc: likewise');
};

subtest 'directories' => sub {
    my @options = (qw(-s0 -n1:0:0:3), '--tests=seq_create,seq_del,ran_create,ran_del');
    my $plain   = phases(traced(@options));
    my $durable = phases(traced(@options, '-b'));
    for my $test (qw(seq_create seq_del ran_create ran_del)) {
        cmp_ok(count('fsync', @{ $durable->{$test} }), '>=', 1024, "-b, $test: fsync for every file");
        is(count('fsync', @{ $plain->{$test} }), 0, "$test: none without it");
    }
    my $data = phases(traced(qw(-s0 -n1:600:600 -b --tests=seq_create)));
    cmp_ok(count('fsync', @{ $data->{seq_create} }), '>=', 2048, '-b, files with data: fsync of file and directory');
};

subtest 'without -b all is on the device at the end of the clock all the same' => sub {
    for my $test (qw(put_block rewrite seeks iops)) {
        cmp_ok(count('fsync', @{ phases(@plain)->{$test} }), '>=', 2, "$test: fsync of every file");
    }
    my @putc = traced(qw(-n0 -f1 --tests=putc));
    cmp_ok(count('fsync', @putc), '>=', 2, 'putc: fsync of every file');
    my $files = phases(traced(qw(-s0 -n1:600:600 -c4 --min-time=0), '--tests=seq_create,ran_create'));
    is(count('syncfs', @{ $files->{$_} }), 1, "$_: syncfs once, for the files of all workers") for qw(seq_create ran_create);
    is(count('fsync', @{ $files->{$_} }), 0, "$_: and no fsync of a file") for qw(seq_create ran_create);
};

subtest 'writing back begins while the test writes, and not at its end' => sub {
    my $begun = sub {
        my ($run, @calls) = trace({}, [ '-e', 'trace=sync_file_range,pwrite64' ], '-d', "$dir", qw(-q -r0 -s32 -n0 -f --cache=keep), @_);
        is($run->{status}, 0, "@_: exit status 0");
        my @writes = grep { $calls[$_]{name} eq 'pwrite64' } 0 .. $#calls;
        return count('sync_file_range', @calls[ 0 .. $writes[-1] ]);
    };
    is($begun->('--tests=put_block'), 4, 'before the last write of 32 MiB: three pieces of 8 MiB begun, one waited for');
    cmp_ok($begun->('--tests=put_block', '-c2'), '>=', 2, 'each worker in its own file');
    is($begun->('--tests=put_block', '-b'), 0, '-b: each write is durable already');
    is($begun->('--tests=put_block', '-D'), 0, '-D: nothing is to be written back') if takes_direct($dir);
};

is_deeply([ grep { $_ ne 'lost+found' } tree("$dir") ], [], 'nothing is left in the directory');
done_testing();
