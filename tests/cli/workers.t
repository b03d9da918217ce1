#!/usr/bin/perl
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

my $slow = 'delay_enter=1000';
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

SKIP: {
    skip 'strace cannot trace here', 27 if !can_trace();
    # The calls are slow, so that all workers have begun before one of them finishes.
    my ($run, @calls) = trace({}, [ '-y', '-e', 'trace=read,write,pread64,pwrite64,openat,newfstatat,unlinkat,fork,clone',
            map { ('-e', "inject=$_:$slow") } qw(pread64 pwrite64 openat newfstatat unlinkat read write) ],
        '-d', $dir, qw(-r0 -s4:32k:400:4 -f1 -n1:0:0:4 -c4 --iops-duration=1), '--tests=' . join q{,}, @ALL_TESTS);
    is($run->{status}, 0, 'under strace: exit status 0');
    my $phases = phases(@calls);
    for my $test (@ALL_TESTS) {
        my %span;
        for my $call (grep { "$_->{name} $_->{args}" =~ $work{$test} } @{ $phases->{$test} // [] }) {
            push @{ $span{ $call->{pid} } }, $call->{order};
        }
        is(scalar(keys %span), 4, "$test: four are at work") or next;
        my $all_begun   = max(map { $_->[0] } values %span);
        my $first_ended = min(map { $_->[-1] } values %span);
        cmp_ok($all_begun, '<', $first_ended, "$test: all of them had begun before one of them ended");
    }
}

is_deeply([ tree($dir) ], [], 'nothing is left in the directory');
done_testing();
