#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Many runs at the same time in one directory, half of which are killed, while --cleanup runs
# again and again: the others give their results, and nothing is left behind.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep time);
use BonnieRun   qw(bonnie csv_of finish start wait_until);
use Fault       qw(add_row disorder playground);
use SweepSize   qw(is_long);

my $RUNS   = is_long() ? 100 : 10;
my $ground = playground();
my @args   = ('-d', $ground->{dir}, qw(-r0 -q --format=csv --min-time=0 --cache=keep -s1:16k:40:2 -n1:100:0:2 -f));

my $alone = bonnie(@args);
is($alone->{status}, 0, 'a run that is alone');
my @measured = sort grep { csv_of($alone)->{$_} ne q{} } keys %{ csv_of($alone) };
cmp_ok(scalar @measured, '>=', 20, 'prints its figures');

# Every second run would never end. It is killed by SIGKILL, or by a signal after which
# it can clean up.
sub is_victim { my ($i) = @_; return $i % 2 }
my @runs = map { start(@args, is_victim($_) ? '-x1000000' : ()) } 0 .. $RUNS - 1;
my $cleaner = fork // die "fork: $!\n";
if ($cleaner == 0) {
    my $goes_on = 1;
    local $SIG{TERM} = sub { $goes_on = 0 }; # the last --cleanup must end normally
    bonnie('-d', $ground->{dir}, '--cleanup') while $goes_on;
    POSIX::_exit(0);
}
for my $i (grep { is_victim($_) } 0 .. $#runs) {
    sleep rand(.4) / sqrt $RUNS;
    kill $i % 4 == 1 ? 'KILL' : 'TERM', $runs[$i]{pid};
}
finish($_) for @runs;
kill TERM => $cleaner;
waitpid $cleaner, 0;

my %row = (name => "$RUNS runs at once, half killed", cases => $RUNS, clean => 0);
my @bad;
for my $i (0 .. $#runs) {
    my ($run, $values) = ($runs[$i], csv_of($runs[$i]));
    my $whole = "@measured" eq join q{ }, sort grep { $values->{$_} ne q{} } keys %{$values};
    my $kind = is_victim($i) ? ($run->{status} =~ /\Asignal (?:9|15)\z/ ? 'ended' : undef)
        :                      ($run->{status} eq '0' && $whole ? 'recovered' : undef);
    push @bad, "run $i: $run->{status} $run->{err}" if !$kind || $run->{err} ne q{};
    $row{clean}++ if $kind;
    $row{$kind // 'told'}++;
}
is_deeply(\@bad, [], 'each run ended as it should');
for my $run (@runs) { wait_until('the end of its processes', sub { !kill 0, -$run->{pid} }) }
is_deeply([ disorder($ground, []) ], [], 'nothing is left after --cleanup, and nothing foreign touched');
add_row(\%row, @bad);

done_testing();
