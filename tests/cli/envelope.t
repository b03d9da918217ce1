#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Every JSON document of the suite, of each program that has --json: it begins with the envelope, is as its schema
# says, and its numbers are those that jq, which keeps them as doubles, reads: no digit of any is lost.

use strict;
use warnings;
no warnings 'qw';
use FindBin;
use lib "$FindBin::Bin/../lib";
use Cwd            qw(abs_path);
use File::Basename qw(dirname);
use JSON::PP     ();
use Math::BigFloat ();
use Test::More;
use BonnieRun  qw(have program run_tool scratch_on_disk sources);
use JsonSchema qw(schema_errors);
use RunProgram qw(data_file quoted slurp spew);

my $dir = scratch_on_disk();
mkdir "$dir/$_" or die "$dir/$_: $!\n" for qw(d c);
spew("$dir/file", 'x' x (2 << 20));
spew("$dir/promises", run_tool('boncut', qw(write --time=0.2 -c1 --methods=fsync), "$dir/d")->{out});
my $victim = '--victim=env ' . quoted('PATH=' . abs_path(dirname(program())) . ":$ENV{PATH}");

my @ENVELOPE = qw(format format_version program version label start_time elapsed_seconds host storage settings);
my %ANSWERS  = map { $_ => 1 } qw(good not_good not_known kept lost unreadable not_ruled_out not_durable faster slower no_difference);

# [ FORMAT, whether it answers a question, PROGRAM, ARGUMENTS ].
my @documents = (
    [ 'bonnie', 0, 'bonnie', '-d', "$dir/d", qw(-q -r0 -s2 -n1 -x2) ],
    [ 'bonnie', 0, 'bonnie', qw(-q --time=200ms -s4m), "$dir/d" ],
    [ 'bonload', 0, 'bonload', qw(-rps=400 -wps=20 -duration=700ms -body-size=4KiB -mkdirs), "$dir/d/load/XX" ],
    [ 'bonload', 0, 'bonload', qw(-requests-engine=null -sweep=300,600 -duration=200ms) ],
    [ 'bonload', 0, 'bonload', qw(-requests-engine=null -rt=1 -max-requests=9 -seed=4611686018427387904) ],
    [ 'bonload', 1, 'bonload', qw(-good-for=etcd -duration=200ms -warmup=0), "$dir/d" ],
    [ 'boncut-check', 1, 'boncut', { in => "$dir/promises" }, 'check', "$dir/d" ],
    [ 'boncut-audit', 1, 'boncut', 'audit', "$dir/d" ],
    [ 'boncut-campaign', 1, 'boncut', 'campaign', $victim, qw(--cut=true --same-boot --cuts=1 --after=10ms..50ms), "--logs=$dir/logs", '--write-options=-c1 --units=2 --methods=fsync', "$dir/c" ],
    [ 'bonwhy', 0, 'bonwhy', qw(-q -- cp), "$dir/file", "$dir/copy" ],
    [ 'zcav', 0, 'zcav', qw(-q -b1), "$dir/file" ],
    [ 'bon_ab', 1, 'bon_ab', '--metric=s=/(.*)/', '--less-is-better', '--pairs=3', '--a=echo 5', '--b=echo 5' ],
    [ 'bon_csv2txt', 0, 'bon_csv2txt', data_file('lab.csv') ],
);

# Which programs have --json, and which formats the schemas have.
my %has_json = map { $_ => 1 } grep { run_tool($_, '--all-options')->{out} =~ /^option\t[^\t]*\tjson\t/m } qw(bonnie bonload boncut bonwhy zcav getc_putc generate_randfile bon_ab bon_csv2html bon_csv2txt);
is_deeply([ sort keys %has_json ], [ sort keys %{ { map { $_->[2] => 1 } @documents } } ], 'each program that has --json is here');
my %schema = map { m{([^/]+)[.]schema[.]json\z} => slurp($_) } sources('share/*.schema.json');
is_deeply([ sort map {/"format": \{ "const": "([^"]+)"/g} values %schema ], [ sort keys %{ { map { $_->[0] => 1 } @documents } } ], 'and each format');

# The numbers of a document in their order, without the strings, as decimal text of one form.
sub numbers {
    my ($text) = @_;
    $text =~ s/"(?:[^"\\]++|\\.)*+"//gs;
    return map { Math::BigFloat->new($_)->bstr } $text =~ /-?\d+(?:[.]\d+)?(?:[eE][-+]?\d+)?/ga;
}

for my $case (@documents) {
    my ($format, $answers, $program, @args) = @{$case};
    my $how  = ref $args[0] ? shift @args : {};
    my $json = $args[0] =~ /\A[a-z]+\z/ ? 1 : 0;    # behind the command
    splice @args, $json, 0, '--json';
    my $run  = run_tool($program, $how, @args);
    my $name = "$program @args[0 .. ($#args < 2 ? $#args : 2)]";
    if ($program eq 'bonwhy' && $run->{status} eq '125') { note("nothing can be traced here: $run->{err}"); next }
    my $read = eval { JSON::PP->new->utf8->decode($run->{out}) };
    ok($read, "$name: one document") or do { diag("$run->{status} $run->{err}$run->{out}"); next };
    my ($whole) = grep { $schema{$_} =~ /"format": \{ "const": "\Q$format\E"/ } keys %schema;
    is(join("\n", schema_errors(JSON::PP->new->decode($schema{$whole}), $read)), q{}, 'as its schema says');
    is_deeply([ grep { !exists $read->{$_} } @ENVELOPE ], [], 'it has the envelope');
    is("$read->{format} $read->{format_version} $read->{program} $read->{version}", "$format 1 $program " . (run_tool($program, '--version')->{out} =~ /(\d+[.]\d+[.]\d+)/)[0], 'with its format and program');
    like($read->{start_time}, qr/\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\z/, 'the time in UTC');
    is(join(q{ }, map {ref} @{$read}{qw(host settings)}), 'HASH HASH', 'machine and settings');
    is(join(q{ }, map { exists $read->{$_} ? 1 : 0 } qw(verdict reason)), "$answers $answers", $answers ? 'an answer with its reason' : 'no answer');
    ok($ANSWERS{ $read->{verdict} }, "in one of the words for answers: $read->{verdict}") if $answers;
    SKIP: {
        skip 'there is no jq', 2 if !have('jq');
        spew("$dir/document", $run->{out});
        my @ours = numbers($run->{out});
        cmp_ok(scalar @ours, '>=', 5, 'it has numbers');
        is_deeply([ numbers(scalar qx(jq -c 'walk(if type == "number" then . + 0 else . end)' '$dir/document')) ], \@ours, 'which are those that jq prints');
    }
}
is_deeply([ numbers('{"a 1":[0.50,-1e3,"2\"3"],"b":12}') ], [qw(0.5 -1000 12)], 'numbers are found, and not those in strings');

done_testing();
