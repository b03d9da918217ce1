#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# --seconds: whole runs until this time has passed; and the lines below the tables of several
# runs.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Time::HiRes qw(time);
use BonnieRun   qw(@ALL_TESTS bonnie refused_ok scratch tree);

my $dir  = scratch();
my @tiny = ('-d', $dir, qw(-r0 -s1 -n1 -mlab -q --cache=keep --iops-duration=0.05));

# Runs with these arguments, and returns the number of CSV lines.
sub runs_of {
    my $run = bonnie(@tiny, @_);
    return $run->{status} ? $run->{err} : scalar(() = $run->{out} =~ /^1\.98,/mg);
}

my @one = qw(--format=csv --tests=put_block);
is(runs_of(@one),                    1, 'without it one run');
is(runs_of(@one, '--seconds=0'),     1, '--seconds=0: one run');
is(runs_of(@one, '--seconds', '0.000000001'), 1, 'a time that has passed when the first is over: one run');
my $start = time;
cmp_ok(runs_of(@one, '--seconds=1.5'), '>=', 1, '--seconds=1.5: one run or more');
cmp_ok(time - $start, '>=', 1.5, 'for so long at least');
is(runs_of(@one, '--seconds=0.0001', '-x3'), 3, 'with -x, a time that is over sooner: so many runs');
cmp_ok(runs_of(@one, '--seconds=1', '-x2'), '>=', 2, 'with -x, a time that is over later: as many or more');
is(runs_of('--json', '--seconds=0.2', '--tests=put_block'), 0, 'with --json no CSV');

refused_ok(bonnie(@tiny, '--seconds=1', '-y'), qr/--seconds cannot be combined with -y: .*-x/, 'several processes');

# The lines of the summary below a run's table, from its heading on.
sub summary_of {
    my ($text) = @_;
    my ($summary) = $text =~ /^(Summary .*)\z/ms or return;
    return split /\n/, $summary;
}

my @all = ('--tests=' . join q{,}, @ALL_TESTS);
for my $words ([ '-x3', '--format=text' ], [ '-x3', '--format=text', '--preset=bonnie' ], [ '--seconds=0.3', '-x2', '--format=csv,text' ]) {
    my $run = bonnie(@tiny, @all, @{$words});
    is($run->{status}, 0, "@{$words}: exit status 0");
    my ($heading, @lines) = summary_of("@{$words}" !~ /csv/ ? $run->{out} : $run->{err});
    is(join(q{ }, split q{ }, $heading // q{}), 'Summary runs median min max unit +- 95%', 'a summary at the end');
    is(join(q{ }, map { (split)[0] } @lines), "@ALL_TESTS", 'a line for each test');
    my @wrong = grep { !/\A\w+ +\d+(?: +[\d.]+){3}  (?:KiB|ops)\/s +\d+\.\d%(?:  varies)?\z|\A\w+ +\d+(?: +\+{5}){3}  (?:KiB|ops)\/s\z/ } @lines;
    is_deeply(\@wrong, [], 'with its figures');
    is((grep { length > 80 } $heading, @lines), 0, 'in 80 columns');
}

is_deeply([ summary_of(bonnie(@tiny, @one, '--format=text')->{out}) ], [], 'one run has none');
is_deeply([ summary_of(bonnie(@tiny, @one, '-x1', '--format=text')->{out}) ], [], 'nor has -x1');
my $plain = bonnie(@tiny, '-x2', '--tests=put_block');
like($plain->{out}, qr/\Aformat_version,.*\n(?:1\.98,.*\n){2}\z/, '-x alone: a header and CSV lines');
is($plain->{err}, q{}, 'and nothing else');

is_deeply([ tree($dir) ], [], 'nothing is left in the directory');
done_testing();
