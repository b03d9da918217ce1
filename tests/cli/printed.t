#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Where output goes: tables and the CSV line to stdout, everything else to stderr.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use POSIX ();
use Test::More;
use BonnieRun qw(@TESTS bonnie csv_of has_terminal program scratch table_of tree);
use Trace     qw(%TITLE);

my $dir   = scratch();
my @small = ('-d', $dir, qw(-r0 -s2 -n1 -mlab --cache=keep));
my $run   = bonnie(@small);
is($run->{status}, 0, 'exit status 0');

my $rate  = qr/(?: +(?:\d+(?:\.\d)?[kmgt]?|\+{5}) +(?:\d+|\+{3}))/;
my $delay = qr/(?: +\d+[um]?s)/;
my $io    = qr{\AVersion [ ]\S+[ ]+-+Sequential[ ]Output-+[ ]-+Sequential[ ]Input-[ ]--Random-\n
    [ ]+-Per[ ]Chr-[ ]--Block--[ ]-Rewrite-[ ]-Per[ ]Chr-[ ]--Block--[ ]--Seeks--\n
    Name:Size[ ]etc[ ]+(?:/sec[ ]%CP[ ]*){6}\n
    lab[ ]+2M$rate{6}\n
    Latency$delay{6}\n}x;
my $files = qr{Version [ ]\S+[ ]+-+Sequential[ ]Create-+[ ]-+Random[ ]Create-+\n
    lab[ ]+-Create--[ ]--Read---[ ]-Delete--[ ]-Create--[ ]--Read---[ ]-Delete--\n
    [ ]+files[ ]+(?:/sec[ ]%CP[ ]*){6}\n
    [ ]+1$rate{6}\n
    Latency$delay{6}\n}x;
