#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Preset gobonniego: GoBonnieGo's three tests, its text, its JSON object key for key, and its
# options.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP ();
use Test::More;
use BonnieRun  qw(bonnie have program refused_ok run_tool scratch tree);
use RunProgram qw(spew);

my $dir  = scratch();
my @fast = ('-d', $dir, qw(--preset gobonniego --iops-duration=0.05));

my $run = bonnie(@fast, '--size', '0.015625');
is($run->{status}, 0, 'exit status 0') or diag($run->{err});
like($run->{out}, qr/\ASequential Write MB\/s: \d+\.\d\d\nSequential Read MB\/s: \d+\.\d\d\nIOPS: \d+\n\z/, 'three figures');
is_deeply([ tree($dir) ], [], 'nothing is left');

my $twice = bonnie(@fast, qw(--size=0.015625 --runs=2 -q));
is(scalar(() = $twice->{out} =~ /^IOPS: \d+$/mg), 2, '--runs 2: each run');

subtest 'JSON' => sub {
    my $json = bonnie(@fast, qw(--size 0.0625 --threads 2 --runs 2 --json -q));
    is($json->{status}, 0, 'exit status 0');
    is($json->{out} =~ tr/\n//, 1, 'one line, as GoBonnieGo prints it');
    my ($status, $table, $err) = RunProgram::run('bon_csv2txt', [], $json->{out});
    is("$status$err", '0', 'bon_csv2txt takes it');
    like($table, qr{^standard \S* *64M::2 .*^standard input +\d+$}ms, 'and shows all three figures');
    ($status, my $page, $err) = RunProgram::run('bon_csv2html', [], $json->{out});
    is("$status$err", '0', 'bon_csv2html, too');
    like($page, qr{<th scope="col">IOPS, ops/s</th>}, 'with a page');
    my $object = JSON::PP->new->decode($json->{out});
    is_deeply([ sort keys %{$object} ], [qw(disk_space_used_gib gobonniego_directory iops_duration_seconds num_readers_and_writers physical_memory_bytes results start_time version)], 'its keys');
    is($object->{gobonniego_directory}, "$dir", 'the directory');
    cmp_ok($object->{disk_space_used_gib}, '==', 0.0625, 'the size in GiB');
    is($object->{num_readers_and_writers}, 2, '--threads');
    cmp_ok($object->{iops_duration_seconds}, '==', 0.05, '--iops-duration');
    is(scalar @{ $object->{results} }, 2, 'two runs');
    for my $one (@{ $object->{results} }) {
        is_deeply([ sort keys %{$one} ], [qw(io_nanoseconds io_operations io_seconds iops read_bytes read_megabytes_per_second read_nanoseconds
            read_seconds start_time write_bytes write_megabytes_per_second write_nanoseconds write_seconds)], 'the keys of a result');
        cmp_ok(abs($one->{"${_}_seconds"} - $one->{"${_}_nanoseconds"} / 1e9), '<', 1e-9, "$_: the time in both units") for qw(write read io);
        like($_, qr/\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\z/, 'start_time: RFC 3339 in UTC') for $one->{start_time}, $object->{start_time};
        is($one->{write_bytes}, 64 << 20, '64 MiB written');
        is($one->{read_bytes},  64 << 20, 'and read');
        for my $way (qw(write read)) {
            cmp_ok(abs($one->{"${way}_megabytes_per_second"} - $one->{"${way}_bytes"} * 1000 / $one->{"${way}_nanoseconds"}), '<', .001, "$way: MB/s are 10^6 bytes");
        }
        cmp_ok(abs($one->{iops} - $one->{io_operations} * 1e9 / $one->{io_nanoseconds}), '<', .001, 'IOPS');
    }
};

my $plain = bonnie(@fast, qw(--size=64m --json -q --format=json));
is(JSON::PP->new->decode($plain->{out})->{disk_space_used_gib}, 0.0625, 'a size with a suffix is what it says');
like(bonnie(@fast, qw(--size=64m --format=csv -q))->{out}, qr/\A1\.98,(?:[^,]*,){48}[^,]*\n\z/, '--format=csv: 50 fields');

# Scripts call it by its name, or with the preset, and with options behind a single dash.
my $bin = scratch();
symlink program(), "$bin/gobonniego" or die "gobonniego: $!\n";
sub gobonniego { return run_tool("$bin/gobonniego", @_) }

subtest 'flags as Go spells them' => sub {
    my @go = (qw(-iops-duration=0.05 -size 0.015625 -threads=2 -dir), "$dir");
    my %run = (
        'by its name'             => gobonniego(@go, qw(-runs=2 -json)),
        'with two dashes'         => gobonniego(qw(--runs 2 --json), map { s/\A-(?=\w)/--/r } @go),
        '-json=true'              => gobonniego(@go, qw(-runs 2 -json=true -v=false)),
        'under the preset'        => bonnie(@go, qw(--preset=gobonniego -runs=2 -json)),
        'and with other options'  => bonnie(qw(-q -runs=2 --preset gobonniego -c4 -json), @go),
    );
    for my $name (sort keys %run) {
        is($run{$name}{status}, 0, "$name: exit status 0") or diag($run{$name}{err});
        my $object = eval { JSON::PP->new->decode($run{$name}{out}) } // {};
        is(scalar @{ $object->{results} // [] }, 2, 'two runs');
        is(join(q{ }, @{$object}{qw(gobonniego_directory num_readers_and_writers disk_space_used_gib iops_duration_seconds)}),
            "$dir 2 0.015625 0.05", 'and all that was given');
    }
    like(gobonniego(@go, qw(-json=false -seconds 0 -v))->{out}, qr/\ASequential Write MB\/s: [\d.]+\nSequential Read MB\/s: [\d.]+\nIOPS: \d+\n\z/, 'without -json: its three lines');
    my ($version) = bonnie('--version')->{out} =~ /([\d.]+)/;
    is(gobonniego('-version')->{out}, "gobonniego version $version\n", '-version');
    for my $help (map { gobonniego($_)->{out} } qw(-h -help --help)) {
        like($help, qr/\AUsage: gobonniego .*^  -size GIB .*twice the RAM.*^  -threads N .*number of CPUs/ms, 'its own flags, units and defaults');
        is((grep { $help !~ /^  $_\b/m } qw(-dir -iops-duration -json -runs -seconds -size -threads -v -version)), 0, 'all of them');
        unlike($help, qr/-n\b|--\w+(?<!--help)[ =\n]|MiB/, 'and no others');
        cmp_ok($help =~ tr/\n//, '<=', 25, 'on one screen');
    }
    my ($advice) = gobonniego(@go, '-size=0.015625')->{err} =~ /(-\S+ \d+g) avoids that$/m;
    like($advice, qr/\A-size \d+g\z/, 'its advice has its own flag');
    refused_ok({ %{ gobonniego(qw(-dir /tmp -threadz 1)) }, name => 'bonnie' }, qr/unknown option -threadz; did you mean --threads[?]/, 'a flag that there is not');
    refused_ok({ %{ gobonniego(qw(-json=perhaps)) }, name => 'bonnie' }, qr/--json: 'perhaps' is not accepted; expected true or false/, 'neither yes nor no');
    refused_ok(bonnie(@go, '-q'), qr/unknown option -i; --help/, 'without the preset they are letters, as ever');
    is_deeply([ tree($dir) ], [], 'nothing is left');
};

subtest 'a directory that is not there' => sub {
    my @go = qw(-iops-duration=0.05 -size 0.015625);
    my $run = gobonniego(@go, '-dir', "$dir/new/below");
    is($run->{status}, 0, 'exit status 0') or diag($run->{err});
    is_deeply([ tree($dir) ], [qw(new new/below)], 'it is made, and stays');
    chomp(my $filesystem = qx(stat -f -c %T '$dir'));
    like($run->{err}, qr/^bonnie: made \Q$dir\E\/new\/below, on the filesystem [\w.-]+(?: of .+)?$/m, "and it says on which filesystem ($filesystem)");
    $run = gobonniego(@go, '-dir', "$dir/new/below");
    is($run->{status}, 0, 'it may be there');
    unlike($run->{err}, qr/: made /, 'then nothing is said');
    refused_ok(bonnie(qw(-q -s1 -n0 -f -d), "$dir/other"), qr/No such file or directory/, 'only under this preset');
    refused_ok({ %{ gobonniego(@go, '-dir', '/proc/none/below') }, name => 'bonnie' }, qr{make directory /proc/none/below: No such file}, 'one that cannot be made');
};

SKIP: {
    skip 'there is no jq', 2 if !have('jq');
    # The command on GoBonnieGo's page, and the keys of its report that public
    # programs read.
    my $json = bonnie(@fast, qw(--size=16m --json -q))->{out};
    spew("$bin/report", $json);
    spew("$bin/recipe", '( .start_time | sub("\\\\.[0-9]*";"") | fromdate ) as $start | .results[] | ( .start_time | sub("\\\\.[0-9]*";"") | fromdate ) - $start');
    like(qx(jq -f '$bin/recipe' '$bin/report'), qr/\A\d+\n\z/, 'jq makes seconds of the times');
    like(qx(jq '.results[].iops, (.results[].write_seconds > 0)' '$bin/report'), qr/\A[\d.]+\ntrue\n\z/, 'and finds the figures');
}

done_testing();
