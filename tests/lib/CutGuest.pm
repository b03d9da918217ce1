# SPDX-License-Identifier: GPL-2.0-or-later
# A guest of QEMU on a drive of nbdkit (PowerCut.pm): a whole system with a kernel of its own, which
# starts again after a cut. It has nothing but busybox and boncut, in an initial filesystem that is
# made here. It writes to the drive's filesystem, or checks it, as the command line of its kernel
# says.
package CutGuest;

use strict;
use warnings;
use JSON::PP   ();
use BonnieRun  qw(have program scratch wait_until);
use RunProgram qw(quoted slurp spew);

# Modules that the guest's kernel may need. The guest's disk is a SCSI disk, because Linux sends
# such a disk writes with FUA.
my @MODULES = qw(virtio_pci virtio_console virtio_scsi sd_mod ext4);

my $INIT = <<'END';
#!/bin/busybox sh
export PATH=/bin
/bin/busybox --install -s /bin
mkdir -p /proc /sys /dev /mnt
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
for module in $(cat /modules/order); do insmod /modules/$module; done
# Which disk gets which name is chance, so find_disks looks: the log's disk cannot be written to.
find_disks()
{
	disk= log=none
	case $line in *power=check*) log= ;; esac
	for block in /sys/block/sd*; do
		case $(cat $block/ro) in
		0) disk=${block##*/} ;;
		1) log=${block##*/} ;;
		esac
	done
	[ "$disk" ] && [ "$log" ] && [ -e /dev/vport*p1 ]
}
read -r line </proc/cmdline
until find_disks 2>/dev/null; do sleep 0.1; done
out=$(echo /dev/vport*p1)
mount -t ext4 /dev/$disk /mnt || unmounted=--unmounted
case $line in
*power=write*)
	echo "fua $(cat /sys/block/$disk/queue/fua) cache $(cat /sys/block/$disk/queue/write_cache)"
	boncut --cleanup /mnt
	boncut write -c 4 --units 8 --rate 20 /mnt >"$out"
	;;
*power=none*)
	echo it works >"$out"
	;;
*power=check*)
	boncut check --json $unmounted /mnt </dev/$log >"$out"
	;;
esac
sync
poweroff -f
END

# Debian's kernel for guests, unpacked into a directory of the test and not installed on this
# system. BONNIE_GUEST_KERNEL names a directory in which that has already been done.
my $UNPACKED = $ENV{BONNIE_GUEST_KERNEL};

sub unpacked {
    return $UNPACKED if defined $UNPACKED;
    my ($package) = qx(apt-cache depends linux-image-cloud-amd64 2>/dev/null) =~ /Depends: (linux-image-\S+)/ or return;
    my $top = scratch();
    return if system("cd $top && apt-get -q download $package >/dev/null 2>&1 && dpkg-deb -x $package*.deb . >/dev/null 2>&1") != 0;
    return $UNPACKED = $top;
}

# The kernel, and the modules that are needed, in the order of loading; or nothing.
sub kernel {
    my $top = unpacked() // return;
    my ($kernel)    = glob "$top/boot/vmlinuz-*" or return;
    my ($directory) = grep { -d "$_/kernel" } glob "$top/lib/modules/* $top/usr/lib/modules/*" or return;
    my @files = modules($directory, @MODULES);
    return if grep { !/[.]ko\z/ } @files; # compressed: busybox may not read it
    return ($kernel, @files);
}

# The files of modules and of those that they need, which come first.
sub modules {
    my ($directory, @names) = @_;
    my %files = map { m{([^/]+)[.]ko[^/]*\z} ? ($1 =~ tr/-/_/r => $_) : () } split /\n/, qx(find $directory -name '*.ko*');
    my (@order, %seen);
    my $add = sub {
        my ($self, $name) = @_;
        my $file = $files{ $name =~ tr/-/_/r };
        return if !defined $file || $seen{$file}++; # it is built in
        $self->($self, $_) for split /,/, qx(modinfo -F depends $file) =~ s/\n//r;
        push @order, $file;
    };
    $add->($add, $_) for @names;
    return @order;
}

# Why there can be no guest here; undef: there can.
sub lacking {
    return 'needs qemu-system-x86_64, busybox, modinfo' if !have(qw(qemu-system-x86_64 busybox modinfo));
    return 'linux-image-cloud-amd64 cannot be had'      if !kernel();
    return;
}

