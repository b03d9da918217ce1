# SPDX-License-Identifier: GPL-2.0-or-later
# What only root can do for a test: mounts and semaphores of its own, filesystems, other users.
# Everything is removed when the test ends, however it ends.
package Root;

use strict;
use warnings;
use Exporter 'import';
use Fcntl      qw(F_SETFD);
use File::Spec ();
use File::Temp ();
use POSIX      ();
use Test::More ();
use BonnieRun  qw(have);

our @EXPORT_OK = qw(filesystem filesystem_on_disk foreign fuse fuse_over is_root make_users may_mount overlay private_mounts ramfs squashfs tmpfs);

sub is_root { return $> == 0 }

# True when this test may mount and unmount freely: it is root, with mounts of its own.
sub may_mount { return is_root() && ($ENV{BONNIE_TEST_MOUNTS} // q{}) eq 'private' }

# Starts this test program again, with mounts and semaphores of its own, if it may have them.
# Call this before anything else. Does nothing for users other than root. Writing to drop_caches then
# drops nothing, except with drops => 1, for tests of dropping itself.
sub private_mounts {
    my (%how) = @_;
    if (may_mount()) {
        spare_caches() if !$how{drops};
        return;
    }
    return if !is_root() || $ENV{BONNIE_TEST_MOUNTS};
    my @apart = qw(unshare --mount --ipc --propagation private --);
    local $ENV{BONNIE_TEST_MOUNTS} = 'private';
    return if system("@apart true 2>/dev/null") != 0;
    exec @apart, $^X, (map {"-I$_"} @INC), $0, @ARGV or die "unshare: $!\n";
}

# From now on writing to drop_caches drops nothing: it would drop all caches of the system, with the
# programs that other tests are about to start.
my $NOTHING;

sub spare_caches {
    return if $NOTHING;
    $NOTHING = File::Temp->new('bonnie-test-XXXXXX', TMPDIR => 1);
    system "mount --bind '$NOTHING' /proc/sys/vm/drop_caches 2>/dev/null";
    return;
}

sub command {
    my (@words) = @_;
    my $log = File::Temp->new;
    my $pid = fork // die "fork: $!\n";
    if ($pid == 0) {
        open STDOUT, '>', "$log" or die "$log: $!\n";
        open STDERR, '>&', \*STDOUT or die "stderr: $!\n";
        exec { $words[0] } @words or die "$words[0]: $!\n";
    }
    waitpid $pid, 0;
    return if $? == 0;
    local $/ = undef;
    die "@words: ", readline $log;
}

# Mounts a tmpfs with these options on a new directory, and returns that.
sub tmpfs {
    my ($options) = @_;
    my $dir = BonnieRun::scratch_on_disk();
    command('mount', '-t', 'tmpfs', '-o', "mode=0777,$options", 'bonnie-test', "$dir");
    return Mounted->new($dir);
}

# A ramfs, which has no size limit.
sub ramfs {
    my $dir = BonnieRun::scratch_on_disk();
    command(qw(mount -t ramfs bonnie-test), "$dir");
    return Mounted->new($dir);
}

# An overlay with these options over two directories of a filesystem, which is a tmpfs unless it is given.
sub overlay {
    my ($below, @options) = @_;
    return if !knows('overlay');
    $below //= tmpfs('size=64m');
    mkdir "$below/$_" for qw(lower upper work);
    chmod oct(777), "$below/upper";
    my $dir = BonnieRun::scratch_on_disk();
    command(qw(mount -t overlay -o), join(q{,}, "lowerdir=$below/lower,upperdir=$below/upper,workdir=$below/work", @options), 'bonnie-test', "$dir");
    return Mounted->new($dir, $below);
}

# A directory seen through a FUSE filesystem, with these options of bindfs; undef: this system
# has none. As most FUSE filesystems do, it keeps the name of a file that is removed while open,
# until a moment after the file is closed.
sub fuse { return fuse_over(BonnieRun::scratch(oct 755), @_) }

sub fuse_over {
    my ($below, @options) = @_;
    return if !have('bindfs') || !-w '/dev/fuse';
    my $dir   = BonnieRun::scratch_on_disk();
    command('bindfs', @options, "$below", "$dir");
    return Mounted->new($dir, $below);
}

# A directory whose names appear when they are looked up, as automounted homes do: an autofs of the
# kernel, for which a child of this process calls $appear->($path) to fill each new directory.
sub automount {
    my ($appear) = @_;
    return if !knows('autofs');
    my $dir = BonnieRun::scratch_on_disk(oct 755);
    pipe my $in, my $out or die "pipe: $!\n";
    pipe my $is_ready, my $ready or die "pipe: $!\n";
    pipe my $parent, my $alive or die "pipe: $!\n";
    my $pid = fork // die "fork: $!\n";
    if ($pid == 0) {
        setpgrp 0, 0;
        fcntl $out, F_SETFD, 0;
        my $options = 'fd=' . fileno($out) . ",pgrp=$$,minproto=5,maxproto=5,indirect";
        POSIX::_exit(1) if system('mount', '-t', 'autofs', '-o', $options, 'bonnie-test', "$dir") != 0;
        close $_ for $out, $ready, $alive, *STDOUT, *STDERR;
        my ($wanted, $end) = map { vec(my $bits = q{}, fileno $_, 1) = 1; $bits } $in, $parent;
        while (1) {
            select my $got = $wanted | $end, undef, undef, undef;
            last if ($got & $end) !~ /\A\0*\z/ || !sysread $in, my $packet, 4096;
            my ($token, $name) = (unpack 'l2 L2 Q L5 Z*', $packet)[ 2, 10 ]; # autofs_v5_packet of linux/auto_fs.h
            mkdir "$dir/$name" and $appear->("$dir/$name");
            open my $top, '<', "$dir" or POSIX::_exit(1);
            ioctl $top, 0x9360, $token + 0; # AUTOFS_IOC_READY
        }
        POSIX::_exit(0);
    }
    close $_ for $out, $ready, $parent;
    readline $is_ready;
    return Mounted->new($dir, $alive, qw(-R -l)); # a look at a name mounts it again
}

# A file as a block device, with these options of losetup.
sub loop {
    my ($image, @options) = @_;
    chomp(my $device = `losetup -f --show @options "$image"`);
    return $device;
}

# FUSE filesystems, each mounted by its own program, which only these users may access: one that
# keeps no owners and modes and has no links (exFAT), one of Windows (NTFS), and one that cannot
# open a file again when its name is gone (gocryptfs). Returns the new directory on which it is
# mounted; undef: this system lacks the program.
sub foreign {
    my ($type) = @_;
    my %needs = (exfat => [qw(mkfs.exfat mount.exfat-fuse losetup)], ntfs => [qw(mkntfs ntfs-3g)], gocryptfs => [qw(gocryptfs)]);
    return if !have(@{ $needs{$type} }) || !-w '/dev/fuse';
    my ($below, $dir) = (BonnieRun::scratch(), BonnieRun::scratch_on_disk());
    my $image = File::Temp->new('bonnie-test-XXXXXX', DIR => BonnieRun::in_memory() // File::Spec->tmpdir);
    truncate $image, 64 << 20 or die "$image: $!\n";
    if ($type eq 'exfat') {
        command('mkfs.exfat', "$image");
        my $device = loop("$image");
        command(qw(mount.exfat-fuse -o umask=077), $device, "$dir");
        system 'losetup', '-d', $device; # it is detached when it is unmounted
    }
    elsif ($type eq 'ntfs') {
        command(qw(mkntfs -q -F), "$image");
        command(qw(ntfs-3g -o permissions), "$image", "$dir");
    }
    else {
        command('sh', '-c',
            'echo word >"$0.word" && gocryptfs -q -init -passfile "$0.word" "$0" && gocryptfs -q -passfile "$0.word" "$0" "$1"; rc=$?; rm -f "$0.word"; exit $rc', "$below", "$dir");
    }
    return Mounted->new($dir, [ $image, $below ]);
}

# A read-only filesystem.
sub squashfs {
    return if !have('mksquashfs') || !knows('squashfs');
    my ($below, $dir) = map { BonnieRun::scratch_on_disk() } 1 .. 2;
    my $image = File::Temp->new('bonnie-test-XXXXXX', TMPDIR => 1);
    command('mksquashfs', "$below", "$image", qw(-noappend -quiet -no-progress));
    command(qw(mount -t squashfs -o loop), "$image", "$dir");
    return Mounted->new($dir, $image);
}

my %MAKE = (
    ext2  => [qw(mkfs.ext2 -q -F)],
    ext4  => [qw(mkfs.ext4 -q -F)],
    xfs   => [qw(mkfs.xfs -q -f)],
    btrfs => [qw(mkfs.btrfs -q -f)],
);

# Makes a filesystem of that many MiB on a loop device, and mounts it on a new directory.
# Returns the directory; undef: this system cannot make or mount it. Options of mkfs may stand behind the type.
sub filesystem {
    my ($type, $mib, @options) = @_;
    return filesystem_in(BonnieRun::in_memory() // File::Spec->tmpdir, [], $type, $mib, @options);
}

# The same with the loop device's file on disk; with the option --direct-io=on of losetup, no page
# cache is below it.
sub filesystem_on_disk { return filesystem_in(File::Spec->tmpdir, @_) }

sub filesystem_in {
    my ($below, $losetup, $type, $mib, @options) = @_;
    ($type, my @features) = split q{ }, $type;
    my $make = $MAKE{$type} // die "$type: not a filesystem that is made here\n";
    return if !have($make->[0]) || !knows($type);
    my $image = File::Temp->new('bonnie-test-XXXXXX', DIR => $below);
    truncate $image, $mib << 20 or die "$image: $!\n";
    my $dir = BonnieRun::scratch_on_disk();
    command(@{$make}, @features, "$image");
    my $device = loop("$image", @{$losetup});
    command('mount', '-t', $type, (@options ? ('-o', join q{,}, @options) : ()), $device, "$dir");
    system 'losetup', '-d', $device; # it is detached when it is unmounted
    chmod oct(777), "$dir" or die "$dir: $!\n";
    return Mounted->new($dir, $image);
}

sub knows {
    my ($type) = @_;
    open my $known, '<', '/proc/filesystems' or return 0;
    return 1 if grep {/^(?:nodev)?\s*\Q$type\E$/} readline $known;
    return have('modprobe') && system("modprobe $type 2>/dev/null") == 0;
}

# Adds users in this mount namespace only: make_users(NAME => UID, ...).
my $PASSWD;

sub make_users {
    my (%uid) = @_;
    $PASSWD = File::Temp->newdir('bonnie-test-XXXXXX', TMPDIR => 1);
    for my $file (qw(passwd group)) {
        open my $in,  '<', "/etc/$file"     or die "/etc/$file: $!\n";
        open my $out, '>', "$PASSWD/$file" or die "$PASSWD/$file: $!\n";
        print {$out} readline $in;
        for my $name (sort keys %uid) {
            my $rest = $file eq 'passwd' ? "$uid{$name}:$uid{$name}::/:/bin/false" : "$uid{$name}:";
            print {$out} "$name:x:$rest\n" if !getpwnam $name;
        }
        close $out or die "$PASSWD/$file: $!\n";
        chmod oct(644), "$PASSWD/$file";
        command('mount', '--bind', "$PASSWD/$file", "/etc/$file");
    }
    chmod oct(755), "$PASSWD";
    return;
}

# A mounted directory. As a string it is its path. It is unmounted when the object is released
# or the test ends, and keeps until then what it is made of.
package Mounted;

use overload q{""} => sub { return "$_[0]{dir}" }, fallback => 1;

my (%MOUNTED, @IN_ORDER, %HOW);

sub new {
    my ($class, $dir, $below, @how) = @_;
    $MOUNTED{"$dir"} = $$;
    $HOW{"$dir"} = \@how;
    push @IN_ORDER, "$dir";
    return bless { dir => $dir, below => $below }, $class;
}

sub unmount {
    my ($dir) = @_;
    local ($?, $!);
    system 'umount', @{ $HOW{$dir} }, $dir if ($MOUNTED{$dir} // 0) == $$;
    delete $MOUNTED{$dir};
    return;
}

sub DESTROY {
    my ($self) = @_;
    unmount("$self->{dir}") if $self->{dir};
    return;
}

END {
    unmount($_) for grep { $MOUNTED{$_} } reverse @IN_ORDER;
}

1;
