# SPDX-License-Identifier: GPL-2.0-or-later
# Describes in one line what machine the figures were measured on.
package Bench::Machine;

use strict;
use warnings;
use Exporter 'import';
use POSIX      qw(uname);
use Bench::Run qw(content_of has_program output_of);

our @EXPORT_OK = qw(machine_line);

sub filesystem_of {
    my ($directory) = @_;
    chomp(my $name = output_of(qw(stat -f -c %T), $directory));
    return $name eq 'ext2/ext3' ? 'ext4' : $name; # these filesystems share a number, and today it is ext4
}

sub fio_version {
    return if !has_program('fio');
    chomp(my $version = output_of(qw(fio --version)));
    return $version;
}

sub machine_line {
    my ($directory) = @_;
    my @cpuinfo = split /\n/, content_of('/proc/cpuinfo');
    my ($system, $release) = (uname())[0, 2];
    my $virtual = grep({ /^flags.*\bhypervisor\b/ } @cpuinfo) ? 'virtual machine, ' : q{};
    return join '; ', fio_version(), $virtual . grep({ /^processor\s/ } @cpuinfo) . " CPUs",
        "$system " . $release =~ s/-.*//r, filesystem_of($directory);
}

1;
