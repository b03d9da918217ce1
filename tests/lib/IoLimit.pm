# SPDX-License-Identifier: GPL-2.0-or-later
# A control group whose processes may read and write only that many bytes or, of the kind `iops`, that
# often per second on the device of a directory. It is removed with the object.
package IoLimit;

use strict;
use warnings;
use Exporter 'import';
use RunProgram qw(slurp);

our @EXPORT_OK = qw(io_limit);

# io_limit(DIRECTORY, NUMBER, KIND): the group, or undef and why there is none.
sub io_limit {
    my ($dir, $number, $kind) = @_;
    return (undef, 'it takes root') if $> != 0;
    my $device = device_of($dir) // return (undef, 'there is no whole device below the directory');
    for my $make (\&version_1, \&version_2) {
        my $group = $make->($device, $number, $kind // 'bps');
        return $group if $group;
    }
    return (undef, 'no control group can limit a device here');
}

# The number of the disk, or undef. Limits are for whole devices.
sub device_of {
    my ($dir) = @_;
    my $number = (stat $dir)[0];
    my ($major, $minor) = (($number >> 8) & 0xFFF, ($number & 0xFF) | (($number >> 12) & 0xFFF00));
    my $sys = "/sys/dev/block/$major:$minor";
    return if !-e $sys;
    my $text = slurp(-e "$sys/partition" ? "$sys/../dev" : "$sys/dev");
    chomp $text;
    return $text;
}

sub mounted {
    my ($pattern) = @_;
    my ($mount) = slurp('/proc/self/mountinfo') =~ m{^\d+ \d+ \S+ / (\S+) .* - $pattern}m;
    return $mount;
}

sub version_1 {
    my ($device, $number, $kind) = @_;
    my $top = mounted(qr/cgroup \S+ \S*\bblkio\b/) // return;
    return make($top, $device, $number,
        map { my $way = $_; ("blkio.throttle.${way}_${kind}_device" => sub {"$device $_[0]"}) } qw(read write));
}

sub version_2 {
    my ($device, $number, $kind) = @_;
    my $top = mounted(qr/cgroup2 /) // return;
    return if !put("$top/cgroup.subtree_control", '+io');
    return make($top, $device, $number, 'io.max' => sub {"$device r$kind=$_[0] w$kind=$_[0]"});
}

# The text of each file, as a function of the number.
sub make {
    my ($top, $device, $number, %limits) = @_;
    my $self = bless { group => "$top/bonnie-test-$device-$$", owner => $$, limits => \%limits }, __PACKAGE__;
    mkdir $self->{group} or return;
    return $self->change($number) ? $self : undef;
}

# Changes the limit to that many per second. Returns false when the system
# refuses.
sub change {
    my ($self, $number) = @_;
    for my $file (keys %{ $self->{limits} }) {
        put("$self->{group}/$file", $self->{limits}{$file}->($number)) or return 0;
    }
    return 1;
}

sub put {
    my ($file, $text) = @_;
    return if !-e $file;
    open my $out, '>', $file or return;
    my $written = syswrite $out, $text;
    return close($out) && $written;
}

# The words to put before a command that has to run in the group.
sub wrap {
    my ($self) = @_;
    return ('sh', '-c', "echo \$\$ > $self->{group}/cgroup.procs && exec \"\$@\"", 'sh');
}

sub DESTROY {
    my ($self) = @_;
    return if $self->{owner} != $$;
    for (1 .. 100) { # while the last process is still ending
        last if rmdir $self->{group};
        select undef, undef, undef, .02;
    }
    return;
}

1;
