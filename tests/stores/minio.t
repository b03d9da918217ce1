#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# The target s3 against minio, which checks signatures. Building minio takes minutes, so only
# scripts/test --long runs this.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use ObjectStore qw(object_store objects_go_and_come only_the_bucket);

my $store = object_store('minio', [ go => 'github.com/minio/minio@v0.0.0-20260212201848-7aac2a2c5b7c' ], sub {
    my ($port, $dir, $access, $secret) = @_;
    @ENV{qw(MINIO_ROOT_USER MINIO_ROOT_PASSWORD MINIO_UPDATE MINIO_BROWSER MINIO_DOMAIN)} = ($access, $secret, 'off', 'off', 'minio.localhost');
    return (qw(server --quiet --address), "127.0.0.1:$port", $dir);
});
objects_go_and_come($store);
only_the_bucket($store, 'minio.localhost');

done_testing();
