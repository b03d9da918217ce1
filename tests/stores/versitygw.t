#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# The target s3 against versitygw, which checks signatures and stores objects as files. Building it
# takes minutes, so only scripts/test --long runs this.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use ObjectStore qw(object_store objects_go_and_come only_the_bucket);

my @stores = map {
    my $domain = $_;
    object_store('versitygw', [ go => 'github.com/versity/versitygw/cmd/versitygw@v1.8.0' ], sub {
        my ($port, $dir, $access, $secret) = @_;
        $ENV{VGW_VIRTUAL_DOMAIN} = $domain;
        return ('--access', $access, '--secret', $secret, '--keep-alive', '--port', "127.0.0.1:$port", 'posix', $dir);
    });
} qw(localhost minio.localhost);
objects_go_and_come($stores[0]);
only_the_bucket($stores[0], 'localhost');
only_the_bucket($stores[1], 'minio.localhost');

done_testing();
