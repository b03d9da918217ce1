#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# `bonnie /dev/X`: a device that is only read stays as it is, byte by byte; one that is written is nobody
# else's; and what a device cannot have is refused. The devices are loops of both sizes of blocks.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Digest::SHA ();
use Fcntl qw(O_EXCL O_RDONLY);
use JSON::PP ();
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep);
use Root;
BEGIN { Root::private_mounts() }
use BonnieRun  qw($LIMIT bonnie engines finish have is_alive refused_ok scratch scratch_on_disk start wait_until);
use JsonReport qw(report_ok);
use OddDisk ();
use RunProgram qw(slurp spew);
use SweepSize  qw(sized tries);

plan skip_all => 'needs root and mounts of its own' if !Root::may_mount();
plan skip_all => 'needs losetup and mkfs.ext4' if !have(qw(losetup mkfs.ext4)) || !-e '/dev/loop-control';

my $MIB   = 1 << 20;
my $dir   = scratch();
my $disk  = scratch_on_disk();
my @SHORT = qw(--iops-duration=0.2);
my @BLOCK = qw(put_block rewrite get_block seeks iops);

my @loops;
END { local ($?, $!); system "losetup -d $_ 2>/dev/null" for @loops }

# A loop device on a new file of so many bytes; undef: this system has none.
sub device {
    my ($name, $bytes, @options) = @_;
    my $data = join q{}, map { pack 'L*', map { int rand 2**32 } 1 .. 1024 } 1 .. 16;
    spew("$disk/$name", substr $data x ($bytes < 4 * $MIB ? $bytes / length($data) + 1 : 64), 0, $bytes < 4 * $MIB ? $bytes : 4 * $MIB);
    truncate "$disk/$name", $bytes or return;
    chomp(my $loop = qx(losetup -f --show --direct-io=on @options '$disk/$name' 2>/dev/null));
    push @loops, $loop if $loop;
    return $loop || undef;
}

sub sum_of { my ($name) = @_; return Digest::SHA->new(256)->addfile("$disk/$name")->hexdigest }

my %on = (small => device('small', 64 * $MIB), large => device('large', 64 * $MIB, '-b4096'));
plan skip_all => 'losetup does not work here' if !$on{small};
system 'udevadm settle --timeout=60 2>/dev/null' if have('udevadm');

# ---- a device that is read ------------------------------------------------------------------------

my $FIGURE = qr/ +\d[\d.]{0,3}(?: (?:[KMGT]?i?B|k|M))?/;
my $ROW    = qr/$FIGURE(?: +(?:\S+ [mun]?s|-)){0,2} +$LIMIT\n| +too quick\n/;
my $queues = grep {/io_uring|libaio/} engines(); # a build may have neither
my ($EIGHT, $MANY) = $queues ? (qr/(?:8 in flight|one by one)/, $ROW) : ('one by one', ": neither libaio nor io_uring works here\n");

for my $name (grep { $on{$_} } sort keys %on) {
    my $loop = $on{$name};
    my $sum  = sum_of($name);
    my $run  = bonnie(@SHORT, $loop);
    is($run->{status}, 0, "$name: exit status 0") or diag($run->{err});
    like($run->{out}, qr/\A$loop: (?:[^\n]+, )?64[.]0 MiB; not mounted; \d+ CPU/, 'what it is');
    like($run->{out}, qr/^Read     1 MiB, $EIGHT${ROW}Read     4 KiB, one by one${ROW}Read     4 KiB, 32 in flight$MANY\n/m, 'the rows that read, and no others');
    like($run->{out}, qr/^\d+ s[.] Nothing was written, so what was read could not be\s+checked.*^Writing, too, which destroys what is there:  bonnie --write --yes $loop\n\z/ms, 'what was not done');
    unlike($run->{out}, qr/^.{81}/m, 'in 80 columns');
    my $json = report_ok(bonnie(@SHORT, '--json', '-s4', '--offset=8', $loop)->{out});
    is_deeply([ @{ $json->{settings} }{qw(write offset_bytes size_bytes)} ], [ JSON::PP::false(), 8 * $MIB, 4 * $MIB ], 'its settings');
    is(ref $json->{storage}{facts}, 'ARRAY', 'and what stands in its way');
    $run = bonnie('-q', '--tests=get_block,seeks,iops', qw(-x2 --iops-duration=0.2 -c2), $loop);
    is($run->{status}, 0, 'the tests that read: exit status 0') or diag($run->{err});
    is(scalar(() = $run->{out} =~ /^1[.]98,/mg), 2, 'twice');
    $run = bonnie(@SHORT, '--tests=seeks,iops', $loop);
    like($run->{out} . $run->{err}, qr/^  seeks iops: only read; the device is not written to[.]$/m, 'which says that seeks and iops only read');
    is(sum_of($name), $sum, 'not a byte of it has changed');
}

