#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# --format: which reports bonnie prints, and in which order.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun qw(bonnie scratch tree);

my $dir   = scratch();
my @small = ('-d', $dir, qw(-r0 -s1 -n1 -mlab --cache=keep), '--tests=put_block,seq_create');

# The first letters of the lines with which reports begin; S for the summary of several
# runs.
sub printed {
    my $run = bonnie(@small, @_);
    return join q{}, $run->{status} || (), $run->{out} =~ /^(V|S|\{|1(?=\.98)|<(?=TR>))/mg;
}

is(printed(),                          'VV1',  'by default text and CSV');
is(printed('--format=text'),           'VV',   'text');
is(printed('--format=csv'),            '1',    'csv');
is(printed('--format', 'html'),        '<',    'html');
is(printed('--format=html'),           '<',    '--format=html');
is(printed('-html'),                   '<',    'classic -html');
is(printed('--format=csv,text'),       '1VV',  'csv,text');
is(printed('--format=html,csv,text'),  '<1VV', 'all three');
is(printed('--json'),                  '{',    '--json');
is(printed('--format=json,csv,text'),  '1VV{', 'what is of all runs comes last');
is(printed('--format=text,json,csv', '-x2'), 'VV1VV1S{', 'so does the summary of several runs');
is(printed('-html', '--format=csv'),  '1',    'the last one counts');

# A page of the run: drawn from its JSON, whatever is printed; where none can be drawn, nothing is measured.
{
    my $page = "$dir/page.html";
    for my $args ([], ['--json'], [ '-x2', '-q' ]) {
        my $drawn = bonnie(@small, "--html=$page", @{$args});
        is($drawn->{status}, '0', "--html PAGE @{$args}") or diag($drawn->{err});
        like(RunProgram::slurp($page), qr/\A<!DOCTYPE html>.*<svg.*<\/html>\s*\z/s, 'is a whole page');
        unlike($drawn->{out}, qr/<TR>|<html/, 'and nothing of it is printed');
        unlink $page;
    }
    for my $no ([ { env => { BON_CSV2HTML => '/none' } }, $page, qr/--html: \/none, or Perl, which it needs, was not found/ ], [ {}, "$dir/none/page", qr/none\/page: No such file/ ]) {
        my ($how, $to, $said) = @{$no};
        my $none = bonnie($how, @small, "--html=$to");
        like("$none->{status}$none->{out}$none->{err}", qr/\A1bonnie: [^\n]*(?:$said)[^\n]*\n\z/, 'no page, no measurement');
    }
}
my $run = bonnie(@small, '-html');
like($run->{out}, qr{\A<TR>(?:<TD>[^<>]*</TD>){14}</TR>\n\z}, '-html: one row of 14 cells and nothing else');
like($run->{out}, qr{\A<TR><TD>lab</TD><TD>1 [*] 1</TD><TD></TD><TD></TD><TD>(?:\d+</TD><TD>\d+\.\d|\+{5}</TD><TD>\+{3})</TD><TD></TD>},
    'label, one volume of so many MB, then pairs');

$run = bonnie(@small, '-q', '--format=text');
like($run->{out}, qr/\AVersion/, '-q with the table alone: it is what was asked for');
$run = bonnie(@small, '-q', '--format=html,text');
like($run->{out}, qr/\A<TR>.*\n\z/,  '-q with another format: that one alone on stdout');
like($run->{err}, qr/\AVersion/, 'and the table on stderr');

is_deeply([ tree($dir) ], [], 'nothing is left in the directory');
done_testing();
