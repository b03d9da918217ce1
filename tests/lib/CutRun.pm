# SPDX-License-Identifier: GPL-2.0-or-later
# Runs boncut on a machine whose power is cut (PowerCut.pm), and reports the findings of each
# cut.
package CutRun;

use strict;
use warnings;
use Exporter 'import';
use JSON::PP    ();
use Time::HiRes ();
use BonnieRun   qw(finish run_tool scratch start wait_until);
use RunProgram  qw(slurp spew);

our @EXPORT_OK = qw(cut cuts faults_of said write_for);

# The faults of a unit.
my @FAULTS = qw(lost foreign torn missing came_back wrong_size unreadable);

# Starts to write, and returns the run when that time has passed after its first promise. Keeps the
# log in memory: on a disk that is busy with something else the log would wait, and what it does not
# tell counts as never written.
sub write_for {
    my ($seconds, $how, @arguments) = @_;
    my $kept = scratch();
    spew("$kept/promises", q{});
    my $run  = start({ program => 'boncut', out => "$kept/promises", %{$how} }, 'write', @arguments);
    $run->{log_directory} = $kept;
    wait_until('promises', sub { slurp($run->{out_file}) =~ /\n(?!cached |drive |new_name )\w+ .*\n/ || waitpid($run->{pid}, 1) != 0 });
    Time::HiRes::sleep($seconds);
    return $run;
}

# cut(MACHINE, seconds => N, options => [], how => {}): one cut while boncut writes. Returns the
# report of the check, with its exit status in `status`.
sub cut {
    my ($machine, %how) = @_;
    my $dir     = $machine->dir;
    my $cleaned = run_tool('boncut', '--cleanup', $dir);
    die "boncut --cleanup: $cleaned->{err}" if $cleaned->{status} ne '0';
    my $write = write_for($how{seconds} // .5, $how{how} // {}, @{ $how{options} // [] }, $dir);
    $machine->off;
    finish($write);
    return said($dir, $write->{out_file}, $machine->on ? () : '--unmounted');
}

# The report of check on a directory and a log of promises. When nothing could be judged, it has only the
# reason.
sub said {
    my ($dir, $promises, @options) = @_;
    my $check  = run_tool('boncut', { in => $promises }, 'check', '--json', @options, $dir);
    return { status => 1, err => $check->{err},
        verdict => { text => $check->{err} }, sum => {}, losses => [], controls => [] } if $check->{status} eq '1' && $check->{out} eq q{};
    my $report = eval { JSON::PP->new->decode($check->{out}) } // die "boncut check: $check->{status} $check->{err}$check->{out}";
    return { %{$report}, status => $check->{status}, err => $check->{err} };
}

# Options for honest storage. A promise flushes everything, so the control group `drive` needs time
# between two promises: after each flush there is a moment, longer on a busy machine, in which the
# drive has nothing to lose. The workers make a promise in turn, every 25 ms.
my @AT_EASE = qw(-c 4 --units 8 --rate 40);

# cuts(MACHINE, N, ...): the sums over N cuts: promises; cuts with a fault; descriptions of the
# first faults; cuts in which each control group lost something, those in which `drive` counts, and
# those that reached the drive; exit statuses; seconds per cut.
# A cut may come at any moment between two promises.
sub cuts {
    my ($machine, $count, %how) = @_;
    my %sum   = (promises => 0, faults => 0, words => [], cached => 0, drive => 0, in_place => 0, reached_drive => 0, statuses => {});
    my $begun = Time::HiRes::time();
    for my $number (1 .. $count) {
        my $report = cut($machine, seconds => .5 + rand .2, options => \@AT_EASE, %how);
        my $faults = faults_of($report);
        $sum{promises} += $report->{sum}{promises} // 0;
        $sum{faults}++ if %{$faults};
        $sum{statuses}{ $report->{status} }++;
        push @{ $sum{words} }, "cut $number: $report->{reason}",
            map { JSON::PP->new->canonical->encode($_) } @{ $report->{losses} } if %{$faults};
        $sum{ $_->{name} } += $_->{lost} > 0 for @{ $report->{canaries} };
        $sum{in_place} += $_->{name} eq 'drive' && $_->{counts} for @{ $report->{canaries} };
        $sum{reached_drive} += ($report->{layer_cut} // q{}) eq 'drive';
    }
    $sum{seconds} = (Time::HiRes::time() - $begun) / $count;
    return \%sum;
}

# The kinds of faults in a report and their numbers, with a missing directory as one kind.
sub faults_of {
    my ($report) = @_;
    my %faults = map { $_ => $report->{sum}{$_} } grep { $report->{sum}{$_} } @FAULTS;
    $faults{gone} = 1 if $report->{directory_gone};
    return \%faults;
}

1;
