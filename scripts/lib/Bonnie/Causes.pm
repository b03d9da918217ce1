# SPDX-License-Identifier: GPL-2.0-or-later
# What a slow operation may have waited for: the names that JSON reports have, the words of
# src/tail/causes.c, short words for charts of several labels, and the mark, whose shape and colour
# are classes of the style sheet.
package Bonnie::Causes;

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(@CAUSES %CAUSE);

my @TABLE = (
    [ device    => 'waited for the device itself',                    'device',        'dot bar' ],
    [ queue     => 'waited in the queue before the device',           'queue',         'box bar' ],
    [ flush     => 'waited behind a flush',                           'flush',         'tick bar' ],
    [ journal   => 'waited for a commit of the journal',              'journal',       'dot worse' ],
    [ writeback => 'were held back until more was written back',      'writeback',     'box worse' ],
    [ lock      => 'waited for a lock of the file',                   'lock',          'tick worse' ],
    [ group     => 'were held back by the limit of a control group',  'control group', 'box tail' ],
    [ cpu       => 'waited for a CPU',                                'CPU',           'dot range' ],
    [ reclaim   => 'had to free memory first',                        'memory',        'box range' ],
    [ program   => 'ran in the program or the kernel',                'program',       'tick range' ],
    [ unknown   => 'for reasons not known',                           'not known',       'dot unclear' ],
);

# The names, in the order in which a chart has causes with equal shares.
our @CAUSES = map { $_->[0] } @TABLE;

our %CAUSE = map { my %cause; @cause{qw(name words short look)} = @{$_}; $cause{name} => \%cause } @TABLE;

1;
