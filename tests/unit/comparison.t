#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Bonnie::Comparison: two groups of runs, test by test, and the table of the comparison.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../../scripts/lib";
use Test::More;
use Bonnie::Comparison     ();
use Bonnie::ComparisonText qw(comparison_text);
use Bonnie::Figure         qw(number_figure);
use Bonnie::Group          ();

# runs(LABEL, TEST => [FIGURES], ...): records, of which the first has the first figure of each
# test, and so on.
sub runs {
    my ($label, %figures) = @_;
    my @records;
    for my $test (keys %figures) {
        $records[$_]{tests}{$test}{rate} = number_figure($figures{$test}[$_]) for 0 .. $#{ $figures{$test} };
    }
    return map { { label => $label, tests => $_->{tests} } } @records;
}

sub compare {
    return Bonnie::Comparison->new(map { Bonnie::Group::by_label(@{$_}) } @_);
}

sub near {
    my ($got, $expected, $name) = @_;
    ok(abs($got - $expected) <= 1e-9, $name) or diag "$got instead of $expected";
    return;
}

my $faster = compare(
    [ runs('old', putc => [ 10, 30, 20, 40 ], seeks => [ 7, 7, 7, 7 ], ran_del => [ 50, 51, 52, 53 ]) ],
    [ runs('new', putc => [ 60, 50, 70, 80, 90 ], seeks => [ 7, 7, 7, 7, 7 ], getc => [5], ran_del => [ 40, 39, 38, 37, 36 ]) ],
);

subtest 'rows' => sub {
    my @rows = $faster->rows;
    is_deeply([ map { $_->{test} } @rows ], [qw(putc getc seeks ran_del)], 'what either ran, in the order of the tests');
    my ($putc, $getc, $seeks, $ran_del) = @rows;
    is_deeply([ @{$putc}{qw(baseline_runs baseline_median other_runs other_median)} ], [ 4, 25, 5, 70 ], 'runs and medians');
    near($putc->{change_percent}, 100 * (70 / 25 - 1), 'from median to median');
    near($putc->{p}, 2 / 126, 'no run below one of the other');
    ok($putc->{significant} && $putc->{enough_runs}, 'it is significant');
    is($putc->{verdict},     'faster', 'and faster');
    is($putc->{runs_needed}, undef,    'no more runs are needed');
    ok($putc->{low_percent} > 0 && $putc->{high_percent} > 200, 'the interval is above no change');

    is_deeply([ @{$seeks}{qw(change_percent low_percent high_percent p verdict runs_needed)} ],
        [ 0, 0, 0, 1, 'not_known', undef ], 'all the same');
    is($ran_del->{verdict}, 'slower', 'another is slower');
    is_deeply($getc, { test => 'getc', baseline_runs => 0, baseline_median => undef, other_runs => 1, other_median => 5 },
        'a test that only one of them ran is not compared');
};

subtest 'worse by more than a limit' => sub {
    my ($change) = map { $_->{change_percent} } grep { $_->{test} eq 'ran_del' } $faster->rows;
    is_deeply([ map { $_->{test} } $faster->slower_by(0) ], ['ran_del'], 'by more than nothing');
    is(scalar(() = $faster->slower_by(-$change)), 0, 'not by more than it is');
    ok($faster->judged > 0, 'it had enough runs');
    my $few = compare([ runs('old', putc => [ 30, 31, 32 ]) ], [ runs('new', putc => [ 10, 11, 12 ]) ]);
    is(scalar(() = $few->slower_by(0)), 0, 'three runs of each: nothing is significant');
    is(scalar $few->judged, 0, 'nor could it be');
    is(($few->rows)[0]{runs_needed}, 6, 'six runs should show it');
    is(($few->rows)[0]{low_percent}, undef, 'there is no interval');
};

