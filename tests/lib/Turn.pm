# SPDX-License-Identifier: GPL-2.0-or-later
# One test at a time, also of other suites on this machine, with something that all of them share.
package Turn;

use strict;
use warnings;
use Exporter 'import';
use Fcntl qw(:flock);

our @EXPORT_OK = 'wait_for_turn';

my @held;

# Waits until no other test holds the lock of $file, and holds it until this test ends. The file should be
# one of /proc, which every system has and no program locks.
sub wait_for_turn {
    my ($file) = @_;
    open my $lock, '<', $file or die "$file: $!\n";
    flock $lock, LOCK_EX or die "flock $file: $!\n";
    push @held, $lock;
    return;
}

1;
