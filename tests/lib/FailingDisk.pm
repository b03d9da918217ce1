# SPDX-License-Identifier: GPL-2.0-or-later
# A disk that fails on demand: memory that nbdkit serves and nbdfuse shows as a file, with a loop
# device and a filesystem on it. Needs root, /dev/fuse, and mounts of its own (Root.pm).
package FailingDisk;

use strict;
use warnings;
use File::Temp ();
use POSIX      ();
use BonnieRun  qw(have is_alive wait_until);
use Root       ();
use RunProgram qw(slurp);

# FailingDisk->new(MiB): a slow disk (5 ms for each transfer) with ext4; undef and the reason when
# this system cannot have one. With further arguments of nbdkit, a disk of that speed, which does not
# fail.
sub new {
    my ($class, $mib, @speed) = @_;
    return (undef, 'needs root and mounts of its own')         if !Root::may_mount();
    return (undef, 'needs nbdkit, nbdfuse, losetup, mkfs.ext4') if !have(qw(nbdkit nbdfuse losetup mkfs.ext4));
    return (undef, 'there is no /dev/fuse')                    if !-w '/dev/fuse';
    my $top  = File::Temp->newdir('bonnie-test-XXXXXX', TMPDIR => 1);
    my $self = bless { top => $top, owner => $$ }, $class;
    mkdir "$top/$_" or die "$top/$_: $!\n" for qw(fuse disk);
    my @errors = map { ("error-p$_-rate=100%", "error-p$_-file=$top/$_") } qw(read write);
    $self->{server} = fork // die "fork: $!\n";
    if ($self->{server} == 0) {
        open STDERR, '>', "$top/said" or die "$top/said: $!\n";
        @speed = (qw(--filter=error --filter=delay error=EIO rdelay=5ms wdelay=5ms), @errors) if !@speed;
        exec 'nbdfuse', "$top/fuse", '[', 'nbdkit', (grep {/^--/} @speed), 'memory', "${mib}M", (grep { !/^--/ } @speed), ']' or POSIX::_exit(127);
    }
    wait_until('the file of nbdfuse, or its end', sub { -f "$top/fuse/nbd" || !is_alive($self->{server}) });
    return (undef, 'nbdfuse does not work here') if !-f "$top/fuse/nbd";
    chomp($self->{loop} = `losetup -f --show --direct-io=on $top/fuse/nbd 2>/dev/null`);
    return (undef, 'there is no loop device with direct I/O') if $self->{loop} eq q{};
    system("mkfs.ext4 -q -F -O ^has_journal $self->{loop} && mount $self->{loop} $top/disk") == 0
        or return (undef, 'ext4 cannot be made or mounted here');
    chmod oct(777), "$top/disk";
    return $self;
}

sub dir { return "$_[0]{top}/disk" }

# From now on every read (or write) of the disk fails with an input/output
# error.
sub fail {
    my ($self, $what) = @_;
    open my $file, '>', "$self->{top}/$what" or die "$self->{top}/$what: $!\n";
    return;
}

# Makes the disk work again. If the filesystem has noticed an error, checks and repairs it, as an
# administrator would before using it again.
sub mend {
    my ($self) = @_;
    unlink "$self->{top}/read", "$self->{top}/write";
    my ($name) = $self->{loop} =~ m{([^/]+)\z};
    return if !(slurp("/sys/fs/ext4/$name/errors_count") // 0);
    return if !$self->unmount;
    system "e2fsck -fy $self->{loop} >/dev/null 2>&1; mount $self->{loop} $self->{top}/disk";
    return;
}

# Waits until it is unmounted: a killed process may still be closing a file.
sub unmount {
    my ($self) = @_;
    for my $try (1 .. 50) {
        return 1 if system("umount $self->{top}/disk 2>/dev/null") == 0;
        select undef, undef, undef, .1;
    }
    return 0;
}

sub DESTROY {
    my ($self) = @_;
    return if $self->{owner} != $$ || !$self->{server};
    local ($?, $!);
    unlink "$self->{top}/read", "$self->{top}/write";
    $self->unmount;
    system "losetup -d $self->{loop} 2>/dev/null" if $self->{loop};
    system "fusermount3 -u $self->{top}/fuse 2>/dev/null || umount $self->{top}/fuse 2>/dev/null";
    kill TERM => $self->{server};
    waitpid $self->{server}, 0;
    return;
}

1;
