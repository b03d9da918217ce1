#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# A name of root's file in another user's directory that comes and goes, on a system whose
# fs.protected_hardlinks is 0, where that user can make it. The sysctl is the whole machine's, so the
# machine is a guest (Guest.pm), which plays these scenes of programs.t. A shell that writes to the name
# does change the file, which shows that the attack is one.

use strict;
use warnings;
use Cwd qw(abs_path);
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Guest     ();
use SweepSize qw(is_long tries);

plan skip_all => 'with --long alone' if !is_long();
my $lacking = Guest::lacking();
plan skip_all => $lacking if defined $lacking;

my $TRIES = tries(20);
my $environment = join q{}, map {"export $_='" . (-e $ENV{$_} ? abs_path($ENV{$_}) : $ENV{$_}) . "'\n"} grep { /\ABON(?:NIE|LOAD|_)/ && !/MOUNTS/ } sort keys %ENV;
my $scenes = abs_path("$FindBin::Bin/programs.t");

my ($said, $status) = Guest::run(<<"END", 3600);
$environment
export BONNIE_TEST_TRIES=$TRIES BONNIE_TEST_SCENES='comes and goes'
echo 0 >/proc/sys/fs/protected_hardlinks
mkdir -p /tmp/his
chown nobody /tmp/his
echo precious >/tmp/precious
mkfifo /tmp/end
"\$BONNIE_ATTACKER" link /tmp/his/name /tmp/precious </tmp/end >/tmp/said &
exec 3>/tmp/end
n=0
while [ \$n -lt 10000 ] && [ "\$(cat /tmp/precious)" = precious ]; do
	n=\$((n + 1))
	echo written >>/tmp/his/name
done 2>/dev/null
exec 3>&-
wait
echo "control: \$(tail -n 1 /tmp/precious) after \$n tries, \$(tail -n 1 /tmp/said)"
perl $scenes 2>&1
END

is($status, 0, 'the scenes pass in the guest') or diag($said);
like($said // q{}, qr/^control: written after \d+ tries, struck \d+ entered 0$/m, 'where a shell that writes to the name changes root\'s file');
my @won = ($said // q{}) =~ /^(?:not )?ok \d+ - (\S.*: he never wins)$/mg;
is(scalar @won, 6, 'six programs');
note($said);

done_testing();