# CutGuest->new(MACHINE): a guest with the drive of that machine, which must be off.
sub new {
    my ($class, $machine) = @_;
    my $self = bless { machine => $machine, top => $machine->{top} }, $class;
    ($self->{kernel}, my @modules) = kernel();
    $self->make_initial(@modules);
    $self->{accelerator} = $self->kvm_works ? [qw(-accel kvm -cpu host)] : [qw(-accel tcg -cpu max)];
    return $self;
}

# Whether a guest on KVM starts, and ends by itself. If this system is itself a guest, it may have
# KVM that fails.
my $PATIENCE = 60; # seconds

sub kvm_works {
    my ($self) = @_;
    return 0 if !-w '/dev/kvm';
    $self->{accelerator} = [qw(-accel kvm -cpu host)];
    $self->start(none => "$self->{top}/nothing");
    my $end = time + $PATIENCE;
    select undef, undef, undef, .1 while time < $end && !$self->has_ended;
    my $works = -s "$self->{top}/nothing";
    $self->end;
    return $works;
}

# Everything ends at once, the drive first.
sub end {
    my ($self) = @_;
    $self->{machine}->drive_off;
    kill KILL => $self->{qemu};
    wait_until('the end of QEMU', sub { $self->has_ended });
    return;
}

# The initial filesystem: busybox, boncut with its libraries, and modules.
sub make_initial {
    my ($self, @modules) = @_;
    my $root = "$self->{top}/root";
    system "mkdir -p $root/bin $root/modules";
    my $boncut = program('boncut');
    my @files  = ($boncut, qx(ldd ${\ quoted($boncut)}) =~ m{(/\S+)}g);
    system "mkdir -p \$(dirname $root$_) && cp -L $_ $root$_" for @files[ 1 .. $#files ];
    system "cp ${\ quoted($boncut)} $root/bin/boncut && strip $root/bin/boncut; cp \$(command -v busybox) $root/bin/busybox";
    system "cp $_ $root/modules/" for @modules;
    spew("$root/modules/order", join q{}, map { s{.*/}{}r . "\n" } @modules);
    spew("$root/init", $INIT);
    chmod oct 755, "$root/init";
    system("cd $root && find . | busybox cpio -o -H newc 2>/dev/null | gzip -1 >$self->{top}/initial") == 0 or die "no initial filesystem\n";
    return;
}

# Starts the guest, which writes or checks. Its output goes to the file of that name.
sub start {
    my ($self, $power, $out, @more) = @_;
    my $top    = $self->{top};
    my $socket = $self->{machine}->drive_on;
    $self->{qemu} = $self->{machine}->server(
        'qemu-system-x86_64', @{ $self->{accelerator} }, qw(-m 384 -smp 2 -nodefaults -display none -no-reboot),
        '-kernel', $self->{kernel}, '-initrd', "$top/initial", '-append', "console=ttyS0 quiet panic=-1 power=$power",
        '-serial', "file:$top/console",
        '-device', 'virtio-scsi-pci', '-blockdev', "driver=nbd,node-name=disk,server.type=unix,server.path=$socket",
        '-device', 'scsi-hd,drive=disk,scsi-id=0,write-cache=on,dpofua=on,logical_block_size=4096,physical_block_size=4096',
        '-device', 'virtio-serial-pci', '-chardev', "file,id=out,path=$out", '-device', 'virtserialport,chardev=out',
        @more
    );
    return;
}

sub has_ended { return PowerCut::has_ended($_[0]{qemu}) }

# A cut while the guest writes, and its next start, in which it checks. Returns what boncut said
# about it, and what the guest did.
sub cut {
    my ($self, $seconds) = @_;
    my ($machine, $top) = @{$self}{qw(machine top)};
    unlink map {"$top/$_"} qw(promises report console);
    $self->start(write => "$top/promises");
    wait_until('promises', sub { $self->has_ended || -e "$top/promises" && slurp("$top/promises") =~ /\n(?!cached |drive |new_name )\w+ .*\n/ });
    select undef, undef, undef, $seconds;
    my $said = slurp("$top/console");
    $self->end;
    $self->start(check => "$top/report", '-blockdev', "driver=raw,node-name=log,read-only=on,file.driver=file,file.filename=$top/promises",
        '-device', 'scsi-hd,drive=log,scsi-id=1');
    wait_until('a report', sub { $self->has_ended });
    $machine->drive_off;
    return (eval { JSON::PP->new->decode(slurp("$top/report")) }
        // die("no report: $said", map { -e "$top/$_" ? slurp("$top/$_") : () } qw(console said report)), $said);
}

1;
