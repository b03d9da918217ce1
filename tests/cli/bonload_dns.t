#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# A name server that never answers: neither -timeout nor a signal waits for it longer.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IO::Socket::INET ();
use Socket     qw(MSG_DONTWAIT);
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use BonnieRun  qw(%SIGNAL finish scratch_on_disk wait_until);
use LoadRun    qw(has_web load_started);
use RunProgram qw(spew);

plan skip_all => 'needs root and mounts of its own' if !Root::may_mount();
plan skip_all => 'bonload was built without libcurl' if !has_web();
my $silent = IO::Socket::INET->new(LocalAddr => '127.0.0.77', LocalPort => 53, Proto => 'udp')
    or plan skip_all => "127.0.0.77 port 53: $!";

# With these options the C library asks for ten minutes.
my $dir = scratch_on_disk();
spew("$dir/resolv.conf",   "nameserver 127.0.0.77\noptions timeout:30 attempts:5\n" . "nameserver 127.0.0.77\n" x 2);
spew("$dir/nsswitch.conf", "hosts: dns\n");
for my $file (qw(resolv.conf nsswitch.conf)) {
    system 'mount', '--bind', "$dir/$file", "/etc/$file";
}

my @ask = (qw(-requests-engine=http -rt=1 -show-progress=false -url=http://a.name.that.nobody.knows.example/));
my $asked = sub { my $bits = q{}; vec($bits, fileno $silent, 1) = 1; return select($bits, undef, undef, 0) > 0 };

$BonnieRun::HANGS = 60;
my $run = load_started(@ask, qw(-timeout=1s -max-requests=1));
is(finish($run)->{status}, 1, '-timeout=1s ends it');
like($run->{err}, qr/timed out/, 'and says why');

# Nothing has been sent yet, so nobody waits for the end of such a request.
my @s3 = (qw(-requests-engine=s3 -rt=1 -show-progress=false -s3-bucket=b -s3-api-key=key -s3-secret-key=secret -url=XX), '-s3-endpoint=http://a.name.that.nobody.knows.example');
for my $target (\@ask, \@s3) {
    $silent->recv(my $query, 4096, MSG_DONTWAIT) while $asked->();
    $run = load_started(@{$target}, qw(-timeout=600s -duration=1000s -max-errors=100));
    wait_until('the question', $asked);
    kill TERM => $run->{pid};
    is(finish($run)->{status}, "signal $SIGNAL{TERM}", "$target->[0]: so does the first TERM");
}

done_testing();
