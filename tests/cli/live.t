#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# The live line is shown only on a terminal, is never wider than the terminal,
# and is gone at the end.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Temp ();
use Test::More;
use BonnieRun  qw(bonnie has_terminal program scratch tree);
use RunProgram qw(quoted slurp);

plan skip_all => 'script(1) makes no terminal here' if !has_terminal();
my $dir = scratch();

# The output of a run on a terminal with this number of columns.
sub seen {
    my ($seconds, $columns, $environment, @options) = @_;
    my $log = File::Temp->new;
    my $run = join q{ }, "stty cols $columns;", $environment, quoted(program()), '-d', $dir,
        qw(-s4 -n1 -f -r0 --cache=keep), "--min-time=$seconds", '--tests=seeks,seq_create', @options;
    system 'script', '-qec', $run, "$log";
    is($?, 0, "$columns columns, @options: exit status 0");
    my $text = slurp("$log");
    $text =~ s/\AScript started[^\n]*\n//;
    $text =~ s/\n*Script done[^\n]*\n\z/\n/;
    return $text;
}

# The same, of tests that take longer and longer until the line is drawn in the middle of the seeks: a busy machine may
# be away for a third of a second.
sub seen_in_time {
    my @how = @_;
    my $text;
    for my $seconds (0.3, 1, 3, 9) {
        $text = seen($seconds, @how);
        last if $text =~ /Seeking[^\r\n]*1 of 2/;
    }
    return $text;
}

# A run that is interrupted in the middle of a test, as from the keyboard, later and later until it has got there.
sub seen_interrupted {
    my $text;
    for my $seconds (0.7, 3, 10) {
        my $log = File::Temp->new;
        my $run = join q{ }, "TERM=xterm timeout --foreground -s INT $seconds", quoted(program()), '-d', $dir,
            qw(-s1:256:1000000000:3 -n0 -f -r0 --cache=keep --tests=seeks);
        system 'script', '-qec', $run, "$log";
        $text = slurp("$log");
        last if $text =~ /Seeking/;
    }
    return $text;
}

open my $stdout, '>&', \*STDOUT or die "stdout: $!\n";
for my $columns (80, 40, 20) {
    open STDOUT, '>', '/dev/null' or die "/dev/null: $!\n";
    my @how  = ($columns, 'TERM=xterm', '--format=csv');
    my $text = $columns > 20 ? seen_in_time(@how) : seen(0.3, @how);
    open STDOUT, '>&', $stdout or die "stdout: $!\n";
    like($text, qr/\e\[36m#/, "$columns columns: in colours") if $columns == 80;
    $text =~ s/\e\[\d*m//g;
    my @drawn = $text =~ /\e\[J([^\r\n\e]*)/g;
    cmp_ok(scalar(grep {length} @drawn), '>', 1, "$columns columns: the line is drawn again and again");
    # The next output of the run may follow at once when the line is gone.
    my @too_long = grep { length >= $columns && !/^1[.]98,/ } @drawn;
    is("@too_long", q{}, 'it does not reach the last column');
    like($text, qr/Seeking[^\r\n]* 1 of 2\b/, 'it tells which test of how many this is') if $columns > 20;
    like($drawn[-1], qr/\A(?:1[.]98,.*)?\z/, 'in the end it is gone');
    my $left = $text =~ s/[^\r\n]*\r(?!\n)//gr =~ s/\e\[\d*[JA]//gr;
    unlike($left, qr/Seeking|Creating/, 'and no line of a test stays');
}
open STDOUT, '>', '/dev/null' or die "/dev/null: $!\n";
my $dumb  = seen(0.3, 80, 'TERM=dumb', '--format=csv');
my $quiet = seen(0.3, 80, 'TERM=xterm', '-q');
my $plain = seen_in_time(80, 'NO_COLOR=1 TERM=xterm', '--format=csv');
my $empty = seen(0.3, 80, 'NO_COLOR= TERM=xterm', '--format=csv');
my $ended = seen_interrupted();
open STDOUT, '>&', $stdout or die "stdout: $!\n";
like($dumb,    qr/^Seeking\.\.\.done\r$/m, 'a dumb terminal gets the classic lines');
unlike($dumb,  qr/\e/,           'without escape sequences');
unlike($plain, qr/\e\[\d*m/,    'NO_COLOR: no colours');
like($plain,   qr/\e\[J[^\r\n]* 1 of 2/, 'but the live line');
like($empty,   qr/\e\[36m/,     'an empty NO_COLOR is none');
unlike($dumb,  qr{/s,? |of 2},   'without number and rate');
like($ended,   qr/^bonnie: interrupted; files removed\r$/m, 'INT: it says that it has removed its files');
is_deeply([ tree($dir) ], [], 'and so it has');
unlike($quiet, qr/\e|\rSeeking/, '-q: none at all');
unlike(bonnie('-d', $dir, qw(-s1 -n0 -f -r0 --cache=keep --tests=put_block))->{err}, qr/\e/, 'not a terminal: no live line');

done_testing();
