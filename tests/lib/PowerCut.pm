# SPDX-License-Identifier: GPL-2.0-or-later
# A machine whose power can be cut, made of a filesystem: nbdkit plays a drive, nbdfuse shows it as
# a file, and a loop device on that has the filesystem. The cut is the end of nbdkit, and loses
# everything that the drive has not stored. Needs root, /dev/fuse, and processes and mounts of its
# own (alone()), so that nothing of it is left, however a test ends.
package PowerCut;

use strict;
use warnings;
use Cwd        qw(abs_path);
use File::Temp ();
use POSIX      ();
use BonnieRun  qw(have);
use RunProgram qw(slurp);

my %MAKE = (
    ext4  => [qw(mkfs.ext4 -q -F -E), 'nodiscard,lazy_itable_init=0,lazy_journal_init=0'],
    xfs   => [qw(mkfs.xfs -q -f -K)],
    btrfs => [qw(mkfs.btrfs -q -f -K)],
);

my $PLUGIN = $ENV{BONNIE_DRIVE} // './tests/cut/drive.so';

# nbdfuse has mounts of its own, and shares with the test only the one that it makes. If it also
# had the filesystem, and were the last process of a killed test, the kernel would unmount the
# filesystem when nbdfuse ends, and wait for nbdfuse to store its data: for ever, and so would
# everybody who drops caches.
my @WITHOUT_THE_MOUNT = qw(unshare --mount --propagation unchanged);

# nbdkit's arguments for each kind of drive, and the signal that cuts its power. The tests' own
# plugin (tests/cut/drive.c) loses a random part of what was not flushed, and may lie. nbdkit's
# cache filter above it loses all of that, or ignores flushes.
my %DRIVE = (
    random => { arguments => \&plugin, signal => 'USR1' },
    strict => { arguments => sub { return cache_filter('writeback', @_) }, signal => 'KILL' },
    unsafe => { arguments => sub { return cache_filter('unsafe', @_) }, signal => 'KILL' },
);