subtest 'a few runs beside many' => sub {
    my $sure = compare(
        [ runs('old', putc => [ 30 .. 33 ], getc => [ 51 .. 60 ], seeks => [ 51 .. 60 ], rewrite => [ 51 .. 60 ]) ],
        [ runs('new', putc => [ 10 .. 13 ], getc => [ 1 .. 10 ], seeks => [ 1 .. 10 ], rewrite => [ 1 .. 10 ]) ],
    );
    is_deeply([ map { $_->{test} } $sure->slower_by(0) ], [qw(putc rewrite getc seeks)], 'where all others are worse, four runs are enough');
    is_deeply($sure->unjudged, {}, 'so that none was not judged');
    my $unsure = compare([ runs('old', putc => [ 30 .. 33 ], getc => [ 1 .. 10 ]) ], [ runs('new', putc => [ 10 .. 13 ], getc => [ 1 .. 10 ]) ]);
    is(scalar(() = $unsure->slower_by(0)), 0, 'and are not where nothing else is');
    is_deeply($unsure->unjudged, { 'too few runs' => ['putc'] }, 'the comparison gives the reason');
    is(($unsure->rows)[0]{verdict}, 'slower', 'though the test is worse if judged by itself');
};

subtest 'judged together' => sub {
    my @tests = qw(putc put_block rewrite getc get_block seeks);
    my %up    = (old => 0, new => 1);
    my (%runs, %few);
    for my $label (sort keys %up) {
        my $up = $up{$label};
        $runs{$label} = [ runs($label, putc => [ map { $_ + 10 * $up } 1 .. 6 ], rewrite => [ map { 2 * $_ + 7 * $up } 1 .. 6 ],
            map { $_ => [ 1 .. 6 ] } @tests[ 1, 3 .. 5 ]) ];
        $few{$label} = [ runs($label, putc => [ map { $_ + 10 * $up } 1 .. 4 ], map { $_ => [ 1 .. 4 ] } @tests[ 1 .. 5 ]) ];
    }
    my ($alone, $together) = map { Bonnie::Comparison->new((map { Bonnie::Group::by_label(@{ $runs{$_} }) } qw(old new)), together => $_) } 0, 1;
    my %by = map { $_->{test} => $_ } $alone->rows;
    my $changed = 0;
    for my $row ($together->rows) {
        my $corrected = $by{ $row->{test} }{corrected_p};
        near($row->{p}, $corrected, "$row->{test}: p is corrected");
        is($row->{verdict}, $corrected < 0.05 ? 'faster' : 'not_known', 'and decides');
        $changed++ if $row->{verdict} ne $by{ $row->{test} }{verdict};
    }
    is(($together->rows)[0]{verdict}, 'faster', 'what is clear stays so');
    is($changed, 1, 'what is less so does not');
    is_deeply([ map { $_->{test} } $together->slower_by(0) ], [ map { $_->{test} } $alone->slower_by(0) ], 'a script is told the same');
    like(comparison_text($together), qr/corrected for the number of tests [(]Holm[)]/, 'the table says so');
    unlike(comparison_text($alone), qr/Holm/, 'and only then');

    my ($putc) = Bonnie::Comparison->new((map { Bonnie::Group::by_label(@{ $few{$_} }) } qw(old new)), together => 1)->rows;
    ok(!$putc->{enough_runs}, 'four runs are too few for one of six tests');
    cmp_ok($putc->{runs_needed}, '>=', 5, 'the comparison says how many runs would do');
};

# Twelve tests of two equal groups. Each is called worse in one of forty comparisons, so one
# of the twelve in a quarter of all; but a script must be stopped in at most one of twenty.
subtest 'false alarms of twelve tests' => sub {
    srand 4711;
    my @tests = qw(putc put_block rewrite getc get_block seeks seq_create seq_stat seq_del ran_create ran_stat ran_del);
    my ($comparisons, $gates, $marks) = (400, 0, 0);
    for (1 .. $comparisons) {
        my $same = compare(map { my $label = $_; [ runs($label, map { $_ => [ map { sprintf '%.6f', 100 + rand } 1 .. 8 ] } @tests) ] } 'a', 'b');
        $gates++ if $same->slower_by(0);
        $marks++ if grep { $_->{verdict} eq 'slower' } $same->rows;
    }
    cmp_ok($gates / $comparisons, '<=', 0.055, sprintf '%.1f %% of the gates fail', 100 * $gates / $comparisons);
    cmp_ok($gates, '>', 0, 'some do');
    cmp_ok($marks / $comparisons, '>', 0.15, sprintf 'of %.1f %% that have a mark', 100 * $marks / $comparisons);
};

