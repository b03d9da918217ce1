#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# The target s3 against s3s-fs, which checks signatures and stores objects as files. Building it
# takes minutes, so only scripts/test --long runs this.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use ObjectStore qw(object_store objects_go_and_come);

my $store = object_store('s3s-fs', [ cargo => 's3s-fs', qw(--version 0.14.1 --features binary) ], sub {
    my ($port, $dir, $access, $secret) = @_;
    return ('--access-key', $access, '--secret-key', $secret, qw(--host 127.0.0.1 --port), $port, $dir);
});
objects_go_and_come($store);

done_testing();
