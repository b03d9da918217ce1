#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# A campaign on a machine whose power is cut: started with one command, and continued after an
# interruption and after a SIGKILL. Its output becomes an HTML page. Another campaign only shuts
# down the filesystem, and says so.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use PowerCut;
BEGIN { PowerCut::alone() }
use BonnieRun      qw(finish program run_tool scratch start wait_until);
use CutRun         qw(said write_for);
use File::Basename qw(dirname);
use JSON::PP       ();
use RunProgram     qw(run spew);
use SweepSize      qw(sized);

my $lacking = PowerCut::lacking();
plan skip_all => $lacking if defined $lacking;

my $machine = PowerCut->new;
my $dir     = scratch();
local $ENV{PATH} = dirname(program('boncut')) . ":$ENV{PATH}";

# The command that cuts the power. It asks this process, which cuts it and removes the file that the
# command has made. The command does not wait for that if the campaign has ended meanwhile.
$SIG{USR1} = sub {
    local ($?, $!);
    my @asked = glob "$dir/cut.*";
    $machine->off;
    $machine->on;
    unlink @asked;
};
my $cut = "touch $dir/cut.\$\$ && kill -USR1 $$ && while [ -e $dir/cut.\$\$ ]; do sleep 0.05; done";
my @campaign = ('--victim=env', "--cut=$cut", '--same-boot', '--after=300ms..800ms', '--write-options=-c 4 --units 8 --rate 20');

sub campaign {
    my ($logs, $cuts, @options) = @_;
    return start({ program => 'boncut' }, 'campaign', @campaign, "--logs=$dir/$logs", "--cuts=$cuts", @options, $machine->dir);
}

# A campaign of at least $cuts cuts. After cuts that showed nothing (status 3), which happens on a busy
# machine, it goes on. Returns the run, and the number of cuts.
my $MOST_CUTS = 30;

sub conclusive_campaign {
    my ($logs, $cuts, @options) = @_;
    for (;; $cuts++) {
        my $run = finish(campaign($logs, $cuts, @options));
        return ($run, $cuts) if $run->{status} ne '3' || $cuts >= $MOST_CUTS;
    }
}

# For each name, when this check's report was written.
sub reports {
    my ($logs) = @_;
    return map { $_ => (stat)[9] } glob "$dir/$logs/*.json";
}

# ---- one command ------------------------------------------------------------------------------

my ($whole, $cuts) = conclusive_campaign('whole', sized(3, 10, 30), '--json');
my $report = eval { JSON::PP->new->decode($whole->{out}) } // {};
is($whole->{status} . $whole->{err} =~ s/^cut \d+ of \d+: .*\n//gmr, '0', "a campaign of $cuts cuts: exit status 0");
is($report->{verdict}, 'kept', 'all is kept') or diag($whole->{out});
is($report->{sum}{cuts}, $cuts, 'in all cuts');
my $conclusive = $report->{sum}{conclusive};
cmp_ok($conclusive, '>', 0, 'which were cuts');
note($report->{reason});

spew("$dir/campaign.json", JSON::PP->new->encode($report));
my ($status, $html, $err) = run('bon_csv2html', [ "$dir/campaign.json", sort keys %{ { reports('whole') } } ]);
is("$status$err", '0', 'its page');
ok($html =~ /\b$conclusive (?:kept|cuts)/ && $html =~ /The last three seconds/, 'with its cuts and the last seconds');

# ---- interrupted ------------------------------------------------------------------------------

for my $signal (qw(INT KILL)) {
    my $cut_off = campaign($signal, 3);
    wait_until('the first cut', sub { 1 <= (my @made = reports($signal)) });
    kill $signal => $signal eq 'KILL' ? -$cut_off->{pid} : $cut_off->{pid};
    finish($cut_off);
    is($cut_off->{status}, 'signal ' . ($signal eq 'INT' ? 2 : 9), "a campaign that gets SIG$signal: ends by it");
    kill KILL => $machine->users;
    my %made     = reports($signal);
    my ($goes_on, $cuts) = conclusive_campaign($signal, 3);
    my %reports = reports($signal);
    is($goes_on->{status} . $goes_on->{err} =~ s/^cut \d+ of \d+: .*\n//gmr, '0', 'the same command goes on to its end');
    is(scalar(keys %reports), $cuts, 'with all cuts');
    is_deeply({ map { $_ => $reports{$_} } keys %made }, \%made, 'and makes none of them again');
}

# ---- shutting down only the filesystem -------------------------------------------------------

# For a moment after a syncfs nothing unsynced can be lost; in that case the test tries again.
my ($said, %lost);
my $MOST = 50;
for my $try (1 .. $MOST) {
    run_tool('boncut', '--cleanup', $machine->dir);
    my $write = write_for(.5, {}, qw(-c 4 --units 8), $machine->dir);
    my $shut  = run_tool('boncut', 'fs-shutdown', '--yes', $machine->dir);
    is($shut->{status}, 0, 'fs-shutdown') or diag($shut->{err});
    like("$shut->{err}$shut->{out}", qr/killed process \d+, which was writing here.*\nThe filesystem/, 'says what it has done');
    finish($write);
    kill KILL => $machine->users;
    $machine->remount;
    $said = said($machine->dir, $write->{out_file});
    %lost = map { $_->{name} => $_->{lost} } @{ $said->{canaries} };
    is($lost{drive}, 0, 'the drive has kept what it was given');
    last if $said->{status} ne '3';
}
is($said->{status}, 0, 'all is kept') or diag($said->{reason});
is($said->{layer_cut}, 'host', 'as far as the kernel');
cmp_ok($lost{cached}, '>', 0, 'the kernel has lost what it had in memory');
like($said->{reason}, qr/The drive was not tested: 0 of \d+ unflushed canaries were lost[.]/, 'and that is told');

$SIG{USR1} = 'DEFAULT';
undef $machine;

done_testing();
