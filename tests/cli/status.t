#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# One meaning of 0, 1, 2 and 3 in all programs: each program by each of its ways to them, and the line on
# standard error that says what, and by how much. Damage is in verify.t, and what only a real cut shows in tests/cut.

use strict;
use warnings;
no warnings 'qw';
use FindBin;
use lib "$FindBin::Bin/../lib";
use Cwd            qw(abs_path);
use File::Basename qw(dirname);
use Test::More;
use BonnieRun  qw(program run_tool scratch_on_disk);
use Root       ();
use RunProgram qw(data_file quoted slurp spew);

my $dir = scratch_on_disk();
mkdir "$dir/$_" or die "$dir/$_: $!\n" for qw(d memory);
symlink program('bonload'), "$dir/goader" or die "goader: $!\n";
my ($lab) = slurp(data_file('lab.csv')) =~ /^(1[.]98,.*\n)/m;
sub runs { my ($label, $rate) = @_; return join q{}, map { $lab =~ s/,lab,/,$label,/r =~ s/,376832,/,@{[$rate + $_]},/r } 1 .. 6 }
spew("$dir/csv", runs(old => 300_000) . runs(new => 200_000));
spew("$dir/few", $lab . $lab =~ s/,lab,/,new,/r);
spew("$dir/free", "request begins\nwrite 4k\n");
my $victim = '--victim=env ' . quoted('PATH=' . abs_path(dirname(program())) . ":$ENV{PATH}");
my @campaign = ('campaign', $victim, qw(--cut=true --same-boot --cuts=1 --after=10ms..50ms), '--write-options=-c1 --units=2 --methods=fsync', "$dir/d");

my @BONNIE = ('-d', "$dir/d", qw(-q -r0 -f -n0));
my @SLEEP  = qw(-requests-engine=sleep -show-progress=false);
my @AB     = ('--metric=s=/(.*)/', '--less-is-better', '--pairs=30');

