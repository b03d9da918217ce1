# SPDX-License-Identifier: GPL-2.0-or-later
# The object store of the tests (s3_store.py), which checks every signature with botocore.
package S3Store;

use strict;
use warnings;
no warnings 'qw';
use Exporter 'import';
use File::Basename qw(dirname);
use IPC::Open2 qw(open2);

our @EXPORT_OK = qw(s3_store spellings no_botocore);
our ($ACCESS, $SECRET, $REGION, $BUCKET) = ('AKIDTESTS', 'wJalr/secret+KEY=', 'moon-1', 'pail');

# Why there can be no store; undef: there can.
sub no_botocore {
    my $probe = system q{/usr/bin/python3 -c 'import botocore.auth' >/dev/null 2>&1};
    return $probe == 0 ? undef : 'there is no python3-botocore';
}

# s3_store(NAME => VALUE...): starts one, with a token, several buckets (a list), the domain that
# buckets precede, and the path of a log of all that may change something.
sub s3_store {
    my (%how) = @_;
    my @buckets = @{ $how{buckets} // [$BUCKET] };
    my $pid = open2(my $out, my $in, '/usr/bin/python3', dirname(__FILE__) . '/s3_store.py', 0, $ACCESS, $SECRET, $REGION, join(q{,}, @buckets),
        $how{domain} // 'localhost', $how{log} // '/dev/null', $how{token} // ());
    my $port = <$out> // die "the store did not start\n";
    chomp $port;
    return bless { pid => $pid, in => $in, out => $out, port => $port, url => "http://127.0.0.1:$port", parent => $$ }, __PACKAGE__;
}

# spellings(PORT): endpoints and buckets as people write them, all of which mean the bucket "minio" of a
# store that also has a bucket "load". Each is [DOMAIN, ENDPOINT, BUCKET, OPTION, WORKS]: the domain that
# buckets precede in that store, and whether objects come to lie in the bucket "minio"; otherwise nothing is
# written anywhere.
sub spellings {
    my ($port) = @_;
    my ($short, $long, $virtual) = ('localhost', 'minio.localhost', '-s3-virtual');
    my @hosts = (
        [ $long,  "minio.localhost:$port",            q{},      1 ],
        [ $long,  "minio.localhost:$port/",           q{},      1 ],
        [ $long,  "MINIO.localhost:$port",            q{},      1 ],
        [ $long,  "minio.localhost:$port",            $virtual, 0 ],
        [ $long,  "minio.minio.localhost:$port",      q{},      0 ],
        [ $long,  "minio.minio.localhost:$port",      $virtual, 1 ],
        [ $long,  "Minio.minio.localhost:$port",      $virtual, 1 ],
        [ $long,  "load.minio.localhost:$port",       q{},      0 ],
        [ $long,  "load.minio.localhost:$port",       $virtual, 0 ],
        [ $long,  "load.localhost:$port",             q{},      1 ],
        [ $long,  "localhost:$port",                  q{},      1 ],
        [ $long,  "localhost:$port",                  $virtual, 0 ],
        [ $long,  "127.0.0.1:$port",                  q{},      1 ],
        [ $long,  "127.0.0.1:$port//",                q{},      1 ],
        [ $long,  "127.0.0.1:$port",                  $virtual, 0 ],
        [ $long,  "127.0.0.1:$port/load",             q{},      0 ],
        [ $long,  "127.0.0.1:$port/minio",            q{},      0 ],
        [ $long,  "127.0.0.1:$port/minio/../load",    q{},      0 ],
        [ $long,  "127.0.0.1:$port/%2e%2e/load",      q{},      0 ],
        [ $long,  "minio.localhost:$port/load",       q{},      0 ],
        [ $long,  "127.0.0.1:$port,http://minio.localhost:$port", q{}, 1 ],
        [ $short, "minio.localhost:$port",            q{},      0 ],
        [ $short, "minio.localhost:$port",            $virtual, 1 ],
        [ $short, "localhost:$port",                  $virtual, 1 ],
        [ $short, "localhost:$port/",                 q{},      1 ],
        [ $short, "load.localhost:$port",             q{},      0 ],
        [ $short, "load.localhost:$port",             $virtual, 0 ],
    );
    my @buckets = map { ([ $_, q{} ], [ $_, $virtual ]) }
        qw(minio/ /minio minio/../load load/../minio ../load .. . minio%2Fload minio?load minio#load Minio), q{}, q{ };
    return ((map { [ $_->[0], "http://$_->[1]", 'minio', @{$_}[ 2, 3 ] ] } @hosts), map { [ $short, "http://localhost:$port", @{$_}, 0 ] } @buckets);
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
