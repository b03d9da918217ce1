#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# SIGUSR1 while many threads make requests: bonload prints its figures so far each time, and the run
# goes on to its end. This test also runs under ThreadSanitizer, which loses a signal now and then,
# so it does not wait for the answer to any single one.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun  qw(finish is_alive scratch);
use LoadRun    qw(ended_in load_started);
use RunProgram qw(slurp);

my $dir = scratch();

# Sends SIGUSR1 again and again until the run has ended by itself. Returns the number of
# answers with figures.
sub ask_to_the_end {
    my ($run) = @_;
    while (is_alive($run->{pid})) {
        my ($threads) = (eval { slurp("/proc/$run->{pid}/status") } // q{}) =~ /^Threads:\s+(\d+)/m;
        kill USR1 => $run->{pid} if ($threads // 0) >= 2; # the load has begun
        select undef, undef, undef, .02;
    }
    finish($run);
    return scalar(() = $run->{err} =~ /[(]the\s+run\s+goes\s+on[)]/g);
}

# On a busy machine even a single answer may take longer than a short run.
for my $load ([qw(-requests-engine=null -rt=4 -wt=4)], [qw(-wt=4 -rt=4 -body-size=4k -mkdirs), "-url=$dir/files/XXX"], [qw(-requests-engine=sleep -rps=200 -wps=100 -max-channels=50)]) {
    my ($run, $answers);
    for my $seconds (2, 8, 32) {
        $run     = load_started(@{$load}, "-duration=${seconds}s", '-max-errors=100');
        $answers = ask_to_the_end($run);
        last if $run->{status} ne '0' || $answers > 0;
    }
    is($run->{status}, '0', "@{$load}: it ends by itself");
    cmp_ok($answers, '>', 0, 'and answers meanwhile');
    unlike($run->{err}, qr/ThreadSanitizer/, 'threads and figures do not meet');
    cmp_ok(ended_in($run->{out}, 'reads'), '>', 0, 'the figures of all of it follow');
}

done_testing();