subtest 'half of them killed, at any moment' => sub {
    my $sum = sum_of('small');
    my @looks = (['--time=0.5'], [ '--time=0.5', '--json' ], [ '--tests=get_block,seeks,iops', '-x2', '--iops-duration=0.1' ]);
    for my $try (1 .. sized(4, 20, 100)) {
        my $run = start('-q', @{ $looks[$try / 2 % @looks] }, $on{small});
        sleep rand .5;
        kill KILL => -$run->{pid} if $try % 2;
        my $status = finish($run)->{status};
        is($status, 0, "try $try: exit status 0") if !($try % 2);
    }
    is(sum_of('small'), $sum, 'not a byte has changed');
};

# ---- a device that is written ---------------------------------------------------------------------

for my $name (grep { $on{$_} } sort keys %on) {
    my ($loop, $sum) = ($on{$name}, sum_of($name));
    refused_ok(bonnie('--write', $loop), qr/--write would destroy the contents of $loop \(.+\); --yes confirms that/, "$name: without --yes");
    is(sum_of($name), $sum, 'nothing was written');
    my $run = bonnie(@SHORT, qw(--write --yes), $loop);
    is($run->{status}, 0, 'exit status 0') or diag($run->{err});
    like($run->{err}, qr/^bonnie: $loop: what is there is destroyed: /, 'a line names what is lost');
    like($run->{out}, qr/^Write    1 MiB.*^Read     1 MiB.*^Write    4 KiB, 32 in flight.*^Durable  8 KiB[^\n]+\n\n/ms, 'all rows but those with files');
    $run = bonnie('-q', qw(--write --yes -c3 --offset=5 -s33 --verify=full --iops-duration=0.2), '--tests=' . join(q{,}, @BLOCK), $loop);
    is($run->{status}, 0, 'the long tests: what is read is what was written') or diag($run->{err});
    my $first = slurp("$disk/$name");
    $run = bonnie('-q', qw(--write --yes -c3 --offset=5 -s33 --tests=put_block), $loop);
    system 'sync', "$disk/$name";
    my $second = slurp("$disk/$name");
    ok(substr($first, 0, 5 * $MIB) eq substr($second, 0, 5 * $MIB) && substr($first, 38 * $MIB) eq substr($second, 38 * $MIB), 'nothing outside of --offset and -s is written');
    isnt(substr($first, $_ * $MIB, 4096), substr($second, $_ * $MIB, 4096), "at $_ MiB all is new") for 5, 20, 37;
}

subtest 'until it is steady' => sub {
    my $run = bonnie(qw(--write --yes --tests=iops --steady-state --round-time=1 --max-rounds=5 -s 8 --json), $on{small});
    is($run->{status}, 0, 'exit status 0') or diag($run->{err});
    like($run->{out}, qr/"precondition": 2,/, 'written twice before');
    like($run->{err}, qr/^Preconditioning[.]{3}/m, 'which is told');
    refused_ok(bonnie(qw(--tests=iops --steady-state --precondition=1), $on{small}), qr/--precondition writes; a device needs --write --yes/, 'a device that is only read');
};

# ---- what is refused ------------------------------------------------------------------------------