like($run->{out}, qr/$io$files/, 'both halves of the table');
unlike($run->{out} =~ s/^1\.98,.*//mr, qr/^.{81}/m, '80 columns or fewer');
like($run->{out}, qr/^1\.98,[^\n]*\n\z/m, 'the last line is the CSV line, with one newline');
is(scalar(() = $run->{out} =~ /^1\.98,/mg), 1, 'there is one of it');

my %csv = %{ csv_of($run) };
is(scalar(keys %csv), 50, '50 fields');
is("@csv{qw(format_version name concurrency file_size num_files)}", '1.98 lab 1 2M 1', 'the settings in their columns');
is("@csv{qw(chunk_size max_size min_size num_dirs file_chunk_size)}", q{ } x 4, 'defaults are empty');
for my $test (@TESTS) {
    like($csv{$test},            qr/\A(?:\d+(?:\.\d)?|\+{5})\z/,  "$test: a rate");
    like($csv{"${test}_cpu"},    qr/\A(?:\d+|\+{3})\z/,           "$test: its CPU use");
    like($csv{"${test}_latency"}, qr/\A\d+(?:us|ms|s)\z/,         "$test: a latency");
}

my @announced = $run->{err} =~ /^(.*)\.\.\.done$/mg;
is_deeply(\@announced, [ @TITLE{@TESTS} ], 'progress on stderr, in order');

subtest 'quiet' => sub {
    my $quiet = bonnie(@small, '-q');
    is($quiet->{status}, 0, 'exit status 0');
    like($quiet->{out}, qr/\A1\.98,[^\n]*\n\z/, 'the CSV line alone on stdout');
    like($quiet->{err}, qr/\A$io$files(?:What limited each test.*\n(?:  .*\n)+)?\z/, 'the table on stderr, and what was measured: no progress');
    unlike($quiet->{err}, qr/may\shelp|would\s(?:measure\sthe\sdevice|tell\smore)/, 'and no advice');
};

subtest 'what was measured stands where a person reads it' => sub {
    my @few = ('-d', $dir, qw(-r0 -s0 -n1 --tests=seq_create --min-time=0.1));
    my $plain = bonnie(@few);
    is($plain->{status}, 0, 'exit status 0');
    unlike($plain->{out}, qr/What limited each test/, 'not on standard output, whose lines scripts count');
    like($plain->{err}, qr/^What limited each test .*\n  [a-z ]{10}  seq_create /m, 'but on standard error');
    my $named = bonnie(@few, '--format=text,csv');
    like($named->{out}, qr/^What limited each test .*\n(?:  .*\n)+1\.98,/m, '--format names text: below the table');
    unlike($named->{err}, qr/What limited each test/, 'and not twice');
  SKIP: {
        skip 'script(1) makes no terminal here', 1 if !has_terminal();
        my $command = join q{ }, map {"'$_'"} program(), @few;
        like(qx(script -qec "$command 2>/dev/null" /dev/null), qr/^What limited each test .*\n  [a-z ]{10}  seq_create /m, 'on a terminal: below the table');
    }
};

subtest 'verbose' => sub {
    my $verbose = bonnie(@small, '-v', '-z5', '-c1');
    like($verbose->{err}, qr/^bonnie: seed 5, 1 workers, chunks of 8192 bytes$/m, 'seed, workers and chunk');
    like($verbose->{err}, qr/^bonnie: before tests that read, caches are kept$/m, 'and what becomes of the caches');
    is(table_of($verbose->{out}) =~ tr/\n//, table_of($run->{out}) =~ tr/\n//, 'no more on stdout');
    like(bonnie(@small, '--verbose')->{err}, qr/^bonnie: seed \d+/m, '--verbose');
    unlike($run->{err}, qr/seed/, 'not without it');
};

subtest 'advice' => sub {
    my @tiny = ('-d', $dir, qw(-s1 -n0 --tests=put_block --cache=keep));
    my $size = qr/^bonnie: the size is less than twice the RAM, so some reads may come from memory; -s 16m avoids that$/m;
    like(bonnie(@tiny, '-r8')->{err},        $size, 'a size below twice the RAM: one line');
    like(bonnie(@tiny, '--ram=8192k')->{err}, $size, '--ram');
    unlike(bonnie(@tiny, '-r0')->{err}, qr/RAM/, '-r 0: none');
    unlike(bonnie(@tiny, qw(-r8 -s16))->{err}, qr/RAM/, 'twice the RAM: none');
    like(bonnie(@tiny)->{err}, qr/^bonnie: the size is less than twice the RAM, .*; -s \d+[gm] avoids/m, 'the RAM is detected');
    like(bonnie(@tiny, '-r3000')->{err}, qr/; -s 6g avoids that$/m, 'in a round size');
};

subtest 'a long test begins with what it will cost' => sub {
    my $told = sub { return (bonnie('-d', $dir, qw(-r0 --cache=keep), @_)->{err} =~ /\A(bonnie: \Q$dir\E: .*)\n/)[0] };
    my %cost = (
        '2 times the data: put_block and rewrite'  => [ '4.00 MiB; 8.00 MiB written in all; about 1 s', '-s4', '--tests=put_block,rewrite,get_block' ],
        'in all runs'                              => [ '4.00 MiB; 24.0 MiB written in all; about 1 s', qw(-s4 -x3), '--tests=put_block,rewrite,get_block' ],
        'data that is made for a test that reads'  => [ '4.00 MiB; 4.00 MiB written in all; about 1 s', qw(-s4 -n0 --tests=get_block) ],
        'random writes, as many as fit'            => [ '4.00 MiB; at least 4.00 MiB written in all; about 1 s', qw(-s4 --iops-duration=0.5), '--tests=put_block,iops' ],
        '--time'                                   => [ '4.00 MiB; written again and again; about 1 s', qw(-s4 -n0 --tests=put_block --time=0.6) ],
        'files alone'                              => [ '1024 files; about 1 s', qw(-s0 -n1) ],
    );
    for my $case (sort keys %cost) {
        my ($text, @how) = @{ $cost{$case} };
        is($told->(@how), "bonnie: $dir: $text", $case);
    }
    is($told->(qw(-s4 -n0 --tests=put_block -q)), undef, '-q: nothing');
};

subtest 'the default of the label is the host name' => sub {
    my ($host) = (POSIX::uname())[1] =~ /\A([^.]+)/;
    is(csv_of(bonnie('-d', $dir, qw(-r0 -s1 -n0 -q --tests=put_block)))->{name}, $host, 'up to its first dot');
};

is_deeply([ tree($dir) ], [], 'nothing is left in the directory');
done_testing();
