#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Variables name files that libcurl, OpenSSL and glibc open. Another user puts a link to root's file,
# root's own file or a pipe there: nothing is added to it or read, and nobody waits. What a user names
# in his own directory works.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use POSIX ();
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use Attack     qw(attacker_works);
use BonnieRun  qw(have run_tool scratch_on_disk);
use LoadRun    qw(has_web);
use RunProgram qw(slurp spew);
use WebServer  ();

plan skip_all => 'needs root, user nobody, libcurl and openssl' if !Root::may_mount() || !attacker_works() || !has_web() || !have('openssl');

my ($nobody, $nogroup) = (getpwnam 'nobody')[ 2, 3 ];
my $top = scratch_on_disk(oct 755);
mkdir "$top/$_" or die "$_: $!\n" for qw(own his);
chown $nobody, $nogroup, "$top/his";
spew("$top/own/file", "precious\n");
chmod oct(600), "$top/own/file";
system "openssl req -x509 -newkey rsa:2048 -nodes -keyout $top/key -out $top/cert -days 1 -subj /CN=localhost >/dev/null 2>&1" and die "no certificate\n";
my $port = WebServer::free_port();
my $pid  = fork // die "fork: $!\n";
exec "exec openssl s_server -quiet -www -accept $port -key $top/key -cert $top/cert >/dev/null 2>&1" or POSIX::_exit(1) if !$pid;
END { kill TERM => $pid if $pid }

sub load {
    my (%env) = @_;
    return run_tool('bonload', { wrap => [qw(timeout -s KILL 60)], env => \%env }, qw(-show-progress=false -requests-engine=http -rt=1 -max-requests=2 -timeout=5s -insecure-https), "-url=https://127.0.0.1:$port/");
}

sub of_his { my ($path) = @_; POSIX::lchown($nobody, $nogroup, $path); return }

for (1 .. 100) {
    last if load()->{status} eq '0';
    select undef, undef, undef, 0.1;
}
for my $time (1, 2) {
    my $run = load(SSLKEYLOGFILE => "$top/own/keys");
    is($run->{status}, 0, "a file of one's own, time $time") or diag($run->{err});
}
like(slurp("$top/own/keys"), qr/\A(?:[A-Z_0-9]+ [0-9a-f]+ [0-9a-f]+\n){2,}\z/, 'has the keys of all connections');
is((stat "$top/own/keys")[2] & oct 777, oct 600, 'and is for its user alone');

symlink "$top/own/file", "$top/his/link" or die "link: $!\n";
rename "$top/own/keys", "$top/his/keys" or die "keys: $!\n";
POSIX::mkfifo("$top/his/pipe", oct 666) or die "pipe: $!\n";
of_his("$top/his/$_") for qw(link pipe);
my $keys = -s "$top/his/keys";
for my $name (qw(SSLKEYLOGFILE OPENSSL_CONF HOSTALIASES RESOLV_HOST_CONF)) {
    for my $at (qw(link keys pipe)) {
        my $run = load($name => "$top/his/$at");
        is($run->{status}, 1, "$name: $at of his is refused");
        like($run->{err}, qr{\Abonload: [^\n]*\Q$top\E/his/$at[^\n]*\n\z}, 'in one line');
    }
    is(load($name => "$top/own/missing")->{status}, 0, 'a missing file is not');
    unlink "$top/own/missing";
}
is(slurp("$top/own/file"), "precious\n", 'root\'s file is as it was');
is(-s "$top/his/keys", $keys, 'so is the one that he can move');

done_testing();
