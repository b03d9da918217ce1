#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Rates that change: ramps, and files of times and rates.

use strict;
use warnings;
no warnings 'qw';
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP ();
use Test::More;
use BonnieRun  qw(refused_ok scratch source);
use JsonSchema qw(schema_errors);
use LoadRun    qw(bonload loaded);
use RunProgram qw(slurp spew);

my $dir  = scratch();
my @NULL = qw(-requests-engine=null);

spew("$dir/day", "# a morning\n0 100\n500ms\t400\n500ms 1000\n1 1000 # a jump\n1s, 0  \n\n# " . 'long ' x 100 . "\n1.5 0\n");
for my $case ([ '-ramp=100..900/1s' => 500 ], [ "-load-file=$dir/day" => 125 + 500 ], [ '-ramp=1000..0/500ms' => 250 ]) {
    my ($course, $all) = @{$case};
    my $report = loaded(@NULL, $course, qw(-rps=1 -wps=0));
    my $reads  = $report->{reads};
    is($reads->{asked}, $all, "$course: the right number came due");
    cmp_ok($reads->{made}, '<=', $all, "$course: and no more were made");
    is_deeply([ schema_errors(JSON::PP::decode_json(slurp(source('share/bonload.schema.json'))), $report) ], [], "$course: as the schema says");
}
my $both = loaded(@NULL, qw(-ramp=100..900/1s -rps=3 -wps=1));
is($both->{writes}{asked}, 125, 'divided between writes and reads');
cmp_ok($both->{writes}{made}, '<=', 125, 'and no more writes were made');
cmp_ok($both->{reads}{asked}, '<=', 375, 'whose ramp begins with the first write');
is(loaded(@NULL, qw(-ramp=0..1000/10s -wps=1 -max-requests=50))->{writes}{made}, 50, '-max-requests');
my $gaps = loaded(@NULL, qw(-ramp=1000..3000/1s -wps=1 -arrival=poisson))->{writes};
cmp_ok(abs($gaps->{asked} - 2000), '<', 5 * sqrt 2000, 'exponential gaps');
cmp_ok($gaps->{made}, '<=', $gaps->{asked}, 'and no more were made');

spew("$dir/back", "2s 5\n1s 5\n");
spew("$dir/time", "30s\n");
spew("$dir/$_->[0]", "0 5\n1s $_->[1]\n") for [ third => '5 7' ], [ comma => '5,7' ], [ word => '5 reads' ];
spew("$dir/nothing", "0 0\n10s 0\n");
for my $case (
    [ [qw(-ramp=5)],                     qr/-ramp: '5' is not accepted; expected RATE[.][.]RATE\/TIME/ ],
    [ [qw(-ramp=1..2/1s -rt=1)],         qr/-ramp and -load-file set rates, and cannot be combined/ ],
    [ [qw(-ramp=1..2/1s -sweep=1)],      qr/-ramp and -load-file set rates, and cannot be combined/ ],
    [ [ '-ramp=1..2/1s', "-load-file=$dir/day" ], qr/-ramp and -load-file cannot be combined/ ],
    [ ["-load-file=$dir/none"],          qr{read \Q$dir\E/none: No such file or directory} ],
    [ ["-load-file=$dir/back"],          qr{-load-file: line 2 of \Q$dir\E/back is not accepted; expected a time and a rate} ],
    [ ["-load-file=$dir/time"],          qr{-load-file: line 1 of \Q$dir\E/time is not accepted; expected a time and a rate} ],
    (map { [ ["-load-file=$dir/$_"], qr{-load-file: line 2 of \Q$dir\E/$_ is not accepted; expected a time and a rate, in} ] } qw(third comma word)),
    [ ["-load-file=$dir/nothing"],       qr{-load-file: \Q$dir\E/nothing makes no load} ],
    )
{
    my ($args, $line) = @{$case};
    refused_ok(bonload(@NULL, @{$args}), $line, "@{$args}");
}

done_testing();
