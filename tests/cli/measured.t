#!/usr/bin/perl
# What was measured: the device's counters, the residency of the files, the verdict; long enough, with
# caches dropped meanwhile if that was asked for.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP ();
use Test::More;
use BonnieRun qw(@ALL_TESTS bonnie scratch scratch_on_disk table_of takes_direct tree);
use Root      ();
use Trace     qw(can_trace trace);

my $disk = scratch_on_disk();

# The tests of the first run, by name.
sub tests_of {
    my ($dir, @options) = @_;
    my $run = bonnie('-d', "$dir", qw(-q --json -r0), @options);
    is($run->{status}, 0, "@options: exit status 0") or diag($run->{err});
    my $object = JSON::PP->new->decode($run->{out});
    return { map { $_->{name} => $_ } @{ $object->{runs}[0]{tests} } }, $object;
}

subtest 'in memory there is no device' => sub {
    my $dir = scratch();
    my ($tests, $object) = tests_of($dir, qw(-s1 -n1));
    plan skip_all => 'temporary directories are not in memory' if ($object->{host}{filesystem} // q{}) ne 'tmpfs';
    for my $test (values %{$tests}) {
        is($test->{device}, undef, "$test->{name}: no device");
        is("$test->{limited_by}: $test->{verdict}", 'page cache: No device is below tmpfs: this is the speed of memory.', 'and a verdict that says so');
    }
    my $run = bonnie('-d', "$dir", qw(-s1 -n1 -r0));
    like($run->{out}, qr/\nWhat was measured\n(?:  \w+ +page cache  No device is below tmpfs: this is the speed of memory[.]\n){12}1[.]98,/, 'told under the table');
};

my ($kept, $object) = tests_of($disk, qw(-s16:64k -n0 -f --cache=keep), '--tests=put_block,get_block');
SKIP: {
    skip 'there is no block device below the temporary directory', 1 if !$object->{host}{device};
    subtest 'what is in the cache is not taken for the device' => sub {
        my $read = $kept->{get_block};
        cmp_ok($read->{cache}{resident_percent_before}, '>=', 99, 'kept: it was in the cache');
        is($read->{limited_by}, 'page cache', 'which is said');
        like($read->{verdict}, qr/\AOnly \d+ % of what was read came from the device[.]\z/, 'with the figure');
        is($read->{cache}{system_dropped}, JSON::PP::false(), 'nothing was dropped');

        my ($evicted) = tests_of($disk, qw(-s16:64k -n0 -f), '--tests=put_block,get_block');
        $read = $evicted->{get_block};
        cmp_ok($read->{cache}{resident_percent_before}, '<=', 1, 'evicted: at most one percent was in the cache');
        cmp_ok($read->{cache}{resident_percent_after}, '>=', 90, 'and then it was');
        cmp_ok($read->{device}{read_bytes}, '>=', $read->{bytes}, 'all of it came from the device');
        like($read->{limited_by}, qr/\A(?:device|cpu)\z/, 'which is waited for, or the CPU is');
        cmp_ok($evicted->{put_block}{device}{written_bytes}, '>=', 16 << 20, 'what was written reached it');
    };
}

SKIP: {
    skip 'this filesystem refuses O_DIRECT', 1 if !$object->{host}{device} || !takes_direct($disk);
    subtest 'direct transfers are the device\'s, to the byte' => sub {
        my ($direct) = tests_of($disk, qw(-s16:64k -n0 -f -D), '--tests=put_block,get_block,rewrite');
        for my $name (qw(get_block rewrite)) {
            cmp_ok($direct->{$name}{device}{read_bytes}, '>=', $direct->{$name}{bytes}, "$name: read");
        }
        for my $name (qw(put_block rewrite)) {
            cmp_ok($direct->{$name}{device}{written_bytes}, '>=', $direct->{$name}{bytes}, "$name: written");
        }
    };
}

subtest 'long enough' => sub {
    my $dir  = scratch();
    my $rest = join q{,}, grep {/^(?:seq|ran)_|^seeks/} @ALL_TESTS;
    for my $kind ('1', '1:100:10:3', '1:-1', '1:-2') {
        my ($tests) = tests_of($dir, '-s1', "-n$kind", '-c2', '--min-time=0.1', "--tests=$rest");
        for my $name (split /,/, $rest) {
            my $test = $tests->{$name};
            cmp_ok($test->{elapsed_seconds}, '>=', 0.1, "-n $kind, $name: it went on");
            is($test->{ops} % ($name eq 'seeks' ? 8192 : 1024), 0, 'for whole rounds');
        }
        is_deeply([ tree($dir) ], [], 'and left nothing');
    }
    my ($once) = tests_of($dir, qw(-s1 -n1 --min-time=0), "--tests=$rest");
    is($once->{$_}{ops}, $_ eq 'seeks' ? 8192 : 1024, "--min-time=0, $_: one round") for split /,/, $rest;
    my $whole = bonnie('-d', "$dir", qw(-s64 -n1 -r0 -q --min-time=0.5));
    unlike("$whole->{out}$whole->{err}", qr/\+{3}/, 'no figure is missing');
};

SKIP: {
    skip 'needs root and strace: dropping caches meanwhile', 1 if !Root::is_root() || !can_trace() || !-w '/proc/sys/vm/drop_caches';
    subtest '--drop-interval' => sub {
        my @options = ('-d', "$disk", qw(-s1 -n0 -f -r0 -q --tests=iops --iops-duration=1));
        my $drops   = sub {
            my ($run, @calls) = trace({}, [qw(-e trace=write)], @options, @_);
            is($run->{status}, 0, "@_: exit status 0");
            return scalar grep { $_->{args} =~ /\A\d+, "3", 1\z/ } @calls;
        };
        my $before = $drops->('--drop-interval', '0');
        cmp_ok($before, '>=', 1, '0: before the test');
        cmp_ok($drops->('--drop-interval=0.1'), '>', $before, 'and again while it reads');
    };
}

done_testing();
