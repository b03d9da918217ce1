# SPDX-License-Identifier: GPL-2.0-or-later
# The size of a sweep over many cases: by default tests take a quick sample, with `scripts/test
# --all` a larger one, and with `scripts/test --long` all cases.
package SweepSize;

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(is_all is_long races sized tries);

sub is_long { return !!$ENV{BONNIE_TEST_LONG} }
sub is_all  { return !!$ENV{BONNIE_TEST_ALL} || is_long() }

# sized(DEFAULT, ALL, LONG): the size in the current mode.
sub sized { my ($default, $all, $long) = @_; return is_long() ? $long : is_all() ? $all : $default }

# The number of tries of an attack: BONNIE_TEST_TRIES, or a sample.
sub tries { my ($default) = @_; return $ENV{BONNIE_TEST_TRIES} // sized($default, 100, 200) }

# The number of races on each of three filesystems: so that BONNIE_TEST_TRIES is that of all, or a
# sample.
sub races {
    my (@sizes) = @_;
    return defined $ENV{BONNIE_TEST_TRIES} ? int(($ENV{BONNIE_TEST_TRIES} + 2) / 3) : sized(@sizes);
}

1;
