# SPDX-License-Identifier: GPL-2.0-or-later
# What a slow operation may have waited for: the names that JSON reports have, and
# the words of src/tail/causes.c.
package Bonnie::Causes;

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(@CAUSES %WORDS_OF_CAUSE);

my @TABLE = (
    [ device    => 'waited for the device itself' ],
    [ queue     => 'waited in the queue before the device' ],
    [ flush     => 'waited behind a flush' ],
    [ journal   => 'waited for a commit of the journal' ],
    [ writeback => 'were held back until more was written back' ],
    [ lock      => 'waited for a lock of the file' ],
    [ group     => 'were held back by the limit of a control group' ],
    [ cpu       => 'waited for a CPU' ],
    [ reclaim   => 'had to free memory first' ],
    [ program   => 'ran in the program or the kernel' ],
    [ unknown   => 'unknown' ],
);

# The names, in the order in which a chart has causes with equal shares.
our @CAUSES = map { $_->[0] } @TABLE;

our %WORDS_OF_CAUSE = map { @{$_} } @TABLE;

1;
