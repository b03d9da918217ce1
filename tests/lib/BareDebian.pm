# SPDX-License-Identifier: GPL-2.0-or-later
# A Debian with nothing but what a test installs, in a directory, and commands that run in it. They
# have mounts and processes of their own, which end with the command, with the test, and when the
# test is killed.
package BareDebian;

use strict;
use warnings;
use Exporter 'import';
use File::Temp   ();
use PackageBuild qw($TOP);
use RunProgram   qw(slurp spew);
use Test::More   ();

our @EXPORT_OK = qw(copy_sources debootstrap in_machine in_system new_place why_none);

# Makes the commands end with the test, even if that is killed by KILL.
my @TIED  = qw(setpriv --pdeathsig KILL --);
my @APART = qw(unshare --ipc --mount --propagation private --pid --fork --kill-child);

# The only environment of a command in a system: the way to the mirror.
my @PROXIES     = qw(http_proxy https_proxy ftp_proxy no_proxy);
my $ENVIRONMENT = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive';

# What a machine has: proc, devices, the kernel's objects, memory for files, and a root that is that of its mounts.
my $PROC    = 'mount -t proc proc "$0/proc"';
my $MACHINE = "mount --rbind \"\$0\" \"\$0\" && $PROC && mount --rbind /sys \"\$0/sys\" && mount --rbind /dev \"\$0/dev\" && if [ -d \"\$0/dev/shm\" ]; then mount -t tmpfs -o mode=1777 tmpfs \"\$0/dev/shm\"; fi"
    . ' && cd "$0" && pivot_root . mnt';

# Why no such system can be made here; undef: one can be made.
sub why_none {
    return 'a chroot takes root'     if $> != 0;
    return 'there is no debootstrap' if !-x '/usr/sbin/debootstrap';
    return 'mounts and processes of their own are not to be had' if system("@TIED @APART true 2>/dev/null") != 0;
    return;
}

# A directory for systems, which is removed with its contents.
sub new_place {
    my $place = File::Temp->newdir('bonnie-test-XXXXXX', DIR => $ENV{BONNIE_TEST_CHROOT} // $ENV{TMPDIR} // '/tmp');
    chmod oct(755), "$place" or die "$place: $!\n";
    return $place;
}

# Waits for a command that has processes of its own. A signal to the test ends the command, and then
# the test, which removes what it has made.
sub wait_for {
    my ($pid) = @_;
    my $end = sub {
        chomp(my $first = qx(cat /proc/$pid/task/$pid/children 2>/dev/null)); # all others end with it
        kill KILL => split q{ }, $first;
        waitpid $pid, 0;
        exit 1;
    };
    local @SIG{qw(HUP INT TERM)} = ($end) x 3;
    waitpid $pid, 0;
    return $? & 127 ? 128 + ($? & 127) : $? >> 8;
}

# Runs a program with mounts and processes of its own. Returns its output, without the last newline,
# and its status.
sub apart {
    my ($options, @command) = @_;
    my $log = File::Temp->new;
    my $pid = fork // die "fork: $!\n";
    if ($pid == 0) {
        open STDIN,  '<',  '/dev/null' or die "/dev/null: $!\n";
        open STDOUT, '>',  "$log"      or die "$log: $!\n";
        open STDERR, '>&', \*STDOUT    or die "stderr: $!\n";
        exec @TIED, @APART, @{$options}, @command or die "setpriv: $!\n";
    }
    my $status = wait_for($pid);
    my $text = slurp("$log");
    chomp $text;
    return ($text, $status);
}

# Makes a system: that release of Debian with only the essential packages and these, from the mirror that
# this machine uses, which may fail to give a file, and is then asked again. Returns the same as apart().
sub debootstrap {
    my ($root, $release, @packages) = @_;
    my @include = @packages ? '--include=' . join q{,}, @packages : ();
    my ($text, $status);
    for my $try (1 .. 3) {
        ($text, $status) = apart(['--mount-proc'], 'debootstrap', '--variant=minbase', @include, $release, $root);
        last if $status == 0 || $text !~ /Couldn't download/;
        system 'rm', '-rf', $root;
    }
    return ($text, $status) if $status != 0;
    spew("$root/etc/apt/apt.conf.d/99proxy", join q{}, grep {/^Acquire::\w+::Proxy\b/} qx(apt-config dump 2>/dev/null));
    spew("$root/etc/dpkg/dpkg.cfg.d/99fast", "force-unsafe-io\n");
    spew("$root/etc/resolv.conf", slurp('/etc/resolv.conf'));
    return ($text, $status);
}

# Runs a shell command in a system, without other processes; options are those of unshare, such as
# --net. Returns the same as apart().
sub in_system {
    my ($root, $command, @options) = @_;
    return run_in($root, $command, $PROC, 'chroot "$0" sh -e /command', @options);
}

# The same with the devices of this machine, as in a booted system.
sub in_machine { my ($root, $command) = @_; return run_in($root, $command, $MACHINE, q{chroot . sh -ec 'umount -l /mnt; exec sh -e /command'}) }

sub run_in {
    my ($root, $command, $mounts, $enter, @options) = @_;
    my @proxies = map {"$_=$ENV{$_}"} grep { defined $ENV{$_} } map { ($_, uc) } @PROXIES;
    spew("$root/command", "$command\n");
    my @result = apart(\@options, 'sh', '-c', qq{$mounts && exec env -i "\$@" $enter}, $root, split(q{ }, $ENVIRONMENT), @proxies);
    unlink "$root/command";
    return @result;
}

# Copies what git would commit here into a directory.
sub copy_sources {
    my ($to) = @_;
    local @ENV{qw(TOP TO)} = ($TOP, $to);
    my $copy = '. "$TOP/scripts/lib/build.sh" && mkdir -p "$TO" && cd "$TOP" && files_of_git | existing | tar --null -T - -cf - | tar -xf - -C "$TO"';
    system('sh', '-c', $copy) == 0 or die "cannot copy $TOP\n";
    return;
}

1;
