#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Where addresses have 32 bits, configure says in one line that it does not
# support that.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Cwd        qw(abs_path);
use Test::More;
use BonnieRun  qw(have scratch source);

my $configure = abs_path(source('configure'));
plan skip_all => 'there is no configure: it is made by autoreconf' if !defined $configure || !-x $configure;
my $CROSS = 'arm-linux-gnueabihf';
my $dir   = scratch();

sub refuses {
    my ($name, @options) = @_;
    my $out = qx(cd '$dir' && '$configure' --without-mpi @options 2>&1 >configure.out);
    isnt($?, 0, "$name: configure fails");
    like($out, qr/^configure: error: a 64-bit system is needed: here a size_t has 4 bytes$/m, 'and says why');
    is(scalar(grep { !/WARNING/ } split /\n/, $out), 1, 'in one line');
    return;
}

refuses('as if', 'ac_cv_sizeof_size_t=4');
SKIP: {
    skip "there is no $CROSS-gcc", 3 if !have("$CROSS-gcc");
    refuses("$CROSS-gcc", "--host=$CROSS", "CC=$CROSS-gcc");
}

done_testing();
