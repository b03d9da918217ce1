# SPDX-License-Identifier: GPL-2.0-or-later
# perl -MPeak PROGRAM: at its end the program writes its peak memory in KiB into the file that
# $PEAK names.
package Peak;

use strict;
use warnings;

END {
    my $status = $?;
    if (open my $in, '<', '/proc/self/status') {
        my ($peak) = map { /^VmHWM:\s+(\d+) kB/ ? $1 : () } readline $in;
        if (open my $out, '>', $ENV{PEAK}) { print {$out} $peak }
    }
    $? = $status;
}

1;