subtest 'no measurement, and zero' => sub {
    my $comparison = compare(
        [ runs('old', putc => [ '+++++', 8, q{}, 8, 8, 8, 'x' ], seeks => [ (0) x 5 ], getc => [ 1 .. 5 ], rewrite => [ ('+++++') x 2 ]) ],
        [ runs('new', putc => [ 9, 9, 9, 9 ], seeks => [ 1 .. 5 ], getc => [ (0) x 5 ], rewrite => [ 1, 2 ]) ],
    );
    my ($putc, $rewrite, $getc, $seeks) = $comparison->rows;
    is($putc->{baseline_runs}, 4, 'what is no figure does not count');
    is($putc->{verdict}, 'faster', 'the others do');
    is_deeply([ @{$rewrite}{qw(baseline_runs other_runs p)} ], [ 0, 2, undef ], 'too fast to measure');
    is_deeply([ @{$getc}{qw(change_percent high_percent verdict)} ], [ -100, -100, 'slower' ], 'down to zero');
    is_deeply([ @{$seeks}{qw(change_percent high_percent verdict)} ], [ undef, undef, 'faster' ], 'up from zero is no percentage');
    like(comparison_text($comparison), qr/^seeks +0 +3 +from zero +[0-9.]+ +faster$/m, 'the table says so');
    like(comparison_text(compare([ runs('old', putc => [ (7) x 5 ]) ], [ runs('new', putc => [ (7) x 5 ]) ])),
        qr/\Anew and old: not known to differ in any of 1 tests[.]\n.*^putc +7 KiB +7 KiB +[+]0[.]0 % +[+]0[.]0 % +[+]0[.]0 % +1[.]0000  not known\n.*^putc: each label is faster in the same number of pairs/ms, 'no difference at all: no number of runs shows it');
};

subtest 'baseline' => sub {
    my @groups = Bonnie::Group::by_label(map { runs($_, putc => [ 1, 2 ]) } qw(b a c));
    my @comparisons = Bonnie::Comparison::with_baseline({}, 'a', @groups);
    is_deeply([ map { [ $_->baseline->label, $_->other->label ] } @comparisons ], [ [qw(a b)], [qw(a c)] ],
        'every other label is compared with it');
    is(eval { Bonnie::Comparison::with_baseline({}, 'd', @groups) }, undef, 'a label that there is not');
    is($@, qq{no result has the label "d"; the labels are "b", "a", "c"\n}, 'names those that there are');
    is(eval { Bonnie::Comparison::with_baseline({}, 'b', $groups[0]) }, undef, 'no other label');
    is($@, qq{nothing to compare with: every result has the label "b"\n}, 'is said, too');
    @groups = Bonnie::Group::by_label(map { runs($_ x 100, putc => [1]) } 'a' .. 'z');
    ok(!eval { Bonnie::Comparison::with_baseline({}, q{}, @groups) }, 'many long labels');
    like($@, qr/, 16 more\n\z/, 'are not all named');
    cmp_ok(length $@, '<', 600, 'nor in full');
};

subtest 'the table keeps to its columns' => sub {
    my @figures = (q{}, '+++++', qw(0 1 0.000000000000000001 9.95 999.95 99999.5 999999999999999999 123456789012345678.9));
    for my $old (@figures) {
        for my $new (@figures) {
            my $text = comparison_text(compare(
                [ runs("\x{FFFD}" x 300, putc => [ ($old) x 5, 1 ], seeks => [ ($old) x 6 ]) ],
                [ runs('w' x 300, putc => [ ($new) x 5, 1 ], seeks => [ ($new) x 6 ]) ]));
            ok($text !~ /^.{81}/m, "\"$old\" and \"$new\"") or diag $text;
            ok($text !~ /[^\n[:print:]\x{2026}]|nan|inf\b/i, 'nothing in it is no figure') or diag $text;
        }
    }
};

done_testing();