sub plugin {
    my ($self) = @_;
    return (abs_path($PLUGIN), "file=$self->{top}/image", 'seed=' . $self->{seed}++,
        "sector=$self->{sector}", "flush-us=$self->{flush_us}", "lie=$self->{lie}", @{ $self->{speed} // [] });
}

sub cache_filter {
    my ($mode, $self) = @_;
    return ('--filter=cache', plugin($self), "cache=$mode", 'cache-min-block-size=4096');
}

# Starts this test program again, with processes, mounts, memory for files and semaphores of its
# own. When it ends, the kernel ends and unmounts everything that it has started. Call this before
# anything else.
sub alone {
    return system 'mount -t tmpfs -o mode=1777 bonnie-test /dev/shm' if is_alone();
    return if $> != 0 || $ENV{BONNIE_TEST_MOUNTS};
    my @apart = qw(unshare --mount --ipc --pid --fork --kill-child --mount-proc --propagation private --);
    return if system("@apart true 2>/dev/null") != 0;
    local $ENV{BONNIE_TEST_MOUNTS} = 'private';
    exec @apart, $^X, (map {"-I$_"} @INC), $0, @ARGV or die "unshare: $!\n";
}

sub is_alone { return $$ == 1 && ($ENV{BONNIE_TEST_MOUNTS} // q{}) eq 'private' }

# Why this system cannot have such a machine; undef: it can.
sub lacking {
    return 'needs root, and processes and mounts of its own' if !is_alone();
    return 'needs nbdkit, nbdfuse, losetup' if !have(qw(nbdkit nbdfuse losetup));
    return 'there is no /dev/fuse'          if !-w '/dev/fuse';
    return "there is no $PLUGIN: needs nbdkit-plugin-dev" if !-e $PLUGIN;
    return;
}

# PowerCut->new(fs => TYPE, drive => 'strict'|'unsafe'|'random', and if need be sector => BYTES of the
# loop device (4096), lie => WORD of the plugin's, flush_us => its MICROSECONDS for a flush, speed => [ its 'fast=BYTES', ... ], mount => OPTIONS, mib => SIZE, seed => NUMBER): the
# machine is on. Undef when this system has no such filesystem.
sub new {
    my $self = image(@_) // return;
    $self->on or die slurp("$self->{top}/said");
    return $self;
}

# Does the same, but leaves the machine off. Its drive has an empty filesystem.
sub image {
    my ($class, %how) = @_;
    my $top  = File::Temp->newdir('bonnie-test-XXXXXX', DIR => BonnieRun::in_memory() // File::Spec->tmpdir);
    my $self = bless { fs => 'ext4', drive => 'random', sector => 4096, lie => 'none',
        flush_us => 4000, mount => 'defaults', mib => 512, seed => 1, %how, kept => $top, top => "$top" }, $class;
    return if !have($MAKE{ $self->{fs} }[0]);
    mkdir "$top/$_" or die "$top/$_: $!\n" for qw(fuse mnt);
    $self->must(qw(mount --bind), ("$top/fuse") x 2);
    $self->must(qw(mount --make-shared), "$top/fuse");
    open my $image, '>', "$top/image" or die "$top/image: $!\n";
    truncate $image, $self->{mib} << 20 or die "$top/image: $!\n";
    close $image or die "$top/image: $!\n";
    my $loop     = $self->loop("$top/image");
    my $attached = attachment($loop);
    $self->must(@{ $MAKE{ $self->{fs} } }, $loop);
    $self->must('losetup', '-d', $loop);
    $self->wait_for("$loop to go", sub { attachment($loop) ne $attached });
    return $self;
}

# The mount point of the filesystem.
sub dir { return "$_[0]{top}/mnt" }

# Switches the power on: the drive starts with what it had stored, and the filesystem is mounted.
# Returns false when that fails.
sub on {
    my ($self) = @_;
    my $top = $self->{top};
    $self->drive_on;
    $self->{nbdfuse} = $self->server(@WITHOUT_THE_MOUNT, 'nbdfuse', "$top/fuse", '--unix', "$top/socket");
    $self->wait_for('nbdfuse', sub { -f "$top/fuse/nbd" });
    return $self->attach("$top/fuse/nbd");
}

# Switches on only the drive, which is served on the socket of that name.
sub drive_on {
    my ($self) = @_;
    my $top = $self->{top};
    unlink "$top/$_" for qw(socket pid);
    $self->{nbdkit} = $self->server('nbdkit', '-f', '-t', 16, '-U', "$top/socket", '-P', "$top/pid", $DRIVE{ $self->{drive} }{arguments}->($self));
    $self->wait_for('nbdkit', sub { -s "$top/pid" });
    return "$top/socket";
}

sub drive_off {
    my ($self) = @_;
    kill $DRIVE{ $self->{drive} }{signal}, $self->{nbdkit};
    $self->wait_for('the end of nbdkit', sub { has_ended($self->{nbdkit}) });
    $self->{nbdkit} = 0;
    return;
}

# Cuts the power of everything at once: the drive no longer answers, and loses its cache; then
# everything that runs on the machine ends, and its kernel loses its memory. A drive that answered
# with errors after the cut would be a broken one.
sub off {
    my ($self) = @_;
    my $top = $self->{top};
    return if !$self->{nbdkit};
    kill STOP => $self->{nbdfuse} if $self->{nbdfuse};
    $self->drive_off;
    return if !$self->{nbdfuse};
    kill KILL => $self->users, $self->{nbdfuse}; # none of them sees the errors that come now
    $self->wait_for('the end of nbdfuse', sub { has_ended($self->{nbdfuse}) });
    system "umount -l $top/mnt 2>>$top/said";
    system "umount -l $top/fuse";
    $self->detached;
    $self->{nbdfuse} = 0;
    return;
}

# Mounts the filesystem again, with everything that the drive holds.
sub remount {
    my ($self) = @_;
    $self->wait_for('umount', sub { system("umount $self->{top}/mnt 2>>$self->{top}/said") == 0 });
    $self->detached;
    return $self->attach("$self->{top}/fuse/nbd");
}

# Mounts the filesystem in a file. Returns false when it cannot be mounted.
sub attach {
    my ($self, $file) = @_;
    $self->{loop}     = $self->loop($file);
    $self->{attached} = attachment($self->{loop});
    open my $open, '<', $self->{loop} or die "$self->{loop}: $!\n";
    $self->must('losetup', '-d', $self->{loop}); # it is detached when the last user closes or unmounts it
    my $is_mounted = system("mount -t $self->{fs} -o $self->{mount} $self->{loop} $self->{top}/mnt 2>>$self->{top}/said") == 0;
    close $open or die "$self->{loop}: $!\n";
    return $is_mounted;
}

# Waits until nobody uses the loop device any more, and the kernel no longer knows its filesystem.
sub detached {
    my ($self) = @_;
    $self->wait_for("$self->{loop} to go", sub { attachment($self->{loop}) ne $self->{attached} });
    return;
}

# What a loop device is attached to now, as a word; none if it is free. As soon as a device is free,
# others take it.
sub attachment {
    my ($loop) = @_;
    my $sys = '/sys/block/' . ($loop =~ s{.*/}{}r);
    return 'none' if !-e "$sys/loop";
    return eval { slurp("$sys/diskseq") } // 'some';
}

# The processes that have a file of that filesystem open or mapped.
sub users {
    my ($self) = @_;
    my @users;
    for my $pid (grep { $_ != $$ } map { m{(\d+)\z} } glob '/proc/[0-9]*') {
        my $has = grep { (readlink // q{}) =~ /\A\Q$self->{top}\E\/mnt/ } glob "/proc/$pid/fd/* /proc/$pid/cwd";
        push @users, $pid if $has;
    }
    return @users;
}

sub loop {
    my ($self, $file) = @_;
    chomp(my $loop = `losetup -f --show -b $self->{sector} --direct-io=on $file 2>>$self->{top}/said`);
    die 'losetup: ', slurp("$self->{top}/said") if $loop eq q{};
    return $loop;
}

sub server {
    my ($self, @command) = @_;
    my $pid = fork // die "fork: $!\n";
    if ($pid == 0) {
        open STDOUT, '>>', "$self->{top}/said" or die "$self->{top}/said: $!\n";
        open STDERR, '>&', \*STDOUT or die "stderr: $!\n";
        exec { $command[0] } @command or POSIX::_exit(127);
    }
    return $pid;
}

sub must {
    my ($self, @command) = @_;
    my $pid = $self->server(@command);
    waitpid $pid, 0;
    die "@command: ", slurp("$self->{top}/said") if $? != 0;
    return;
}

sub DESTROY {
    my ($self) = @_;
    return if $$ != 1;
    local ($?, $!, $@);
    eval { $self->off; 1 } or warn $@;
    system "umount -l $self->{top}/fuse";
    return;
}

sub has_ended {
    my ($pid) = @_;
    return 1 if waitpid($pid, POSIX::WNOHANG()) == $pid;
    open my $stat, '<', "/proc/$pid/stat" or return 1;
    return (readline($stat) // q{}) =~ /\)\ Z/;
}

sub wait_for {
    my ($self, $what, $condition) = @_;
    for my $look (1 .. 200 * $BonnieRun::HANGS) {
        return if $condition->();
        select undef, undef, undef, .005;
    }
    die "waited in vain for $what: ", slurp("$self->{top}/said");
}

1;
