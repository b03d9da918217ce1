# SPDX-License-Identifier: GPL-2.0-or-later
# The object store of the tests (s3_store.py), which checks every signature with botocore.
package S3Store;

use strict;
use warnings;
use Exporter 'import';
use File::Basename qw(dirname);
use IPC::Open2 qw(open2);

our @EXPORT_OK = qw(s3_store no_botocore);
our ($ACCESS, $SECRET, $REGION, $BUCKET) = ('AKIDTESTS', 'wJalr/secret+KEY=', 'moon-1', 'pail');

# Why there can be no store; undef: there can.
sub no_botocore {
    my $probe = system q{/usr/bin/python3 -c 'import botocore.auth' >/dev/null 2>&1};
    return $probe == 0 ? undef : 'there is no python3-botocore';
}

# s3_store($token): starts one.
sub s3_store {
    my ($token) = @_;
    my $pid = open2(my $out, my $in, '/usr/bin/python3', dirname(__FILE__) . '/s3_store.py', 0, $ACCESS, $SECRET, $REGION, $BUCKET, $token // ());
    my $port = <$out> // die "the store did not start\n";
    chomp $port;
    return bless { pid => $pid, in => $in, out => $out, port => $port, url => "http://127.0.0.1:$port", parent => $$ }, __PACKAGE__;
}

# The options of bonload for this store.
sub options {
    my ($self) = @_;
    return ('-requests-engine=s3', "-s3-endpoint=$self->{url}", "-s3-bucket=$BUCKET", "-s3-region=$REGION", "-s3-api-key=$ACCESS", "-s3-secret-key=$SECRET");
}

sub DESTROY {
    my ($self) = @_;
    return if $self->{parent} != $$;
    local ($?, $!);
    close $self->{in};
    waitpid $self->{pid}, 0;
    return;
}

1;