my $loop = $on{small};
refused_ok(bonnie("--tests=$_", $loop), qr/--tests: $_ writes; a device needs --write --yes for that/, $_) for qw(put_block rewrite);
refused_ok(bonnie("--tests=$_", qw(--write --yes), $loop), qr/--tests: $_ needs a directory; a device has/, $_) for qw(putc seq_create);
refused_ok(bonnie('--iops-writes=10', '--tests=iops', $loop), qr/--iops-writes: a device needs --write/, '--iops-writes');
refused_ok(bonnie($_, $dir), qr/${\ (split '=', $_)[0]}: \Q$dir\E is not a block device/, "$_ of a directory") for qw(--write --yes --offset=1);
refused_ok(bonnie('--offset=64', $loop), qr/--offset: $loop has only 67108864 bytes/, 'an offset at the end');
refused_ok(bonnie('-s65', $loop),        qr/--size.*: $loop has only 67108864 bytes/, 'a size beyond the end');
refused_ok(bonnie('--offset=1025b', $loop), qr/--offset/, 'an offset that is no multiple of a block');
refused_ok(bonnie(qw(-q -u nobody), $loop), qr/$loop: Permission denied/, 'a user who may not read it') if getpwnam 'nobody';

subtest 'what others use' => sub {
    system("mkfs.ext4 -q -F -L 'my data' $loop") == 0 or return;
    my $sum = sum_of('small');
    like(bonnie('--write', $loop)->{err}, qr/\((?:ext4 my data|no signature is known)\)/, 'its filesystem is named');
    mkdir "$dir/mnt";
    is(system("mount -o ro $loop $dir/mnt"), 0, 'mounted') or return;
    refused_ok(bonnie(qw(--write --yes), $loop), qr/--write: $loop is mounted on \Q$dir\E.mnt: Device or resource busy/, 'mounted');
    like(bonnie(@SHORT, $loop)->{out}, qr/\A$loop: [^;]+; mounted\s+on\s+\Q$dir\E/, 'but it can be read');
    system "umount $dir/mnt";
    sysopen my $held, $loop, O_RDONLY | O_EXCL or die "$loop: $!\n";
    refused_ok(bonnie(qw(--write --yes), $loop), qr/--write: $loop is in use: /, 'held');
    close $held;
    chomp(my $above = qx(losetup -f --show $loop));
    refused_ok(bonnie(qw(--write --yes), $loop), qr/--write: $above uses $loop: Device or resource busy/, 'below a loop device');
    system 'losetup', '-d', $above;
    is(sum_of('small'), $sum, 'nothing was written');
    if (have('addpart') && system("addpart $loop 1 2048 8192 2>/dev/null") == 0) {
        wait_until('the partition', sub { -b "${loop}p1" || !-e "/sys/block/@{[ $loop =~ s{.*/}{}r ]}" });
        like(bonnie(@SHORT, "${loop}p1")->{out}, qr/\A${loop}p1: (?:[^\n]+, )?4[.]00 MiB; not mounted/, 'a partition is a device');
        chomp($above = qx(losetup -f --show ${loop}p1));
        refused_ok(bonnie(qw(--write --yes), $loop), qr/--write: $above uses \w+p1 on $loop:/, 'the disk of a partition below a loop device');
        system "losetup -d $above; sleep .2; delpart $loop 1";
    }
    system "mkswap $loop >/dev/null 2>&1";
    if (system("swapon $loop 2>/dev/null") == 0) {
        refused_ok(bonnie(qw(--write --yes), $loop), qr/--write: $loop is used as swap/, 'swap');
        system "swapoff $loop";
    }
};

# ---- odd devices ----------------------------------------------------------------------------------

