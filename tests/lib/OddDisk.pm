# SPDX-License-Identifier: GPL-2.0-or-later
# A disk like that of an old machine: its second third is slow, and its end cannot be read.
# nbdkit serves each part, nbdfuse shows it as a file, nbdkit's plugin split joins the parts, and
# a loop device uses the whole. Needs root and /dev/fuse.
package OddDisk;

use strict;
use warnings;
use File::Temp ();
use POSIX      ();
use BonnieRun  qw(have is_alive wait_until);
use RunProgram qw(slurp);

# OddDisk->new(third => MiB, slow => MiB per second, bad => MiB): the disk, or undef and why
# this system cannot have one.
sub new {
    my ($class, %size) = @_;
    return (undef, 'needs root')                     if $> != 0;
    return (undef, 'needs nbdkit, nbdfuse, losetup') if !have(qw(nbdkit nbdfuse losetup));
    return (undef, 'there is no /dev/fuse')          if !-w '/dev/fuse';
    my $top  = File::Temp->newdir('bonnie-test-XXXXXX', TMPDIR => 1);
    my $self = bless { top => $top, owner => $$, servers => [] }, $class;
    my $last = $size{third} - $size{bad};
    my $bits = $size{slow} << 23;
    my @parts = (
        $self->served('first', 'memory', "$size{third}M"),
        $self->served('slow', '--filter=rate', 'memory', "$size{third}M", "rate=$bits", 'burstiness=0.1'),
        $self->served('last', 'memory', "${last}M"),
        $self->served('bad', '--filter=error', 'memory', "$size{bad}M", 'error-pread=EIO', 'error-pread-rate=100%'),
    );
    return (undef, 'nbdfuse does not work here') if grep { !defined } @parts;
    my $whole = $self->served('whole', 'split', @parts) // return (undef, 'nbdkit has no plugin split here');
    chomp($self->{loop} = `losetup -f --show --read-only --direct-io=on $whole 2>/dev/null`);
    return (undef, 'there is no loop device with direct I/O') if $self->{loop} eq q{};
    return $self;
}

# A disk of so many MiB that one filter of nbdkit, with these arguments, is in front of; or undef and why
# this system cannot have one.
sub filtered {
    my ($class, $mib, $filter, @arguments) = @_;
    return (undef, 'needs root and nbdkit, nbdfuse, losetup') if $> != 0 || !have(qw(nbdkit nbdfuse losetup));
    return (undef, 'there is no /dev/fuse')                   if !-w '/dev/fuse';
    my $top  = File::Temp->newdir('bonnie-test-XXXXXX', TMPDIR => 1);
    my $self = bless { top => $top, owner => $$, servers => [] }, $class;
    my $file = $self->served('slow', '--pidfile', "$top/pid", "--filter=$filter", 'memory', "${mib}M", @arguments);
    return (undef, 'nbdfuse does not work here') if !defined $file;
    chomp($self->{loop} = `losetup -f --show --direct-io=on $file 2>/dev/null`);
    return $self->{loop} ne q{} ? $self : (undef, 'there is no loop device with direct I/O');
}

# Kills nbdkit, so that all transfers fail from now on.
sub vanish { my ($self) = @_; return kill KILL => 0 + slurp("$self->{top}/pid") }

# The path of a file that nbdkit serves with these arguments; undef: it cannot.
sub served {
    my ($self, $name, @nbdkit) = @_;
    my $dir = "$self->{top}/$name";
    mkdir $dir or die "$dir: $!\n";
    my $pid = fork // die "fork: $!\n";
    if ($pid == 0) {
        open STDERR, '>', "$self->{top}/$name.said" or die "$dir: $!\n";
        exec 'nbdfuse', $dir, '[', 'nbdkit', @nbdkit, ']' or POSIX::_exit(127);
    }
    push @{ $self->{servers} }, [ $pid, $dir ];
    wait_until("$dir/nbd, or the end of its server", sub { -f "$dir/nbd" || !is_alive($pid) });
    return -f "$dir/nbd" ? "$dir/nbd" : undef;
}

sub device { return $_[0]{loop} }

sub DESTROY {
    my ($self) = @_;
    return if $self->{owner} != $$;
    local ($?, $!);
    system "losetup -d $self->{loop} 2>/dev/null" if $self->{loop};
    for my $server (reverse @{ $self->{servers} }) {
        my ($pid, $dir) = @{$server};
        for my $try (1 .. 50) { # the kernel detaches the loop device only after a while
            last if system("fusermount3 -u $dir 2>/dev/null || umount $dir 2>/dev/null") == 0;
            select undef, undef, undef, .1;
        }
        kill TERM => $pid;
        waitpid $pid, 0;
    }
    return;
}

1;
