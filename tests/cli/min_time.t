#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# How long bonnie measures: --min-time, in whole rounds, and how often a preset drops caches meanwhile. What it prints where
# the kernel does not tell how long a thread waited.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP ();
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use BonnieRun qw(@ALL_TESTS bonnie scratch scratch_on_disk tree);
use Trace     qw(also_older can_trace trace);

my $disk = scratch_on_disk();

# The tests of a run by name, from its JSON, and its text in one line, which is on standard error then.
sub tests_of {
    my ($dir, @options) = @_;
    my $run = bonnie('-d', "$dir", '-q', '--format=text,json', '-r0', @options);
    is($run->{status}, 0, "@options: exit status 0") or diag($run->{err});
    return ({ map { $_->{name} => $_ } @{ JSON::PP->new->decode($run->{out})->{runs}[0]{tests} } }, $run->{err} =~ s/\s+/ /gr);
}

subtest 'long enough' => sub {
    my $dir  = scratch();
    my $rest = join q{,}, grep {/^(?:seq|ran)_|^seeks/} @ALL_TESTS;
    my ($long, $short);
    for my $seconds (0.1, 1, 10) {
        ($long, $short) = (0, 0);
        for my $kind ('1', '1:100:10:3', '1:-1', '1:-2') {
            my ($tests, $text) = tests_of($dir, '-s1', "-n$kind", '-c2', "--min-time=$seconds", "--tests=$rest");
            for my $name (split /,/, $rest) {
                my $test = $tests->{$name};
                if ($name =~ /_del/) { # these may end with fewer files: see preparing.t
                    cmp_ok($test->{ops}, '>=', 1024, "-n $kind, $name: a whole round at least");
                    next;
                }
                # A busy machine may take too long to prepare further rounds, which the report says.
                my $went_on = $test->{elapsed_seconds} >= $seconds;
                $went_on ? $long++ : $short++;
                ok($went_on || $text =~ /\b$name\b[\w, ]*: measured for only/, "-n $kind, $name: it went on, or the report says why not");
                is($test->{ops} % ($name eq 'seeks' ? 8192 : 1024), 0, 'for whole rounds');
            }
            is_deeply([ tree($dir) ], [], 'and left nothing');
        }
        last if $short < $long / 4; # otherwise once more with more time for the preparations
    }
    cmp_ok($short, '<', $long / 4, 'most went on');
    my ($once) = tests_of($dir, qw(-s1 -n1 --min-time=0), "--tests=$rest");
    is($once->{$_}{ops}, $_ eq 'seeks' ? 8192 : 1024, "--min-time=0, $_: one round") for split /,/, $rest;
    my $whole;
    for my $seconds (0.5, 5, 30) {
        my $run = bonnie('-d', "$dir", qw(-s1 -n1 -r0 -q), "--min-time=$seconds", "--tests=$rest");
        $whole = "$run->{out}$run->{err}";
        last if $whole !~ /\+{3}/;
    }
    unlike($whole, qr/\+{3}/, 'no figure is missing');
};

SKIP: {
    skip 'strace cannot trace here', 1 if !can_trace();
    subtest 'a kernel that does not tell how long a thread waited' => sub {
        my $run = bonnie({ wrap => [qw(strace -f -qq -o /dev/null -P /proc/thread-self/schedstat -e), also_older('inject=openat:error=ENOENT'), '--'] },
            '-d', "$disk", qw(-q --json -r0 -s1 -n1 -c2));
        is($run->{status}, 0, 'exit status 0') or diag($run->{err});
        my @tests = @{ JSON::PP->new->decode($run->{out})->{runs}[0]{tests} };
        is(scalar @tests, 12, 'all tests ran');
        is_deeply([ grep { defined $_->{waited_percent} } @tests ], [], 'and none says how long, not even 0');
    };
}

SKIP: {
    skip 'needs root and strace: dropping caches meanwhile', 1 if !Root::is_root() || !can_trace() || !-w '/proc/sys/vm/drop_caches';
    subtest 'preset gobonniego drops caches every 3 s' => sub {
        my $drops = sub {
            my ($run, @calls) = trace({}, [qw(-e trace=pwrite64)], '-d', "$disk", qw(--preset=gobonniego -s1m -r0 -q --tests=iops), @_);
            is($run->{status}, 0, "@_: exit status 0") or diag($run->{err});
            return scalar grep { $_->{args} =~ /\A\d+, "3", 1, 0\z/ } @calls;
        };
        my $before = $drops->('--iops-duration=1');
        cmp_ok($before, '>=', 1, 'before the test');
        my $all = 0;
        for my $seconds (4, 20) {
            $all = $drops->("--iops-duration=$seconds");
            last if $all > $before;
        }
        cmp_ok($all, '>', $before, 'and again while it reads');
    };
}

done_testing();