subtest 'odd devices' => sub {
    my $tiny = device('tiny', 100 * 1024);
    refused_ok(bonnie($tiny), qr/--size: 102400 bytes are less than one chunk of 1048576 bytes/, '100 KiB are too little for a short look');
    is(bonnie('-q', '--tests=get_block,iops', '--iops-duration=0.1', $tiny)->{status}, 0, 'but not for a test');
    my $odd = device('odd', 5 * $MIB + 512 * 3);
    is(bonnie('-q', @SHORT, $odd)->{status}, 0, 'a size that is no multiple of anything');
    my $fixed = device('fixed', 8 * $MIB, '--read-only');
    is(bonnie('-q', @SHORT, $fixed)->{status}, 0, 'one that cannot be written is read');
    refused_ok(bonnie(qw(--write --yes), $fixed), qr/--write: $fixed: Read-only file system/, 'and not written');
SKIP: {
        my $vast = device('vast', 3 * 2**40) or skip 'no file of 3 TiB here', 2;
        my $run = bonnie(@SHORT, $vast);
        is($run->{status}, 0, '3 TiB') or diag($run->{err});
        like($run->{out}, qr/\A$vast: (?:[^\n]+, )?3[.]00 TiB; not mounted/, 'of that size');
    }
    chomp(my $free = qx(losetup -f));
    refused_ok(bonnie($free), qr/\Q$free\E has no medium/, 'no medium') if -b $free;
    refused_ok(bonnie('/dev/null'), qr{/dev/null: Not a directory}, 'a character device');
    refused_ok(bonnie(qw(--write --yes /dev/null)), qr{--write: /dev/null is not a block device}, 'which is not written to, either');
    system 'mknod', "$dir/none", 'b', 259, 0xfff0;
    refused_ok(bonnie("$dir/none"), qr/\Q$dir\E.none: no driver has this device/, 'no driver') if -b "$dir/none";
SKIP: {
        my $wide = $on{large} or skip 'no blocks of 4096 bytes here', 2;
        refused_ok(bonnie('--tests=get_block', '-s8:512b', $wide), qr/--size: direct I\/O on $wide needs chunks that are a multiple of 4096 bytes, which 512 is not/, 'chunks of less than a block');
        refused_ok(bonnie('--tests=iops', '-s8', '--iops-block=512', $wide), qr/--iops-block: direct I\/O on $wide needs a multiple of 4096 bytes, which 512 is not/, 'operations, too');
    }
};

# Begins a run, and waits until its test moves data on the device: more transfers than the look before it.
sub start_on {
    my ($device, @args) = @_;
    my $moved  = sub { my @fields = split q{ }, slurp('/sys/block' . $device =~ s{\A/dev}{}r . '/stat'); return $fields[0] + $fields[4] };
    my $before = $moved->();
    my $run    = start(qw(-q), @args, $device);
    wait_until('its transfers', sub { $moved->() > $before + 100 || !is_alive($run->{pid}) });
    return $run;
}

# What changes while it is used: another size, no writes any more, no room in the file below it.
subtest 'a device that changes' => sub {
    my $device = device('changes', 64 * $MIB) // return;
    my $run = start_on($device, qw(--tests=iops --iops-duration=1.5 -s48));
    truncate "$disk/changes", 8 * $MIB;
    is(system("losetup -c $device"), 0, 'it shrinks');
    my $done = finish($run);
    is($done->{status}, 1, 'exit status 1');
    my @offsets = $done->{err} =~ m{^bonnie: iops: $device at (\d+): unreadable: Input/output error$}mg;
    cmp_ok(scalar @offsets, '>', 0, 'places are told');
    is_deeply([ grep { $_ < 8 * $MIB } @offsets ], [], 'which are no longer there');
    truncate "$disk/changes", 32 * $MIB;
    system "losetup -c $device";
    $run = start_on($device, qw(--tests=get_block --time=1));
    truncate "$disk/changes", 64 * $MIB;
    system "losetup -c $device";
    is(finish($run)->{status}, 0, 'one that grows: no matter');
    if (have('blockdev')) {
        $run = start_on($device, qw(--write --yes --tests=iops --iops-writes=100 --iops-duration=60 -s32));
        system 'blockdev', '--setro', $device;
        $done = finish($run);
        is($done->{status}, 1, 'one that can no longer be written: exit status 1');
        like($done->{err}, qr/^bonnie: write $device at \d+: Operation not permitted$/m, 'a line says so');
        system 'blockdev', '--setrw', $device;
    }
    mkdir "$dir/small";
    is(system("mount -t tmpfs -o size=16m none $dir/small"), 0, 'a small filesystem') or return;
    spew("$dir/small/file", q{});
    truncate "$dir/small/file", 64 * $MIB;
    chomp(my $thin = qx(losetup -f --show $dir/small/file));
    $done = bonnie(qw(-q --write --yes --tests=put_block -s48), $thin);
    is($done->{status}, 1, 'one without room: exit status 1');
    like($done->{err}, qr/^bonnie: write $thin at \d+: No space left on device$/m, 'a line says so');
    system "losetup -d $thin; umount -l $dir/small";
};

