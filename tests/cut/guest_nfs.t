#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# NFS in a guest, whose kernel is both server and client: right words, and bytes within 1 % of the
# server's own counter. No program of nfs-utils is needed: the kernel is told by its own files. As
# client and server share one CPU, the wire is slow enough to leave it time.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP ();
use Test::More;
use BonnieRun  qw(program);
use Guest;
use Root;
use RunProgram qw(quoted);
use SweepSize  qw(is_long);

plan skip_all => 'with --long alone' if !is_long();
plan skip_all => 'needs root' if !Root::is_root();
my $lacking = Guest::lacking();
plan skip_all => $lacking if defined $lacking;

my $TRIES = $ENV{BONNIE_TEST_TRIES} // 20;

# The export of /tmp/export is the root of NFS 4: fsid 0, no subtree check, any port.
my $SCRIPT = <<'END';
exec 2>&1
modprobe -a nfsd nfs nfsv4
bonnie=BONNIE tries=TRIES
mkdir -p /tmp/export /tmp/share /var/lib/nfs/v4recovery
mount -t nfsd nfsd /proc/fs/nfsd
echo 'nfsd 127.0.0.1 2147483647 guest' >/proc/net/rpc/auth.unix.ip/channel
echo 'guest /tmp/export 2147483647 9218 -2 -2 0' >/proc/net/rpc/nfsd.export/channel
echo 'guest 1 \x00000000 2147483647 /tmp/export' >/proc/net/rpc/nfsd.fh/channel
echo '-2 -3 +4 +4.1 +4.2' >/proc/fs/nfsd/versions
echo 'tcp 2049' >/proc/fs/nfsd/portlist
echo 4 >/proc/fs/nfsd/threads
echo Y >/proc/fs/nfsd/v4_end_grace
mount -i -t nfs4 -o vers=4.2,addr=127.0.0.1,clientaddr=127.0.0.1 127.0.0.1:/ /tmp/share || exit 3
tc qdisc add dev lo root tbf rate 200mbit burst 256k latency 1s
counts() { sed -n 's/^io \([0-9]*\) \([0-9]*\)/\1 \2/p' /proc/net/rpc/nfsd; }
: >/tmp/nothing
run() {
	name=$1
	shift
	before=$(counts)
	echo "RUN $name $("$bonnie" -d /tmp/share -q --json -r0 -s16:1m -n0 -f --tests=put_block,get_block "$@" | tr -d '\n')"
	echo "COUNTS $name $before $(counts)"
}
i=0
while [ $i -lt "$tries" ]; do
	run cold
	run client --cache=keep
	mount --bind /tmp/nothing /proc/sys/vm/drop_caches
	run server
	umount /proc/sys/vm/drop_caches
	i=$((i + 1))
done
umount /tmp/share
echo 0 >/proc/fs/nfsd/threads
END
$SCRIPT =~ s/BONNIE/quoted(program())/e;
$SCRIPT =~ s/TRIES/$TRIES/;

my ($out, $status) = Guest::run($SCRIPT, 1800);
ok(defined $out, 'the guest came to its end') or BAIL_OUT($status);
is($status, 0, 'and its script') or diag($out);

my %said = (cold => qr/\Aserver: The server sent all of the data/, client => qr/\Apage cache: The server sent none of the data/, server => qr/\Aserver: The server sent all of the data/);
for my $name (sort keys %said) {
    my @runs   = $out =~ /^RUN $name (.*)$/mg;
    my @counts = $out =~ /^COUNTS $name (.*)$/mg;
    is(scalar @runs, $TRIES, "$name: $TRIES runs");
    my %verdicts;
    for my $i (0 .. $#runs) {
        my ($put, $get) = @{ JSON::PP->new->decode($runs[$i])->{runs}[0]{tests} };
        my ($read, $written, $now_read, $now_written) = split / /, $counts[$i];
        my $words = "$get->{limited_by}: $get->{reason}";
        $verdicts{ $words =~ s/\d+/N/gr }++;
        like($words, $said{$name}, "$name, run $i");
        my ($sent, $taken) = ($now_read - $read, $now_written - $written);
        cmp_ok(abs($get->{evidence}{read_bytes} - $sent),     '<=', .01 * $get->{bytes}, "the server's own counter: $sent sent");
        cmp_ok(abs($put->{evidence}{written_bytes} - $taken), '<=', .01 * $put->{bytes}, "$taken taken");
    }
    note("$name: ", join '; ', map {"$verdicts{$_} x $_"} sort keys %verdicts);
}

done_testing();
