# SPDX-License-Identifier: GPL-2.0-or-later
# What the completions for all shells share.
package Bonnie::Completion;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';

our @EXPORT_OK = qw(single_quoted spellings);

# All spellings of an option, with dashes: "-s", "--size". Names with one dash also work with two.
sub spellings ($table, $option) {
    my @names  = grep { length } @{$option}{qw(name alias)};
    my @dashes = $table->{dashes} eq '-' ? qw(- --) : $table->{dashes};
    return (
        (map {"-$_"} grep { length } $option->{letter}),
        (map { my $name = $_; map {"$_$name"} @dashes } @names),
    );
}

# A text in single quotes, as POSIX shells read it.
sub single_quoted ($text) { return q{'} . $text =~ s/'/'\\''/gr . q{'} }

1;