# The last MiB of 24 cannot be read.
subtest 'bad blocks' => sub {
    my ($odd, $why) = OddDisk->new(third => 8, slow => 64, bad => 1);
    plan skip_all => $why if !$odd;
    my $bad = $odd->device;
    for my $test (qw(get_block seeks iops)) {
        my $run;
        for (1 .. 10) { # on a busy machine iops may read too little
            $run = bonnie('-q', "--tests=$test", qw(--iops-duration=0.5 --json), '-s24:64k:200', $bad);
            last if $run->{status} ne '0';
        }
        is($run->{status}, 1, "$test: exit status 1");
        my @offsets = $run->{err} =~ m{^bonnie: $test: $bad at (\d+): unreadable: Input/output error$}mg;
        cmp_ok(scalar @offsets, '>', 0, 'places are told');
        is_deeply([ grep { $_ < 23 * $MIB || $_ >= 24 * $MIB } @offsets ], [], 'which are there');
        like($run->{err}, qr/^bonnie: \d+ reads of $bad failed\n\z/m, 'and how many');
        my ($damage) = @{ JSON::PP->new->decode($run->{out})->{runs}[0]{tests} };
        is($damage->{damage}[0]{kind}, 'unreadable', 'JSON has them') or diag($run->{out});
        is($damage->{bytes} % 4096, 0, 'what could be read is measured');
        cmp_ok($damage->{bytes}, $test eq 'get_block' ? '==' : '>', $test eq 'get_block' ? 23 * $MIB : 0, 'and nothing else') if $test eq 'get_block';
    }
    refused_ok(bonnie('-q', '--tests=get_block', '--offset=23', $bad), qr/no read of $bad succeeded: Input\/output error/, 'where nothing can be read');
};

# Everything can be written and nothing be read: so is what is read to see whether O_DIRECT is direct.
subtest 'reads that fail' => sub {
    my ($disk, $why) = OddDisk->filtered(64, qw(error error-pread=EIO error-pread-rate=100%));
    plan skip_all => $why if !$disk;
    my @how = (qw(-q --write --yes -s48:64k --json), $disk->device);
    my $run = bonnie('--tests=put_block', @how);
    is($run->{status}, 0, 'what only writes is measured') or diag($run->{err});
    $run = bonnie('--tests=rewrite', @how);
    is($run->{status}, 1, 'what reads is not');
    like($run->{err}, qr/^bonnie: read ${\ $disk->device} at \d+: Input\/output error\n\z/m, 'and a line says where and why');
};

# The kernel counts trims; those of a filesystem mounted without `discard` are somebody else's.
subtest 'trims of others' => sub {
    plan skip_all => 'there is no fstrim' if !have('fstrim');
    my $filesystem = device('trimmed', 64 * $MIB) // return;
    is(system("mkfs.ext4 -q -F -E nodiscard $filesystem && mount $filesystem $dir/mnt"), 0, 'a filesystem') or return;
    my @run = (qw(-q --json --tests=seeks -s8 -r0 --min-time=1 -d), "$dir/mnt");
    my $name  = $filesystem =~ s{.*/}{}r; # others may trim the disk below it
    my $facts = sub { return join "\n", grep {/^$name: .* trims/} map { $_->{text} } @{ JSON::PP->new->decode($_[0]{out})->{storage}{facts} } };
    is($facts->(bonnie(@run)), q{}, 'nobody trims');
    my $run = start(@run);
    sleep .5;
    my $trims = system("fstrim $dir/mnt 2>/dev/null") == 0;
    like($facts->(finish($run)), $trims ? qr/\A$name: \d+ trims by others meanwhile\z/ : qr/\A\z/, 'somebody trims');
    system "umount $dir/mnt";
};

