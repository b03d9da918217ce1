#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# -c: four workers, or four seekers, work at the same time in every test.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use List::Util qw(max min);
use Test::More;
use BonnieRun  qw(@ALL_TESTS bonnie csv_of scratch tree);
use Trace      qw(can_trace phases trace);

my $dir = scratch();

my $csv = csv_of(bonnie('-d', $dir, qw(-r0 -s8 -n1 -c4 -q --cache=keep)));
is($csv->{concurrency}, 4, 'the number of workers is told');
chomp(my $cpus = `nproc`);
is(csv_of(bonnie('-d', $dir, qw(-r0 -s99 -n0 -cauto -q --tests=put_block)))->{concurrency}, $cpus, 'auto: one per CPU');

my $data = qr/\d+<\Q$dir\E[^>]+>(?:\(deleted\))?, /;
my $name = qr/\d+<\Q$dir\E[^>]*>, "(?:d\d{5}\/)?\w{10,}"/;
my %work = (
    putc      => qr/\Awrite $data/,
    put_block => qr/\Apwrite64 $data/,
    rewrite   => qr/\Ap(?:read|write)64 $data/,
    getc      => qr/\Aread $data/,
    get_block => qr/\Apread64 $data/,
    seeks     => qr/\Ap(?:read|write)64 $data/,
    iops      => qr/\Ap(?:read|write)64 $data/,
    (map { ("${_}_create" => qr/\Aopenat $name, .*O_CREAT/) } qw(seq ran)),
    (map { ("${_}_stat"   => qr/\Anewfstatat $name/) } qw(seq ran)),
    (map { ("${_}_del"    => qr/\Aunlinkat $name/) } qw(seq ran)),
);

# The calls of these tests. strace delays each by $delay microseconds, so that all workers have begun before
# one of them finishes.
sub slowed {
    my ($delay, @tests) = @_;
    my ($run, @calls) = trace({}, [ '-y', '-e', 'trace=read,write,pread64,pwrite64,openat,newfstatat,unlinkat,fork,clone',
            map { ('-e', "inject=$_:delay_enter=$delay") } qw(pread64 pwrite64 openat newfstatat unlinkat read write) ],
        '-d', $dir, qw(-r0 -s4:32k:400:4 -f1 -n1:0:0:4 -c4 --iops-duration=1), '--tests=' . join q{,}, @tests);
    is($run->{status}, 0, 'under strace: exit status 0');
    return phases(@calls);
}

# How many are at work in a test, and whether all of them had begun before one of them ended.
sub at_work {
    my ($test, $phases) = @_;
    my %span;
    for my $call (grep { "$_->{name} $_->{args}" =~ $work{$test} } @{ $phases->{$test} // [] }) {
        push @{ $span{ $call->{pid} } }, $call->{order};
    }
    return (0, 0) if !%span;
    return (scalar(keys %span), max(map { $_->[0] } values %span) < min(map { $_->[-1] } values %span));
}

SKIP: {
    skip 'strace cannot trace here', 27 if !can_trace();
    my $phases = slowed(1000, @ALL_TESTS);
    for my $test (@ALL_TESTS) {
        my ($count, $overlap) = at_work($test, $phases);
        # On a busy machine a worker may begin so late that only slower calls show it.
        my $before = $test =~ /\A(seq|ran)_/ ? "$1_create" : 'put_block';
        for my $delay (10_000, 100_000) {
            last if $count == 4 && $overlap;
            ($count, $overlap) = at_work($test, slowed($delay, $before, $test));
        }
        is($count, 4, "$test: four are at work");
        ok($overlap, "$test: all of them had begun before one of them ended");
    }
}

is_deeply([ tree($dir) ], [], 'nothing is left in the directory');
done_testing();
