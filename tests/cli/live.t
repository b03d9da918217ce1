#!/usr/bin/perl
# The live line: on a terminal only, never wider than it is, and gone in the end.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Temp ();
use Test::More;
use BonnieRun  qw(bonnie have program scratch);
use RunProgram qw(slurp);

plan skip_all => 'there is no script(1) for a terminal' if !have('script');
my $dir = scratch();

# What a terminal of so many columns gets to see of a run.
sub seen {
    my ($columns, $environment, @options) = @_;
    my $log = File::Temp->new;
    my $run = join q{ }, "stty cols $columns;", $environment, program(), '-d', $dir,
        qw(-s4 -n1 -f -r0 --cache=keep --min-time=0.3), '--tests=seeks,seq_create', @options;
    system 'script', '-qec', $run, "$log";
    is($?, 0, "$columns columns, @options: exit status 0");
    my $text = slurp("$log");
    $text =~ s/\AScript started[^\n]*\n//;
    $text =~ s/\n*Script done[^\n]*\n\z/\n/;
    return $text;
}

open my $stdout, '>&', \*STDOUT or die "stdout: $!\n";
for my $columns (80, 40, 20) {
    open STDOUT, '>', '/dev/null' or die "/dev/null: $!\n";
    my $text = seen($columns, 'TERM=xterm', '--format=csv');
    open STDOUT, '>&', $stdout or die "stdout: $!\n";
    my @drawn = $text =~ /\e\[J([^\r\n\e]*)/g;
    cmp_ok(scalar(grep {length} @drawn), '>', 1, "$columns columns: the line is drawn again and again");
    is((grep { length >= $columns } @drawn), 0, 'it does not reach the last column');
    like($text, qr/Seeking[^\r\n]*%/, 'it tells how far the test is') if $columns > 20;
    is($drawn[-1], q{}, 'in the end it is gone');
    my $left = $text =~ s/[^\r\n]*\r(?!\n)//gr =~ s/\e\[\d*[JA]//gr;
    like($left, qr/^Seeking\.\.\.done\r$/m, 'and what stays is the classic line');
}
open STDOUT, '>', '/dev/null' or die "/dev/null: $!\n";
my $dumb  = seen(80, 'TERM=dumb', '--format=csv');
my $quiet = seen(80, 'TERM=xterm', '-q');
open STDOUT, '>&', $stdout or die "stdout: $!\n";
unlike($dumb,  qr/\e|%/,         'a dumb terminal gets the classic lines');
unlike($quiet, qr/\e|\rSeeking/, '-q: none at all');
unlike(bonnie('-d', $dir, qw(-s1 -n0 -f -r0 --cache=keep --tests=put_block))->{err}, qr/\e/, 'not a terminal: no live line');

done_testing();
