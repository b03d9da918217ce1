#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Others who use the device beside a test are seen, and said in every output alike; what a filesystem
# writes more than it was asked to (journal, metadata) is not taken for theirs.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP ();
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use BonnieRun  qw(bonnie);
use FailingDisk ();
use IoLimit    qw(io_limit);
use LoadRun    qw(bonload loaded);
use RunProgram qw(slurp);

plan skip_all => 'needs root and its mounts' if !Root::may_mount();

# Other programs may take the CPU at any time, which hides what was on the device: so all here go before them, if that is allowed.
my $TRIES = 10;
system 'chrt -f -p 10 $PPID 2>/dev/null';

sub tests_of {
    my ($run) = @_;
    is($run->{status}, 0, 'exit status 0') or diag($run->{err});
    return map { @{ $_->{tests} } } @{ JSON::PP->new->decode($run->{out})->{runs} };
}

# Reads the device, or writes a file, until the object is destroyed.
sub beside {
    my ($command, @operands) = @_;
    my $pid = fork // die "fork: $!\n";
    if ($pid == 0) {
        alarm 600;
        open STDERR, '>', '/dev/null' or die "cannot open /dev/null: $!\n";
        setpgrp 0, 0;
        exec 'sh', '-c', "while :; do $command & wait; done", 'sh', @operands or die "exec: $!\n";
    }
    setpgrp $pid, 0;
    return bless { pid => $pid }, 'Beside';
}

sub Beside::DESTROY {
    my ($beside) = @_;
    local ($?, $!);
    kill KILL => -$beside->{pid};
    waitpid $beside->{pid}, 0;
    return;
}

