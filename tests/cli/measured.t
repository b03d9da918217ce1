#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# What was measured: the device's counters, the residency of the files, the time spent waiting for
# a CPU, and the verdict. The test runs alone, because other tests might drop the system's caches.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP ();
use Test::More;
use Root;
BEGIN { Root::private_mounts(drops => 1) }
use BonnieRun  qw($LIMIT @TESTS bonnie csv_of scratch scratch_on_disk takes_direct);
use IoLimit    qw(io_limit);
use POSIX      ();
use RunProgram qw(slurp);

my $disk = scratch_on_disk();

# The tests of the first run, by name.
sub tests_of {
    my ($dir, @options) = @_;
    my $run = bonnie('-d', "$dir", qw(-q --json -r0), @options);
    is($run->{status}, 0, "@options: exit status 0") or diag($run->{err});
    my $object = JSON::PP->new->decode($run->{out});
    return { map { $_->{name} => $_ } @{ $object->{runs}[0]{tests} } }, $object;
}

# Other programs may take the CPU from a run at any time, which the verdict then mentions.
my $WAITED = qr/(?:; no CPU free \d+ %)?/;

subtest 'in memory there is no device' => sub {
    my $dir = scratch();
    my ($tests, $object) = tests_of($dir, qw(-s16 -n1));
    plan skip_all => 'temporary directories are not in memory' if ($object->{storage}{filesystem} // q{}) ne 'tmpfs';
    for my $test (values %{$tests}) {
        is($test->{device}, undef, "$test->{name}: no device");
        my $memory = qr/page cache: tmpfs is memory and has no device$WAITED[.]/;
        my $loop   = qr/(?:cpu|others): (?:Computing|Waiting for a CPU|The test used|The host took) .*/;
        like("$test->{limited_by}: $test->{reason}", $test->{name} =~ /\A(?:putc|getc)\z/ ? qr/\A(?:$loop|$memory)\z/ : qr/\A$memory\z/, 'and a verdict that says so');
    }
    # On a host that takes the CPU away without saying so, neither computing nor waiting accounts
    # for the time.
    my @computed = grep { $tests->{$_}{cpu_percent} + ($tests->{$_}{waited_percent} // 0) > 95 } qw(putc getc);
    like($tests->{$_}{limited_by}, qr/\A(?:cpu|others)\z/, "$_ is a loop over characters: its speed is that of the CPU") for @computed;
    is_deeply([ @{ $object->{storage}{drives} } ], [ ], 'nor has it a model or a scheduler');
    like($object->{storage}{mount_options}, qr/\Ar[ow],/, 'but it has mount options');
};

subtest 'told under the table' => sub {
    my $dir = scratch();
    my $run = bonnie('-d', "$dir", qw(-s64 -n1 -r0 --min-time=0.05));
    my ($lines) = "$run->{out}$run->{err}" =~ /^What limited each test +device busy +computing +no CPU\n((?:  .*\n)+)/m;
    ok($lines, 'there are lines, and they are indented') or return;
    unlike($lines, qr/,/, 'without a comma: scripts take a line with one for CSV');
    my %csv   = %{ csv_of($run) };
    my @named = $lines =~ /^  $LIMIT +([a-z_]+)(?: +(?:\d+ %|-)){3}$/mg;
    is(join(q{ }, sort @named), join(q{ }, sort grep { $csv{$_} =~ /\d/ } @TESTS), 'each test that has a figure is named once');
    is((scalar grep { length > 80 } split /\n/, $lines), 0, 'no line is wider than a terminal');

    my $short = bonnie('-d', "$dir", qw(-s1 -n0 -f -r0 --min-time=0), '--tests=put_block,get_block');
    %csv = %{ csv_of($short) };
    my $figures = grep { $csv{$_} ne '+++++' } qw(put_block get_block); # even a slow machine must measure long enough
    is(scalar(() = "$short->{out}$short->{err}" =~ /^  $LIMIT +(?:put_block|get_block)\b/mg), $figures, 'none beside +++++');
};

# The kernel may reclaim memory at any moment, and the figure shows that; so the run is
# repeated.
my ($kept, $object);
for (1 .. 3) {
    ($kept, $object) = tests_of($disk, qw(-s16:64k -n0 -f --cache=keep), '--tests=put_block,get_block');
    last if ($kept->{get_block}{cache}{resident_percent_before} // 0) >= 99 && ($kept->{get_block}{limited_by} // q{}) eq 'page cache';
}
SKIP: {
    skip 'there is no block device below the temporary directory', 1 if !$object->{storage}{device};
    subtest 'what is in the cache is not taken for the device' => sub {
        my $read = $kept->{get_block};
        cmp_ok($read->{cache}{resident_percent_before}, '>=', 99, 'kept: it was in the cache');
        is($read->{limited_by}, 'page cache', 'the verdict names the page cache');
        like($read->{reason}, qr/\AThe device read (?:none|<1 %|\d\d? %) of the data$WAITED[.]\z/, 'with the figure');
        is($read->{cache}{system_dropped}, JSON::PP::false(), 'nothing was dropped');

        my $evicted;
        for (1 .. 3) { # others may drop the caches at any moment
            ($evicted) = tests_of($disk, qw(-s16:64k -n0 -f), '--tests=put_block,get_block');
            $read = $evicted->{get_block};
            last if $read->{cache}{resident_percent_before} <= 1 && $read->{cache}{resident_percent_after} >= 90;
        }
        cmp_ok($read->{cache}{resident_percent_before}, '<=', 1, 'evicted: at most one percent was in the cache');
        cmp_ok($read->{cache}{resident_percent_after}, '>=', 90, 'and then it was');
        cmp_ok($read->{device}{read_bytes}, '>=', $read->{bytes}, 'all of it came from the device');
        unlike($read->{limited_by}, qr/page cache/, 'so it is not the cache');
        ok($read->{limited_by} ne 'device' || $read->{device}{busy_percent} >= 50 || $read->{reason} =~ /^Control group/, 'nor a device that was idle');
        cmp_ok($evicted->{put_block}{device}{written_bytes}, '>=', 16 << 20, 'what was written reached it');
    };
}

SKIP: {
    skip 'this filesystem refuses O_DIRECT', 1 if !$object->{storage}{device} || !takes_direct($disk);
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

# Endless loops on one CPU. They end when the object is destroyed.
sub busy_loops {
    my ($count, $cpu) = @_;
    my @pids;
    for (1 .. $count) {
        my $pid = fork // die "fork: $!\n";
        if ($pid == 0) {
            alarm 600;
            exec 'taskset', '-c', $cpu, 'sh', '-c', 'while :; do :; done' or POSIX::_exit(127);
        }
        push @pids, $pid;
    }
    return bless \@pids, 'BusyLoops';
}

sub BusyLoops::DESTROY {
    my ($pids) = @_;
    local ($?, $!);
    kill KILL => @{$pids};
    waitpid $_, 0 for @{$pids};
    return;
}

my $can_tell = (slurp('/proc/thread-self/schedstat') // q{}) =~ /[1-9]/;
SKIP: {
    skip 'this kernel does not tell how long a thread waited for a CPU', 1 if !$can_tell;
    subtest 'a busy machine is not blamed on the device' => sub {
        my ($cpu) = slurp('/proc/self/status') =~ /^Cpus_allowed_list:\s*(\d+)/m;
        # A round with fewer files would fit into the few milliseconds of CPU that a thread gets
        # at once after sleeping.
        my $dir     = (Root::may_mount() ? Root::filesystem('ext4', 128) : undef) // $disk;
        my @options = ('-d', "$dir", qw(-q --json -r0 -s16:64k -f16 -n8 --cache=keep --min-time=0.3), '--tests=getc,seq_stat,ran_stat');
        for my $workers (1, 2) {
            my $loops = busy_loops(2, $cpu);
            my $run   = bonnie({ wrap => [ 'taskset', '-c', $cpu ] }, @options, "-c$workers");
            undef $loops;
            is($run->{status}, 0, "-c$workers: exit status 0") or diag($run->{err});
            my %tests = map { $_->{name} => $_ } @{ JSON::PP->new->decode($run->{out})->{runs}[0]{tests} };
            for my $name (qw(getc seq_stat ran_stat)) { # these tests need no device: everything is cached, and nothing is written
                cmp_ok($tests{$name}{waited_percent}, '>', 20, "-c$workers, $name: two loops on the same CPU are waited for");
                isnt($tests{$name}{limited_by}, 'device', 'and that is not the device');
                like($tests{$name}{reason}, qr/(?:Waiting for a CPU|no CPU free) \d+ %|used (?:6[7-9]|[7-9]\d|100) % of the time of 1 CPU/, 'the verdict gives the reason');
            }
            is($tests{getc}{limited_by}, $tests{getc}{reason} =~ /\AThe test used/ ? 'cpu' : 'others', "-c$workers, getc: others use the CPU");
        }
    };
}

# The kernel holds transfers back before they reach the device, so the device is idle.
SKIP: {
    my ($limit, $why) = io_limit("$disk", 20 << 20);
    skip $why, 2 if !$limit;
    skip 'this filesystem refuses O_DIRECT', 2 if !takes_direct($disk);
    subtest 'a device that a control group holds to a limit' => sub {
        my @names = qw(put_block get_block);
        my %tests;
        for my $mib (32, 128, 256) { # a pause of some tenths of a second counts less in a longer test
            my $run = bonnie({ wrap => [ $limit->wrap ] }, '-d', "$disk", qw(-q --json -r0 -n0 -f -D), "-s$mib:64k", '--tests=' . join q{,}, @names);
            is($run->{status}, 0, 'exit status 0') or diag($run->{err});
            %tests = map { $_->{name} => $_ } @{ JSON::PP->new->decode($run->{out})->{runs}[0]{tests} };
            last if !grep { $_->{waited_percent} < 50 && ($_->{limited_by} // q{}) ne 'limit' } @tests{@names};
        }
        for my $name (@names) {
            my $verb = $name eq 'put_block' ? 'writes' : 'reads';
            next if $tests{$name}{waited_percent} >= 50; # on a busy machine the CPU is the limit
            is($tests{$name}{limited_by}, 'limit', "$name: that is a limit");
            like($tests{$name}{reason}, qr{\AControl group: $verb of 20[.]0 MiB/s; \d+ % used[.]\z}, 'and the limit is named')
                or diag("$tests{$name}{bytes} bytes in $tests{$name}{elapsed_seconds} s");
        }
    };
    my $group = $limit->{group};
    undef $limit;
    ok(!-e $group, 'the control group is gone');
}

done_testing();
