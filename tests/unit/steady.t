#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# SciPy gives the results in tests/data/steady.csv, with which the unit test checks the rule of
# the steady state.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use RunProgram qw(data_file slurp);

# Debian's python has Debian's SciPy; another python in PATH may not have it.
my $PYTHON = '/usr/bin/python3';
plan skip_all => "$PYTHON has no SciPy" if system("$PYTHON -c 'import scipy.stats' 2>/dev/null") != 0;

my $now = `$PYTHON '$FindBin::Bin/../lib/steady_reference.py'`;
is($?, 0, 'SciPy has answered');

# The figures and the verdict of each series. The last digits of percentages depend on the
# version of SciPy.
sub verdicts { return [ map { join q{,}, (split /,/)[ 0 .. 4, 7 ] } split /\n/, $_[0] ] }

is_deeply(verdicts($now), verdicts(slurp(data_file('steady.csv'))), 'the same series, and the same verdict of each');

done_testing();
