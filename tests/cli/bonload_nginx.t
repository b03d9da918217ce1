#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# The target http against nginx: WebDAV, TLS, HTTP/2, error answers, and a slow server.

use strict;
use warnings;
no warnings 'qw';
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Find ();
use Test::More;
use LoadRun    qw(bonload has_web loaded);
use Nginx      qw(nginx no_nginx);
use RunProgram qw(spew);
use SweepSize  qw(is_long);

plan skip_all => 'this build lacks libcurl' if !has_web();
my $why = no_nginx();
plan skip_all => $why if $why;

my $COUNT = is_long() ? 2000 : 300;
my @HTTP  = ('-requests-engine=http', '-seed=9');
my $nginx = nginx();

sub files_in {
    my @found;
    File::Find::find({ no_chdir => 1, wanted => sub { push @found, $_ if -f } }, $_[0]);
    return @found;
}

sub no_errors {
    my ($json, $name) = @_;
    my @errors = grep {defined} map { $json->{$_}{errors} } qw(writes reads);
    return ok(@errors > 0 && !grep({ $_ > 0 } @errors), "$name: no errors");
}

# ---- objects of 1 B to 1 MiB: put, read, removed ----------------------------------------------------------
my @ALL = (@HTTP, "-max-requests=$COUNT", qw(-min-body-size=1 -max-body-size=1MiB -fair-random));
$ENV{SSL_CERT_FILE} = "$nginx->{dir}/certificate";
for my $how (qw(http https)) {
    my @there = (@ALL, "$nginx->{$how}/$how/XXXXX");
    $nginx->forget;
    no_errors(loaded(@there, '-wt=4'), "$how, put");
    is(scalar files_in("$nginx->{dir}/www/$how"), $COUNT, "$how: all are there");
    my $read = loaded(@there, '-rt=4', '-verify=full');
    no_errors($read, "$how, get");
    is($read->{damaged}, 0, "$how: as they were written");
    cmp_ok($read->{reads}{connections}, '<=', 4, "$how: connections are kept alive");
    $how eq 'https'
        ? cmp_ok($read->{reads}{tls_mean_ns}, '>', 0, 'the time that TLS takes is told')
        : is($read->{reads}{tls_mean_ns}, 0, 'no TLS');
    no_errors(loaded(@there, '-wt=4', '-ops=delete'), "$how, delete");
    is(scalar files_in("$nginx->{dir}/www/$how"), 0, "$how: nothing is left");
    my %protocols = map { (split)[1] => 1 } $nginx->asked;
    is_deeply([ keys %protocols ], [ $how eq 'http' ? 'HTTP/1.1' : 'HTTP/2.0' ], "$how: the protocol");
    my %connections = map { (split)[3] => 1 } $nginx->asked;
    cmp_ok(scalar keys %connections, '<=', 12, "$how: as the server sees it, connections are kept alive too");
}
no_errors(loaded(@HTTP, qw(-wt=2 -rt=2 -max-requests=400 -body-size=20KiB -ops=put:2,get:3,head,delete -remove), "$nginx->{https}/mix/NNNNNNNNNN"), 'all operations');
is(scalar files_in("$nginx->{dir}/www/mix"), 0, '-remove');

# ---- GOAWAY: what the server has not begun goes out again -------------------------------------------------
for my $how (['-wt=64'], [ '-rt=64', '-verify=full' ], [ '-rt=64', '-verify=full', '-http1' ], [ '-rt=32', '-wt=32', '-ops=put,get,head' ]) {
    my $many = loaded(@HTTP, @{$how}, qw(-max-requests=4000 -body-size=5KiB), "$nginx->{short}/goaway/NNNNNN");
    no_errors($many, "keepalive_requests, @{$how}");
    is($many->{damaged}, 0, 'and bodies are whole');
}

# ---- certificates ---------------------------------------------------------------------------------------------
delete $ENV{SSL_CERT_FILE};
my $stranger = bonload(@HTTP, qw(-rt=2 -max-requests=4), "$nginx->{https}/x");
is($stranger->{status}, '1', 'a certificate that nobody vouches for: exit status 1');
like($stranger->{said}, qr/^error +4 x TLS: .*certificate.*$/m, 'each is an error, and says why');
like(bonload(@HTTP, qw(-rt=2 -max-requests=4 -insecure-https), "$nginx->{https}/x")->{said}, qr/^error +4 x 404 Not Found$/m, '-insecure-https');

my @mine = (@HTTP, qw(-rt=2 -max-requests=4), "-cacert=$nginx->{dir}/certificate");
spew("$nginx->{dir}/www/page", 'x' x 10_000);
like(bonload(@mine, "$nginx->{strict}/page")->{said}, qr/^error +4 x 400 Bad Request$/m, '-cacert vouches for the server, which wants to know the client');
no_errors(loaded(@mine, "-cert=$nginx->{dir}/certificate", "-key=$nginx->{dir}/key", "$nginx->{strict}/page"), '-cert and -key');
$nginx->forget;
no_errors(loaded(@mine, '-http1', "$nginx->{https}/page"), '-http1');
is_deeply([ map { (split)[1] } $nginx->asked ], [ ('HTTP/1.1') x 4 ], '-http1: the protocol');

# ---- answers ------------------------------------------------------------------------------------------------------
my $busy = loaded(@HTTP, qw(-rps=500 -max-requests=200 -max-errors=100), "$nginx->{http}/busy");
is_deeply($busy->{reads}{failures}, [ { what => '503 Service Unavailable', count => 200 } ], 'return 503');
my $reads;
for my $size (qw(100KiB 400KiB 1600KiB)) { # a busy machine may see the first byte of a small one late
    my @slow = (@HTTP, qw(-max-requests=1), "-body-size=$size", "$nginx->{http}/slow/x");
    no_errors(loaded(@slow, '-wt=1'), 'a body that comes slowly, put');
    my $slow = loaded(@slow, qw(-rt=1 -verify=full));
    no_errors($slow, 'a body that comes slowly');
    $reads = $slow->{reads};
    last if $reads->{latency_ns}{mean} > $reads->{first_byte_ns}{mean} + 2e8;
}
cmp_ok($reads->{latency_ns}{mean}, '>', $reads->{first_byte_ns}{mean} + 2e8, 'its last byte comes long after its first');
like(bonload(@HTTP, qw(-rt=1 -max-requests=1 -timeout=100ms), "$nginx->{http}/slow/x")->{said}, qr/^error +1 x timed out$/m, 'and too late for -timeout');

done_testing();
