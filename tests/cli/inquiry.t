#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# USR1 asks how far the run is: standard error gets the figures of the tests that are done, and
# the current test's figures so far; the run continues undisturbed.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun  qw(bonnie engines finish is_alive scratch start tree wait_until);
use RunProgram qw(slurp);

my $dir = scratch();

# Sends USR1 until the answer matches. Returns everything that is on standard
# error by then.
sub ask {
    my ($run, $answer) = @_;
    wait_until('its directory', sub { tree($dir) });
    wait_until("an answer like $answer", sub { kill USR1 => $run->{pid}; select undef, undef, undef, .02; slurp($run->{err_file}) =~ $answer });
    return slurp($run->{err_file});
}

sub end_ok {
    my ($run, $name) = @_;
    kill TERM => $run->{pid};
    finish($run);
    is($run->{status}, 'signal 15', "$name: it goes on until it is ended");
    is_deeply([ tree($dir) ], [], 'and leaves nothing');
    return;
}

my $rate = qr{[\d.]+(?: (?:[KMG]iB|[kM]))?/s};
my $time = qr/[\d.]+ [um]?s/;
my %endless = (
    'one worker'  => '-s4 -n0 --iops-duration=1000 --tests=put_block,iops',
    'two workers' => '-c2 -s4 -n0 --iops-duration=1000 --tests=put_block,iops',
    'seekers'     => '-s4:256:1000000000:2 -n0 --tests=put_block,seeks',
    (map { ("engine $_" => "-s4:4k -n0 --iops-duration=1000 --tests=put_block,iops --iodepth=8 --engine=$_") } grep { $_ ne 'sync' } engines()),
);
for my $name (sort keys %endless) {
    my ($now) = $endless{$name} =~ /seeks/ ? 'seeks' : 'iops';
    my $run = start('-d', "$dir", qw(-r0 -q), split q{ }, $endless{$name});
    my $err = ask($run, qr/^  \Q$now\E +$rate  $time so far$/m);
    like($err, qr/^bonnie: figures so far\n  put_block   (?:$rate  )?$time\n  \Q$now\E +$rate  $time so far\n/m, "$name: what is done, and what is under way");
    unlike($err, qr/^[^ ,]*,[^ ]/m, 'no line that looks like CSV');
    end_ok($run, $name);
}

my $loud = start('-d', "$dir", qw(-r0 -s1:256:1000000000:2 -n0 --tests=seeks));
like(ask($loud, qr/so far\nSeeking\.\.\.\z/), qr/^Seeking\.\.\.\nbonnie: figures so far\n/m, 'the line of progress goes on below');
end_ok($loud, 'with progress');

my $often = start('-d', "$dir", split q{ }, '-r0 -q -s0 -n1 -x1000000 --tests=seq_create,seq_del');
like(ask($often, qr/^  run [2-9]\d*\n(?:  seq_create .*\n)?  seq_\w+ .* so far$/m), qr/so far/, 'several runs: which one it is');
end_ok($often, 'several runs');

# USR1 again and again, as fast as this test can send it.
for my $engine (engines()) {
    my $run;
    for my $try (1 .. 5) { # it may be over before it is asked
        $run = start('-d', "$dir", qw(-r0 -q -s32:4k:2000:2 -n1:1000:0:2 -c2 --format=csv --iops-duration=0.2 --iodepth=1), "--engine=$engine");
        wait_until('its directory or its end', sub { tree($dir) || !is_alive($run->{pid}) });
        for my $question (1 .. 400) {
            last if !kill USR1 => -$run->{pid};
            select undef, undef, undef, .001;
        }
        finish($run);
        is($run->{status}, 0, "$engine, again and again, to the whole group: exit status 0") or diag($run->{err});
        is(scalar(split /,/, $run->{out}, -1), 50, 'and the report');
        last if $run->{err} =~ /^bonnie: figures so far$/m;
    }
    like($run->{err}, qr/^bonnie: figures so far$/m, 'and answers');
}

my $ignored = start({ wrap => [ 'sh', '-c', 'trap "" USR1; exec "$@"', 'sh' ] }, '-d', "$dir", qw(-r0 -s1:256:1000000000:2 -n0 --tests=seeks));
wait_until('it seeks', sub { slurp($ignored->{err_file}) =~ /Seeking/ });
my ($mask) = slurp("/proc/$ignored->{pid}/status") =~ /^SigIgn:\s+\w*(\w{8})$/m;
ok(hex($mask) & 1 << 10 - 1, 'ignored at the start, it stays ignored');
kill USR1 => $ignored->{pid} for 1 .. 5;
end_ok($ignored, 'ignored');
unlike($ignored->{err}, qr/figures/, 'and is not answered');

done_testing();
