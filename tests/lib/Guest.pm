# SPDX-License-Identifier: GPL-2.0-or-later
# A guest of User-mode Linux: a kernel of its own, which needs no KVM and starts in two seconds, with
# one CPU. (CutGuest.pm has one of QEMU, for cuts.) It sees this system's files below an overlay in
# its memory, has a disk of its own at /tmp, and control groups of version 2 alone. It runs one script
# of the shell as root, and ends.
package Guest;

use strict;
use warnings;
use BonnieRun  qw(have scratch_on_disk source);
use RunProgram qw(slurp spew);

# Whiteouts hide what this system has in /proc, /sys and /dev. The last command switches the guest off,
# as reboot(2) does.
my $INIT = <<'END';
#!/bin/sh
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
modules=/usr/lib/uml/modules
mount -t tmpfs -o mode=755 tmpfs /mnt
mkdir /mnt/upper /mnt/work /mnt/new
insmod $modules/*/kernel/fs/overlayfs/overlay.ko
for name in proc sys dev; do mknod /mnt/upper/$name c 0 0; done
mount -t overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work root /mnt/new
cd /mnt/new
mkdir -p proc sys dev lib/modules
mount --bind $modules lib/modules
mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t devtmpfs devtmpfs dev
mkdir -p dev/shm
mount -t tmpfs tmpfs dev/shm
mount -t ext4 /dev/ubda tmp
chmod 1777 tmp
mount -t hostfs -o TOP host mnt
pivot_root . mnt/old
umount -l /mnt/old
modprobe -a loop fuse
hostname guest
ip link set lo up
sh /mnt/script >/mnt/out 2>&1
echo "status $?" >>/mnt/out
sync
perl -e 'syscall 169, 0xfee1dead, 0x28121969, 0x4321fedc'
END

# Why there can be no guest here; undef: there can.
sub lacking {
    return 'linux.uml is not installed' if !have('linux.uml');
    return 'needs insmod, ip, mkfs.ext4, setpriv and unshare' if !have(qw(insmod ip mkfs.ext4 setpriv unshare));
    return;
}

# Guest::run($script, $seconds): what the script has printed, and its status; undef and what the
# console said when the guest did not come to its end within the time.
sub run {
    my ($script, $seconds) = @_;
    my $top = scratch_on_disk();
    mkdir "$top/old" or die "$top/old: $!\n";
    spew("$top/init",   $INIT =~ s/TOP/$top/r);
    spew("$top/script", $script);
    chmod oct 755, "$top/init";
    my $cc = $ENV{BONNIE_CC} // 'cc';
    system("$cc -Wall -Werror -O1 -shared -fPIC -o $top/xstate.so " . source('tests', 'lib', 'xstate.c')) == 0 or die "no compiler\n";
    system("truncate -s 2G $top/image && mkfs.ext4 -q -F $top/image") == 0 or die "no disk for the guest\n";

    # When this test ends, the guest does, with all its processes, which are processes of this system.
    system qw(setpriv --pdeathsig KILL unshare --pid --fork --kill-child timeout), $seconds,
        'env', "LD_PRELOAD=$top/xstate.so", 'sh', '-c', 'exec "$@" </dev/null >"$0" 2>&1', "$top/console",
        'linux.uml', 'con0=null,fd:1', qw(mem=1536M con=null rootfstype=hostfs rootflags=/ ro), "ubda=$top/image", "uml_dir=$top", "init=$top/init";
    my ($out, $status) = (-e "$top/out" ? slurp("$top/out") : q{}) =~ /\A(.*)^status (\d+)\n\z/ms or return (undef, slurp("$top/console"));
    return ($out, $status);
}

1;
