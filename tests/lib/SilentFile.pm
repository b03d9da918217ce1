# SPDX-License-Identifier: GPL-2.0-or-later
# A file whose server takes every request and answers none: whoever opens the file waits, and
# cannot even be killed. Only for tests with mounts of their own. The file is released with the
# object.
package SilentFile;

use strict;
use warnings;
use Fcntl qw(F_SETFD O_RDWR);
use POSIX ();

# The requests and answers of FUSE (linux/fuse.h).
my $INIT = 26;
my $READ = 1 << 20;

# Answers the first request, because the kernel sends no others before. The connection ends with
# this process.
sub serve {
    my ($fuse) = @_;
    while (sysread $fuse, my $request, $READ) {
        my (undef, $what, $unique) = unpack 'L L Q', $request;
        syswrite $fuse, pack 'L l Q L L x56', 80, 0, $unique, 7, 31 if $what == $INIT;
    }
    return;
}

# mounted($path): puts such a file there. Returns undef if this system has no FUSE.
sub mounted {
    my ($class, $path) = @_;
    sysopen my $fuse, '/dev/fuse', O_RDWR or return;
    fcntl $fuse, F_SETFD, 0 or return;
    my $options = 'rootmode=100644,user_id=0,group_id=0,fd=' . fileno $fuse;
    return if system("mount -i -t fuse -o '$options' bonnie-test '$path' 2>/dev/null") != 0;
    my $server = fork // die "fork: $!\n";
    if ($server == 0) {
        serve($fuse);
        POSIX::_exit(0);
    }
    return bless { path => $path, server => $server }, $class;
}

sub DESTROY {
    my ($self) = @_;
    local ($?, $!);
    kill KILL => $self->{server};
    waitpid $self->{server}, 0;
    system 'umount', '-l', $self->{path};
    return;
}

1;