subtest 'reads beside a test' => sub {
    my $disk = Root::filesystem_on_disk([qw(--direct-io=on)], 'ext4', 640) or plan skip_all => 'this system makes or mounts no ext4';
    my @options = ('-d', "$disk", qw(-D -r0 -n0 -f -s64:64k), '--tests=put_block,get_block');
    my ($device) = map { (split)[0] } grep { (split)[1] eq "$disk" } split /\n/, slurp('/proc/self/mounts');
    my $reader = beside('dd if="$1" of=/dev/null bs=4M iflag=direct', $device);
    my @seen;
    for (1 .. $TRIES) {
        @seen = tests_of(bonnie(@options, qw(-q --json)));
        last if !grep { $_->{limited_by} ne 'others' || $_->{reason} !~ /\AOthers moved/ } @seen;
    }
    for my $test (@seen) {
        is($test->{limited_by}, 'others', "$test->{name}: limited by others");
        like($test->{reason}, qr/\AOthers moved \d+ % of the device's bytes[.]\z/, 'with how much');
        cmp_ok($test->{others_device_percent}, '>=', 10, 'which is a key of its own');
        is($test->{queue_asked}, 1, 'one in flight was asked for');
        cmp_ok($test->{queue_seen}, '>', 0, 'and the device had some');
    }
    my $text;
    for (1 .. $TRIES) {
        my $run = bonnie(@options);
        $text = "$run->{out}$run->{err}";
        last if $text =~ /Others moved/;
    }
    like($text, qr/^  others +put_block.*\n(?: .*\n)*? +.*Others moved \d+(?:-\d+)? % of the device's bytes[.]/m, 'in words');
    my $short;
    for (1 .. $TRIES) {
        $short = bonnie(qw(--time=1 --iops-duration=0.3 --min-time=0.1), "$disk");
        last if $short->{out} =~ /^(?:Write|Read).* others$/m;
    }
    like($short->{out}, qr/^(?:Write|Read).* others$/m, 'in a short look') or diag($short->{err});
    like($short->{out}, qr/^others: other programs had the CPUs or the device meanwhile[.]/m, 'which explains the word');
    my $load;
    for (1 .. $TRIES) {
        $load = loaded('-wps=50', '-duration=1s', '-direct', "-url=$disk/f-XXX", '-body-size=4096');
        last if $load->{writes}{limited_by} eq 'others';
    }
    is($load->{writes}{limited_by}, 'others', 'bonload says the same');
    cmp_ok($load->{machine}{others_device_percent}, '>=', 10, 'by the same key');
};

# A direct test, until others are what limited it.
sub beside_others {
    my ($disk, @options) = @_;
    my $test;
    for (1 .. $TRIES) {
        ($test) = tests_of(bonnie('-d', "$disk", qw(-q --json -D -r0 -n0 -f), @options));
        last if $test->{limited_by} eq 'others' && $test->{reason} =~ /\AOthers moved/;
    }
    return $test;
}

# A direct write is written once, so that as much of others is theirs.
subtest 'writes beside direct writes' => sub {
    my $disk = Root::filesystem_on_disk([qw(--direct-io=on)], 'ext4', 640) or plan skip_all => 'this system makes or mounts no ext4';
    my $writer = beside('dd if=/dev/zero of="$1/beside" bs=64k count=800 oflag=direct conv=notrunc', "$disk");
    my $test = beside_others($disk, qw(-s64:64k --tests=put_block --time=1));
    is($test->{limited_by}, 'others', 'limited by others');
    like($test->{reason}, qr/\AOthers moved \d+ % of the device's bytes[.]\z/, 'with how much');
};

# Small writes that are synced move few bytes, but more than the reads and writes of single blocks do. The reads are slow here, so that this holds
# however busy the machine is.
subtest 'syncs beside single blocks' => sub {
    my ($slow, $why) = FailingDisk->new(200, qw(--filter=delay rdelay=20ms));
    plan skip_all => $why if !$slow;
    my $disk  = $slow->dir;
    my $syncs = beside(q{for file in 1 2 3 4; do "$2" -e 'use IO::Handle; open my $f, ">", $ARGV[0] or die; while () { sysseek $f, 0, 0; syswrite $f, "x" x 16384; $f->sync }' "$1/synced$file" & done; wait}, $disk, $^X);
    my $test  = beside_others($disk, qw(-s64 --tests=iops --iops-duration=0.6));
    like($test->{reason}, qr/\AOthers moved \d+ % of the device's bytes[.]\z/, 'only what writes may make a filesystem write more');
};

# The limits of a group hold a load back as they hold a test back.
subtest 'a load in a control group' => sub {
    my $disk = Root::filesystem_on_disk([qw(--direct-io=on)], 'ext4', 400) or plan skip_all => 'this system makes or mounts no ext4';
    my ($group, $why) = io_limit("$disk", 100, 'iops');
    plan skip_all => $why if !$group;
    for my $option (qw(-direct -fsync)) {
        my $load;
        for (1 .. $TRIES) {
            my $run = bonload({ wrap => [ $group->wrap ] }, qw(--json -wt=2 -rt=0 -duration=1s -body-size=16KiB), $option, "-url=$disk/f-NN");
            $load = JSON::PP->new->decode($run->{out});
            last if $load->{writes}{limited_by} eq 'limit';
        }
        is($load->{writes}{limited_by}, 'limit', "bonload $option");
        like($load->{writes}{reason}, qr{\AControl group: 100 writes/s; \d+ % used[.]\z}, 'which is named');
    }
};

# Nobody else uses these devices.
my @KINDS = (
    [ 'ext4',                     'ext4' ],
    [ 'ext4 without a journal',   'ext4 -O ^has_journal' ],
    [ 'ext4 with data=journal',   'ext4', 'data=journal' ],
    [ 'xfs',                      'xfs' ],
    [ 'btrfs',                    'btrfs' ],
);
for my $kind (@KINDS) {
    my ($name, $type, @mount) = @{$kind};
    subtest "what $name writes for itself" => sub {
        my $disk = Root::filesystem($type, 400, @mount) or plan skip_all => "this system makes or mounts no $type";
        my @runs = (
            [ qw(-s16:4k -n0 -f -b), '--tests=put_block,rewrite' ],
            [ qw(-s16:4k -n0 -f -D), '--tests=put_block,get_block' ],
            [qw(-s16:4k -n0 -f -b --tests=iops --iops-writes=100 --iops-duration=0.3)],
            [ qw(-s0 -n1 --min-time=0), '--tests=seq_create,seq_stat,seq_del,ran_create,ran_del' ],
            [ qw(-s0 -n1 -b --min-time=0), '--tests=seq_create,seq_del' ],
        );
        for my $options (@runs) {
            for my $test (tests_of(bonnie('-d', "$disk", qw(-q --json -r0), @{$options}))) {
                cmp_ok($test->{others_device_percent}, '<', 10, "$test->{name} @{$options}: is not that of others");
            }
        }
    };
}

done_testing();
