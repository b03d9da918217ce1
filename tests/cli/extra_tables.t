#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# --percentiles and --si print tables below the usual one, with the same figures as the run's
# JSON report.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP ();
use Test::More;
use BonnieRun qw(@ALL_TESTS bonnie scratch);

my $dir   = scratch();
my @small = ('-d', "$dir", split(q{ }, '-r0 -s4m -n1 -f1 --cache=keep --iops-duration=0.05'), '--tests=' . join q{,}, @ALL_TESTS);

# Without -q standard output has both the text and the tests of the JSON object.
my ($text, $json) = bonnie(@small, '--format=text,json', '--percentiles', '--si')->{out} =~ /\A(.*?)(^\{\n.*^\}\n)\z/ms;
my %test = map { $_->{name} => $_ } @{ JSON::PP->new->decode($json)->{runs}[0]{tests} };
is_deeply([ sort keys %test ], [ sort @ALL_TESTS ], 'all tests');

sub latency_text {
    my ($ns) = @_;
    return q{-} if !defined $ns;
    return "${ns}ns" if $ns < 10_000;
    my @units = ([ 1e3, 'us' ], [ 1e6, 'ms' ], [ 1e9, 's' ]);
    for my $unit (@units) {
        my $number = int($ns / $unit->[0] + .5);
        return "$number$unit->[1]" if $number < 100_000;
    }
    return 'too long';
}

like($text, qr/^Latency         p50      p90      p95      p99    p99[.]9   p99[.]99      max$/m, 'percentiles: the heading');
for my $name (@ALL_TESTS) {
    my ($line) = $text =~ /^Latency +p50.*?^(\Q$name\E .*?)$/ms;
    my $latency = $test{$name}{latency_ns};
    is(join(q{ }, split q{ }, $line // q{}), join(q{ }, $name, map { latency_text($latency->{$_}) } qw(p50 p90 p95 p99 p99_9 p99_99 max)), "percentiles of $name");
}
unlike($text, qr/,/,     'no line that looks like CSV');
unlike($text, qr/^.{81}/m, 'in 80 columns');

for my $name (@ALL_TESTS[ 0 .. 4, 6 ]) {
    my ($mib, $mb) = $text =~ /^Throughput .*?^\Q$name\E +(\S+) +(\S+)$/ms;
    my $bytes = $test{$name}{bytes} / $test{$name}{elapsed_seconds};
    my $is_long = $test{$name}{elapsed_seconds} >= .01;
    is($mib, $is_long ? sprintf('%.1f', $bytes / (1 << 20)) : '+++++', "MiB/s of $name");
    is($mb,  $is_long ? sprintf('%.1f', $bytes / 1e6)       : '+++++', "MB/s of $name");
}
unlike($text, qr/^Throughput .*^(?:seeks|seq_\w+) +\S+ +\S+\nLatency/ms, 'tests that count operations have none');

push @small, '--tests=put_block,get_block';
my $plain = bonnie(@small, qw(--format=text))->{out};
unlike($plain, qr/^(?:Throughput|Latency +p50)/m, 'only when asked for');
for my $preset (qw(bonnie gobonniego)) {
    like(bonnie(@small, "--preset=$preset", qw(--format=text --percentiles --si))->{out}, qr/^Throughput .*^put_block .*^Latency +p50.*^get_block/ms, "preset $preset has them too");
}
like(bonnie(@small, qw(-q --percentiles))->{err}, qr/^Latency +p50/m, '-q: with the table on stderr');
is(scalar(() = bonnie(@small, qw(-q --percentiles --si))->{out} =~ /\n/g), 1, 'and CSV alone on stdout');

done_testing();