# [ STATUS, what the line says, PROGRAM, ARGUMENTS ].
my @table = (
    [ 0, undef, bonnie => @BONNIE, qw(-s1 --tests=put_block) ],
    [ 1, qr/unknown option --wibble/, bonnie => '--wibble' ],
    [ 1, qr/No such file/, bonnie => '-d', "$dir/none", qw(-s1 -n0) ],
    [ 1, qr/Input\/output error/, bonnie => @BONNIE, qw(-s1 --engine=null --null=fail=1 --tests=put_block) ],
    [ 3, qr/\d tests? did not become steady/, bonnie => { tries => 20 }, @BONNIE, qw(-s1 --engine=null --null=delay=1 --tests=put_block --steady-state=p99 --round-time=3ms --max-rounds=5 --require-steady) ],
    [ 0, undef, bonload => @SLEEP, qw(-rt=2 -max-requests=9 -max-errors=100) ],
    [ 1, qr/-rt: 'x' is not accepted/, bonload => '-rt=x' ],
    [ 1, qr/100 % of the requests failed/, bonload => '-rt=1', '-max-requests=5', "$dir/none/XX" ],
    [ 2, qr/reads: p50 \S+ .?s is above 1 ns/, bonload => @SLEEP, qw(-rt=2 -max-requests=9 -fail-above=p50:1ns -max-errors=100) ],
    [ 2, qr/two seconds' worth/, bonload => @SLEEP, qw(-wps=500 -max-channels=2 -stop-on-bad-rate) ],
    [ 3, qr/Not known: no load was seen to keep the mean of reads below 10[.]0 s [(]not finished: .*[)][.]\z/, bonload => qw(-requests-engine=null -show-progress=false -max-latency=10s -wt=0 -max-requests=500 -window=1s) ],
    [ 2, qr/No load keeps the mean of writes below 10[.]0 s: most of the requests failed[.]\z/, bonload => qw(-show-progress=false -max-latency=10s -wt=1 -rt=0 -max-errors=100 -window=100ms), "$dir/none/XX" ],
    [ 0, undef, goader  => qw(-requests-engine=null -show-progress=false -max-latency=10s -wt=0 -max-requests=500 -window=1s) ],
    [ 2, undef, goader  => @SLEEP, qw(-wps=500 -max-channels=2 -stop-on-bad-rate) ],
    [ 0, undef, bonload => qw(-good-for=maildir -duration=1s -wt=1), "$dir/d" ],
    [ 2, qr/etcd: .*survives a crash/, bonload => qw(-good-for=etcd), "$dir/memory" ],
    [ 3, qr/etcd: .*\d/, bonload => qw(-good-for=etcd -duration=200ms -warmup=0), "$dir/d" ],
    [ 1, qr/-good-for: /, bonload => qw(-good-for=nothing), "$dir/d" ],
    [ 0, undef, boncut => qw(write --time=0.3 --methods=fsync -c1), "$dir/d" ],
    [ 1, qr/unknown command 'adit'; did you mean audit/, boncut => 'adit' ],
    [ 1, qr/not a log of boncut/, boncut => { in => data_file('lab.csv') }, 'check', "$dir/d" ],
    [ 3, qr/\ANOT KNOWN: /, boncut => { in => "$dir/promises" }, 'check', "$dir/d" ],
    [ 2, qr/\ALOST: .*\s\d+\s+promises/s, boncut => { in => "$dir/promises", before => "$dir/d" }, 'check', "$dir/d" ],
    [ 2, qr/\ANot durable: /, boncut => 'audit', "$dir/memory" ],
    [ 1, qr/No such file/, boncut => 'audit', "$dir/none" ],
    [ 3, qr/\ANOT KNOWN: .*\b1 cut/, boncut => @campaign, "--logs=$dir/nothing" ],
    [ 2, qr/\ALOST: .*in 1 of 1 cuts/, boncut => @campaign, "--logs=$dir/lost", "--before-check=rm -r $dir/d/boncut.*" ],
    [ 1, qr/--victim is missing/, boncut => 'campaign', "$dir/d" ],
    [ 1, qr/--yes confirms/, boncut => 'fs-shutdown', "$dir/d" ],
    [ 0, undef, bon_ab => @AB, '--margin=50', '--a=echo 5', '--b=echo 5' ],
    [ 1, qr/--a needs the other/, bon_ab => '--a=true' ],
    [ 2, qr/\AB is worse than A in s \(\S+ %/, bon_ab => @AB, '--a=echo 5', '--b=echo 9' ],
    [ 3, qr/not known whether/, bon_ab => @AB, '--pairs=1', '--a=echo 5', '--b=echo 6' ],
    [ 0, undef, bon_csv2txt => "$dir/csv" ],
    [ 0, undef, bon_csv2txt => qw(--baseline=new --fail-below=5), "$dir/csv" ],
    [ 1, qr/: No such file/, bon_csv2txt => "$dir/none" ],
    [ 2, qr/new: put_block is \d[\d.]* % slower/, bon_csv2txt => qw(--baseline=old --fail-below=5), "$dir/csv" ],
    [ 3, qr/cannot judge .*too few runs/, bon_csv2txt => qw(--baseline=lab --fail-below=5), "$dir/few" ],
    [ 0, undef, bon_csv2html => "$dir/csv" ],
    [ 1, qr/: No such file/, bon_csv2html => "$dir/none" ],
    [ 0, undef, zcav => qw(-q -b1), "$dir/file" ],
    [ 1, qr/: No such file/, zcav => "$dir/none" ],
    [ 0, undef, getc_putc => qw(-q -s4m), "$dir/d" ],
    [ 1, qr/No such file/, getc_putc => "$dir/none" ],
    [ 0, undef, generate_randfile => 10 ],
    [ 1, qr/COUNT is missing/, generate_randfile => () ],
);
my $memory = eval { Root::tmpfs('size=16m') };
@table = grep { my $row = $_; !grep { !ref && $_ eq "$dir/memory" } @{$row} } @table if !$memory;
my $disk    = eval { Root::filesystem_on_disk([], 'ext4', 64) };
my $overlay = $disk && Root::overlay("$disk");
my $fuse    = eval { Root::fuse() };
my $below   = run_tool('boncut', 'audit', scratch_on_disk() . q{})->{status}; # where the file is that holds $disk
push @table, map { [ $below, undef, boncut => { tries => 3 }, 'audit', "$_" ] } grep {defined} $disk, $overlay;
push @table, [ 3, qr/\ADurability is not known: no drive is known below/, boncut => 'audit', "$fuse" ] if $fuse;
spew("$dir/file", 'x' x (4 << 20));

for my $row (@table) {
    my ($status, $said, $program, @args) = @{$row};
    my $how = ref $args[0] ? shift @args : {};
    unlink glob "$how->{before}/boncut.*/*" if $how->{before};
    rmdir for $how->{before} ? glob "$how->{before}/boncut.*" : ();
    $_ =~ s{\A\Q$dir/memory\E\z}{$memory}e for @args;
    my $run;
    for (1 .. ($how->{tries} // 1)) {
        $run = run_tool($program eq 'goader' ? "$dir/goader" : $program, { in => $how->{in} }, @args);
        last if $run->{status} == $status;
    }
    spew("$dir/promises", $run->{out}) if "@args" =~ /\Awrite/;
    my $name = $program eq 'goader' ? 'bonload' : $program;
    is($run->{status}, $status, "$program @args[0 .. ($#args < 3 ? $#args : 3)]: $status") or diag($run->{err});
    like($run->{err}, qr/^\Q$name\E: (?=.*\S)/m, 'which a line says') if $status && $program ne 'goader';
    ok((grep { /$said/ } map { s/\A\Q$name\E: //r } split /\n/, $run->{err}), "with what and how much: $said") or diag($run->{err}) if defined $said;
}

done_testing();
