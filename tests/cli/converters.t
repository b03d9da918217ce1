#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# The CSV line goes through converters: those of Debian's Bonnie++, and ours, which restore
# the table. Ours also accept the whole output of Bonnie++.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun  qw(bonnie scratch table_of);
use RunProgram qw(run slurp spew);

my $dir = scratch(oct 777);
my @small = ('-d', $dir, qw(-r0 -s2 -mlab --cache=keep));

# The table and the CSV line of a run.
sub printed {
    my $run = bonnie(@small, @_);
    is($run->{status}, 0, "@_: exit status 0");
    my ($table, $csv) = $run->{out} =~ /\A(.*?)^(1\.98,.*\n)\z/ms;
    return (table_of($table), $csv);
}

my %options = (
    'all'        => [qw(-n1)],
    'I/O alone'  => [qw(-n0 -s4:64k:100:2)],
    'files only' => [qw(-s0 -n2:3000:10:4:512 -c2)],
    'links'      => [qw(-s0 -n1:-1::3)],
    'symlinks'   => [qw(-s1 -f -n1:-2)],
    'some tests' => ['-n1', '--tests=putc,get_block,ran_stat'],
    'long label' => [qw(-n1 -f -c2 -mthis.is-a-rather-long-name-of-a-machine)],
    'odd label'  => [ qw(-n1 -m), "<script>alert(1)</script>,\"x\"& \xC3\xBC" ],
);
for my $name (sort keys %options) {
    my ($table, $csv) = printed(@{ $options{$name} });
    my ($status, $text, $err) = run('bon_csv2txt', [], $csv);
    $table =~ s/\n\K\n\z//; # which Bonnie++ prints in place of the second half, and its bon_csv2txt does not
    is($text, $table, "$name: our bon_csv2txt gives the table back, byte for byte");
    is("$status$err", '0', 'without a complaint');
    ($status, my $html, $err) = run('bon_csv2html', [], $csv);
    is("$status$err", '0', "$name: our bon_csv2html takes it");
    like($html, qr/<svg/, 'and draws it');
}

# The CSV line and the JSON of the same run, found in its whole output.
{
    my $all = bonnie(@small, '-n1:300:20:3', '--format=text,csv,json')->{out};
    my ($table) = $all =~ /\A(.*?)^1\.98,/ms;
    my ($status, $text, $err) = run('bon_csv2txt', [], $all);
    is("$status$err", '0', 'CSV and JSON mixed are read');
    my %times;
    $times{$_}++ for split /^/, $text;
    my @rows = $table =~ /^(lab +2M.*\n|Latency.*\n)/mg;
    is("@times{@rows}", '2 2 2', 'and give the same rows') or diag($table, $text);
}

# Only the JSON has the test iops.
for my $more ([], [ '--tests=put_block,iops,ran_del', qw(-n1 -c2) ]) {
    my $all = bonnie(@small, qw(-n0 --tests=iops --iops-duration=1 --iops-block=512 --iops-writes=50), @{$more},
        '--format=text,json')->{out};
    my ($table, $json) = $all =~ /\A(.*?)^(\{.*)/ms;
    my ($status, $text, $err) = run('bon_csv2txt', [], $json);
    is("$status$err", '0', "iops @{$more}: our bon_csv2txt takes it");
    is($text, table_of($table), 'and gives the table back');
    ($status, $text, $err) = run('bon_csv2txt', [], $json =~ s/"iops_block_bytes": 512/"iops_block_bytes": "\\u001b<"/r);
    is("$status$err", '0', 'a size that is none is left out');
    like($text, qr/^lab {26}50% +\d+ /m, 'of its column');
}

sub debian {
    my ($program, $input) = @_;
    spew("$dir/in.csv", $input);
    my $status = system "/usr/bin/$program <$dir/in.csv >$dir/out 2>$dir/err";
    return ($status, slurp("$dir/out"), slurp("$dir/err"));
}

SKIP: {
    skip "Debian's package bonnie++ is not installed", 6 if grep { !-x } qw(/usr/bin/bon_csv2html /usr/bin/bon_csv2txt /usr/sbin/bonnie++);
    my ($table, $csv) = printed(qw(-n1 -z77));
    my @fields = split /,/, $csv;
    my ($status, $out, $err) = debian('bon_csv2html', $csv);
    is("$status$err", '0', q{Debian's bon_csv2html takes it});
    like($out, qr{<TD[^>]*>lab</TD>|lab}i, 'and shows it');
    my %shown = map { $_ => 1 } $out =~ />([0-9.]+|\+{3,5})</g;

    # The converter shows throughput in MiB, and getc and seeks unchanged. It does not show the +++++ of
    # throughput that was measured for less than 10 ms.
    my @figures = ((map { sprintf '%.0f', $_ / 1024 } grep {/^\d/} @fields[ 11, 13, 17 ]), @fields[ 15, 19 ]);
    my @unshown = grep { !$shown{$_} } @figures;
    is(scalar(@unshown), 0, 'with our figures') or diag("@unshown");
    ($status, $out, $err) = debian('bon_csv2txt', $csv);
    is("$status$err", '0', q{Debian's bon_csv2txt takes it});
    like($out, qr/lab/, 'and shows it');
    ($status, $out, $err) = debian('bon_csv2html', (printed(qw(-n1 -f -m), $options{'odd label'}[-1]))[1]);
    unlike($out, qr/<script/, 'a hostile label goes harmless through it');

    my @user = $> == 0 ? qw(-u nobody) : ();
    my $peer = `bonnie++ -d $dir -s 2 -r 0 -n 1 -f -m peer -q @user 2>$dir/table`;
    my $whole = slurp("$dir/table") . $peer;
    like($peer, qr/^1\.9/m, q{Bonnie++ prints a line}) or diag($whole);
    for my $program (qw(bon_csv2txt bon_csv2html)) {
        ($status, $out, $err) = run($program, [], $whole . $csv);
        is("$status$err", '0', "our $program takes Bonnie++'s whole output, with ours behind it");
        like($out, qr/peer/, q{and shows Bonnie++'s result});
        like($out, qr/lab/,  'and ours');
    }
}

done_testing();
