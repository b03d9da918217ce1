#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/cli/containers.t and evidence.t in a guest, whose control groups have version 2.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Basename qw(dirname);
use Test::More;
use Guest;
use Root;
use SweepSize qw(is_long);

plan skip_all => 'with --long alone' if !is_long();
plan skip_all => 'needs root' if !Root::is_root();
my $lacking = Guest::lacking();
plan skip_all => $lacking if defined $lacking;

my $cli = dirname($FindBin::Bin) . '/cli';
my $environment = join q{ }, map { "'$_=$ENV{$_}'" } grep { /\ABON|\APERL|_COLOR\z/ && !/BONNIE_TEST_(?:MOUNTS|LONG|ALL)/ } sort keys %ENV;
my $script = "cd $cli && for name in containers evidence; do env -i PATH=\"\$PATH\" HOME=/root LC_ALL=C $environment $^X \$name.t; echo \"\$name ended: \$?\"; done\n";

my ($out, $status) = Guest::run($script, 1800);
ok(defined $out, 'the guest came to its end') or diag($status);
for my $name (qw(containers evidence)) {
    like($out // q{}, qr/^$name ended: 0$/m, "$name.t passed with control groups of version 2");
}
diag($out) if defined $out && $out =~ /^ *not ok/m;
note($out // q{});

done_testing();
