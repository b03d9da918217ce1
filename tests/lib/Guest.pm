# SPDX-License-Identifier: GPL-2.0-or-later
# A guest of QEMU with Debian's ordinary kernel (CutGuest.pm has one for cuts). It sees this system's files below an overlay in
# its memory, has a disk of its own at /tmp, and control groups of version 2 alone. It runs one
# script of the shell as root, and ends.
package Guest;

use strict;
use warnings;
use BonnieRun  qw(have scratch scratch_on_disk);
use CutGuest   ();
use RunProgram qw(slurp spew);

my @MODULES = qw(virtio_pci virtio_console virtio_blk 9p 9pnet_virtio overlay crc32c_generic ext4 loop);

my $INIT = <<'END';
#!/bin/busybox sh
export PATH=/bin
/bin/busybox --install -s /bin
mkdir -p /proc /sys /dev /host /new /rw
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
for module in $(cat /modules/order); do insmod /modules/$module; done
until [ -e /dev/vda ] && [ -e /dev/vport*p1 ]; do sleep 0.1; done
mount -t 9p -o ro,trans=virtio,version=9p2000.L,msize=524288,cache=loose host /host
mount -t tmpfs -o mode=755 tmpfs /rw
mkdir /rw/upper /rw/work
mount -t overlay -o lowerdir=/host,upperdir=/rw/upper,workdir=/rw/work root /new
mount -t ext4 /dev/vda /new/tmp
chmod 1777 /new/tmp
for name in proc sys dev; do mount --move /$name /new/$name; done
mkdir -p /new/dev/shm /new/dev/pts
mount -t tmpfs tmpfs /new/dev/shm
mount -t cgroup2 cgroup2 /new/sys/fs/cgroup
ifconfig lo 127.0.0.1 up
cp /script /new/tmp/script
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
out=$(echo /new/dev/vport*p1)
chroot /new sh /tmp/script >"$out" 2>&1
echo "status $?" >"$out"
sync
poweroff -f
END

# Why there can be no guest here; undef: there can.
sub lacking {
    return 'needs qemu-system-x86_64, busybox, modinfo, mkfs.ext4' if !have(qw(qemu-system-x86_64 busybox modinfo mkfs.ext4));
    return 'linux-image-amd64 cannot be had' if !CutGuest::kernel(q{}, @MODULES);
    return;
}

# Whether a guest on KVM comes to its end. If this system is itself a guest, it may have KVM that fails.
my @KVM = qw(-accel kvm -cpu host);
my $KVM_WORKS;

sub kvm_works {
    return $KVM_WORKS //= -w '/dev/kvm' && defined((run('true', accelerator => \@KVM, seconds => 60))[0]) ? 1 : 0;
}

# Guest::run($script, how...): what the script has printed, and its status; nothing when the guest did
# not come to its end within the time.
#   modules => [NAME ...]  more modules of the kernel
#   seconds => N           how long it may take
#   accelerator => [OPTION ...]  of QEMU; otherwise KVM or emulation
sub run {
    my ($script, %how) = @_;
    my ($kernel, @files) = CutGuest::kernel(q{}, @MODULES, @{ $how{modules} // [] });
    my ($top, $disk) = (scratch(), scratch_on_disk());
    my $root = "$top/root";
    system "mkdir -p $root/bin $root/modules && cp \$(command -v busybox) $root/bin/busybox";
    system "cp $_ $root/modules/" for @files;
    spew("$root/modules/order", join q{}, map { s{.*/}{}r . "\n" } @files);
    spew("$root/init", $INIT);
    spew("$root/script", $script);
    chmod oct 755, "$root/init";
    system("cd $root && find . | busybox cpio -o -H newc 2>/dev/null | gzip -1 >$top/initial") == 0 or die "no initial filesystem\n";
    system("truncate -s 2G $disk/image && mkfs.ext4 -q -F $disk/image") == 0 or die "no disk for the guest\n";
    my @accelerator = @{ $how{accelerator} // (kvm_works() ? \@KVM : [qw(-accel tcg -cpu max)]) };
    system qw(setpriv --pdeathsig TERM timeout -k 5), $how{seconds} // 300,
        'qemu-system-x86_64', @accelerator, qw(-m 1536 -smp 2 -nodefaults -display none -no-reboot),
        '-kernel', $kernel, '-initrd', "$top/initial", '-append', 'console=ttyS0 quiet panic=-1',
        '-serial', "file:$top/console",
        '-drive', "file=$disk/image,format=raw,if=virtio,cache=none",
        '-virtfs', 'local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap',
        '-device', 'virtio-serial-pci', '-chardev', "file,id=out,path=$top/out", '-device', 'virtserialport,chardev=out';
    my ($out, $status) = (-e "$top/out" ? slurp("$top/out") : q{}) =~ /\A(.*)^status (\d+)\n\z/ms or return (undef, slurp("$top/console"));
    return ($out, $status);
}

1;