# Whatever serves it is killed while it is used: the system's reason, and no figure of what was not measured.
subtest 'a device that vanishes' => sub {
    my %tests = (get_block => [], seeks => [], iops => [], 'iops,written' => [qw(--write --yes)], put_block => [qw(--write --yes)], 'put_block,rewrite' => [qw(--write --yes)]);
    for my $name (sort keys %tests) {
        my ($disk, $why) = OddDisk->filtered(64, qw(delay rdelay=2ms wdelay=2ms));
        plan skip_all => $why if !$disk;
        my $tests = $name =~ s/,written//r;
        my ($mib, $field) = $name =~ /rewrite/ ? (49, 6) : $name =~ /put|written/ ? (1, 6) : (2, 2);
        my $stat  = '/sys/block/' . $disk->device =~ s{.*/}{}r . '/stat';
        my $moved = sub { return (split q{ }, slurp($stat))[$field] / 2048 };
        my $until = $mib + $moved->(); # a loop device counts on
        my $run = start('-q', @{ $tests{$name} }, "--tests=$tests", qw(--iops-duration=60 -s48:64k:1000000 --json), $name eq 'get_block' ? '--time=4' : (), $disk->device);
        wait_until("what $name moves", sub { $moved->() >= $until || !is_alive($run->{pid}) });
        $disk->vanish;
        my $done = finish($run);
        is($done->{status}, 1, "$name: exit status 1");
        like($done->{err}, qr/^bonnie: (?:\w+: )?(?:read |write )?${\ $disk->device} at \d+: .*(?:Input\/output error|Invalid argument)$/m, 'a line says where and why');
        my @tests = length $done->{out} ? @{ JSON::PP->new->decode($done->{out})->{runs}[0]{tests} } : ();
        ok(!@tests || grep({ $_->{damaged} } @tests), 'no figure, or one that says how much could not be read');
    }
};

# ---- attacks --------------------------------------------------------------------------------------

# Starts a process that does the work again and again, until the object is gone.
sub attacker {
    my ($work) = @_;
    my $pid = fork // die "fork: $!\n";
    return $pid if $pid;
    setpgrp 0, 0;
    open STDERR, '>', '/dev/null';
    $work->() while getppid > 1;
    POSIX::_exit(0);
}

subtest 'a name that is exchanged' => sub {
    my $other = device('other', 64 * $MIB);
    my @kinds = map { [ $_, (stat)[6] ] } $loop, $other;
    for my $i (0, 1) {
        system('mknod', "$dir/node$i", 'b', $kinds[$i][1] >> 8 & 0xfff, $kinds[$i][1] & 0xff) == 0 or return;
    }
    system "mkfs.ext4 -q -F -L victim $other && mount -o ro $other $dir/mnt";
    my $sum = sum_of('other');
    my $swapping = attacker(sub { link "$dir/node0", "$dir/n"; rename "$dir/n", "$dir/name"; link "$dir/node1", "$dir/n"; rename "$dir/n", "$dir/name" });
    wait_until('the name', sub { -b "$dir/name" });
    my %count;
    for my $try (1 .. tries(15)) {
        my $run = bonnie('-q', qw(--write --yes --tests=put_block -s1), "$dir/name");
        $count{ $run->{status} }++;
        fail("try $try: $run->{err}") if $run->{status} != 0 && $run->{err} !~ /is mounted on/;
    }
    kill KILL => -$swapping;
    waitpid $swapping, 0;
    is(sum_of('other'), $sum, 'what is mounted was never written to');
    note explain \%count;
    system "umount $dir/mnt";
};

subtest 'a mount that comes meanwhile' => sub {
    my %count;
    for my $try (1 .. tries(10)) {
        system "mkfs.ext4 -q -F $loop";
        my $sum = sum_of('small');
        my $wait = rand .15;
        my $mounting = attacker(sub { sleep $wait; $wait = 0; POSIX::_exit(0) if system("mount -o ro,noload $loop $dir/mnt 2>/dev/null") == 0; });
        my $run = bonnie('-q', qw(--write --yes --tests=put_block -s1), $loop);
        if ($run->{status} != 0) {
            like($run->{err}, qr/is mounted|in use/, "try $try: refused");
            is(sum_of('small'), $sum, 'and nothing was written');
        }
        else {
            unlike(slurp('/proc/self/mountinfo'), qr/ \Q$dir\E.mnt /, "try $try: nobody mounted it meanwhile");
        }
        $count{ $run->{status} }++;
        kill KILL => -$mounting;
        waitpid $mounting, 0;
        system "umount $dir/mnt 2>/dev/null";
    }
    note explain \%count;
};

done_testing();
