#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# The shell scripts are POSIX sh, and shellcheck finds nothing in them.

use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;

my $TOP = $ENV{BONNIE_TEST_SRCDIR} // dirname(__FILE__) . '/../..';

# CI's script is in the repository, but not in a release.
my @SCRIPTS = grep {-e} map {"$TOP/$_"}
    qw(.ci/run scripts/setup scripts/package packaging/debian/tests/installed packaging/debian/tests/mpi scripts/quickstart scripts/test scripts/analyze scripts/lib/build.sh scripts/lib/libraries.sh docs/gallery/make);

my $has_shellcheck = qx(shellcheck --version 2>/dev/null) ne q{};

for my $script (@SCRIPTS) {
    is(qx(sh -n '$script' 2>&1), q{}, "sh -n $script");
SKIP: {
        skip 'there is no shellcheck', 1 if !$has_shellcheck;
        is(qx(shellcheck --shell=sh --external-sources --source-path='$TOP' '$script' 2>&1),
            q{}, "shellcheck $script");
    }
}

done_testing;
