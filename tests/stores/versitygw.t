#!/usr/bin/perl
# The target s3 against a store that people use, versitygw, which checks signatures. It is built from
# its Go module first, which takes minutes, so only scripts/test --long runs this. One that is in PATH is
# used at once.

use strict;
use warnings;
no warnings 'qw';
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Find ();
use IO::Socket::INET ();
use Test::More;
use BonnieRun  qw(have scratch_on_disk wait_until);
use LoadRun    qw(bonload loaded);
use RunProgram qw(slurp);
use WebServer  qw(free_port);

my $MODULE = 'github.com/versity/versitygw/cmd/versitygw@v1.8.0';

plan skip_all => 'this build lacks libcurl' if bonload(qw(-requests-engine=http -rt=1 -url=http://127.0.0.1:1/))->{err} =~ /this build lacks libcurl/;

my $dir     = scratch_on_disk();
my $gateway = have('versitygw') ? 'versitygw' : built();
plan skip_all => "versitygw cannot be had: $gateway->{why}" if ref $gateway;

# The program, built by Go; or why it cannot be.
sub built {
    return { why => 'there is no go' } if !have('go');
    local @ENV{qw(GOPATH GOCACHE GOBIN GOFLAGS)} = ("$dir/path", "$dir/cache", "$dir/bin", '-modcacherw');
    my $said = qx(timeout 1200 go install $MODULE 2>&1);
    my ($last) = $said =~ /([^\n]*)\n?\z/;
    return -x "$dir/bin/versitygw" ? "$dir/bin/versitygw" : { why => "go install ended with $last" };
}

my $port = free_port();
mkdir "$dir/store";
mkdir "$dir/store/pail";
my $pid = fork // die "fork: $!\n";
if ($pid == 0) {
    open STDOUT, '>', "$dir/log" or die;
    open STDERR, '>&', \*STDOUT or die;
    exec $gateway, qw(--access AKTEST --secret a+secret/KEY --keep-alive --port), "127.0.0.1:$port", 'posix', "$dir/store" or die;
}
END {
    if ($pid) { local $?; kill KILL => $pid; waitpid $pid, 0 }
}
wait_until('versitygw', sub { IO::Socket::INET->new("127.0.0.1:$port") });

my @S3 = ('-requests-engine=s3', "-s3-endpoint=http://127.0.0.1:$port", qw(-s3-bucket=pail -s3-api-key=AKTEST -s3-secret-key=a+secret/KEY -seed=3));

sub no_errors {
    my ($json, $name) = @_;
    return is_deeply([ map { @{ $json->{bonload}{$_}{failures} // [] } } qw(reads writes) ], [], "$name: no errors");
}

my @ALL = (@S3, qw(-max-requests=2000 -min-body-size=1 -max-body-size=1MiB -fair-random), '-url=load/a b+c%d/XXXX');
no_errors(loaded(@ALL, '-wt=4'), 'put');
my $read = loaded(@ALL, '-rt=4', '-verify=full');
no_errors($read, 'get');
is($read->{bonload}{damaged}, 0, 'as they were written');
no_errors(loaded(@ALL, qw(-rt=2 -ops=list,head)), 'list and head');
no_errors(loaded(@ALL, qw(-wt=4 -ops=delete)), 'delete');
no_errors(loaded(@S3, qw(-wt=1 -max-requests=1 -body-size=11MiB -s3-part-size=5MiB -cleanup -url=parts)), 'in parts');
my @left;
File::Find::find(sub { push @left, $File::Find::name if -f }, "$dir/store/pail");
is_deeply(\@left, [], 'nothing is left');
my $wrong = bonload((map {s{a[+]secret/KEY}{another}r} @S3), qw(-rt=1 -max-requests=5 -url=a));
is($wrong->{status}, '1', 'a wrong secret');
like($wrong->{out}, qr/^Error: 5 x 403 SignatureDoesNotMatch: /m, 'in the words of the store');
like(bonload((map {s/pail/no-such/r} @S3), qw(-rt=1 -url=a))->{err}, qr/there is no bucket no-such/, 'a missing bucket');

done_testing();
