# SPDX-License-Identifier: GPL-2.0-or-later
# Runs bonload to its end or beside the test, and reads its output.
package LoadRun;

use strict;
use warnings;
use Exporter 'import';
use JSON::PP ();
use BonnieRun ();
use RunProgram qw(slurp);

our @EXPORT_OK = qw(as_idle bonload ended_in found_of has_ended has_web load_started loaded program said succeeds_ok);

sub program { return BonnieRun::program('bonload') }

# bonload(@arguments): a hash with status ("0", "1", "signal 2" ...), out and err, and `said`: out with
# each of its labelled lines on one. Without progress lines unless asked for. A leading hash reference is
# as for BonnieRun::bonnie().
sub bonload {
    my $how = ref $_[0] ? shift : {};
    my $run = BonnieRun::bonnie({ %{$how}, program => 'bonload' }, quiet(@_));
    $run->{said} = said($run->{out});
    return $run;
}

sub said { return $_[0] =~ s/\n {12}(?=\S)/ /gr }

# How many requests of a kind ended, by a report.
sub ended_in {
    my ($text, $kind) = @_;
    my ($made, $errors) = $text =~ /^(?:$kind) +\d+ +(\d+) +(\d+) /m;
    return ($made // 0) + ($errors // 0);
}

# Whether this build has the targets http and s3.
sub has_web { return bonload(qw(-requests-engine=http -rt=1 -url=http://127.0.0.1:1/))->{err} !~ /this build lacks libcurl/ }

sub load_started {
    my $how = ref $_[0] ? shift : {};
    return BonnieRun::start({ %{$how}, program => 'bonload' }, quiet(@_));
}

sub quiet {
    my (@args) = @_;
    return ((grep {/show-progress/} @args) ? () : '-show-progress=false', @args);
}

# Whether requests of a run have ended: sends USR1 again and again, until the figures of finished
# requests have been printed to their last line.
sub has_ended {
    my ($run) = @_;
    my ($threads) = (eval { slurp("/proc/$run->{pid}/status") } // q{}) =~ /^Threads:\s+(\d+)/m;
    die "the load has ended before: " . slurp($run->{err_file}) . "\n" if !BonnieRun::is_alive($run->{pid});
    return 0 if ($threads // 0) < 2; # the load has not begun
    kill USR1 => $run->{pid};
    return slurp($run->{err_file}) =~ /[(]the\s+run\s+goes\s+on[)].*^(?:reads|writes) +[1-9].*^seed/ms;
}

# What a search has found of a kind: "found" also if others used the machine when more load, or any
# load, broke the limit, which a test cannot prevent.
sub found_of {
    my ($kind) = @_;
    return $kind->{found} if $kind->{found} ne 'unsure' || $kind->{found_reason} !~ /others used the machine/;
    return ($kind->{found_per_second} // $kind->{found_threads}) > 0 ? 'found' : 'none';
}

# A run of -good-for with the verdict that it withheld because others used the machine, which a test
# cannot prevent.
sub as_idle {
    my ($run) = @_;
    return $run if $run->{status} ne '3' || $run->{out} !~ /\A\S+: not known: .*?;\s+the\s+machine\s+was\s+busy:|"others_busy":true/s;
    return { %{$run}, status => '2',
        out => $run->{out} =~ s/\A(\S+): not known: (.*?);\s+the\s+machine\s+was\s+busy:[^.]*[.]/$1: not good: $2./sr =~ s/"verdict":"not_known"/"verdict":"not_good"/gr };
}

# Whether a run with these options succeeded; a search may not have finished (3), or has found no load (2).
sub succeeds_ok {
    my ($run, @args) = @_;
    my $expected = !grep({/max-latency/} @args) ? qr/\A0\z/ : $run->{err} =~ /^bonload: No load keeps /m ? qr/\A2\z/ : qr/\A[03]\z/;
    return Test::More::like($run->{status}, $expected, "@args: exit status 0") || Test::More::diag($run->{err});
}

# The JSON report of a run, which must succeed.
sub loaded {
    my (@args) = @_;
    my $run = bonload('--json', @args);
    succeeds_ok($run, @args);
    return JSON::PP::decode_json($run->{out} || '{}');
}

1;
