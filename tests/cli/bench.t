#!/usr/bin/perl
# bench/compare works: its C programs are built from the sources of today, and its rows that need no other program
# than a compiler have figures. What they say is not tested.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun qw(program run_tool scratch source);

my $dir = scratch();
my $run = run_tool(source('bench/compare'), '--bonnie', program(), qw(--quick --pairs 1 --perchar 8 --rows),
    '^in flight null 4k|^contents|^record|^(?:read|write|getc|putc)', $dir);
is($run->{status}, 0, 'exit status 0') or diag $run->{out}, $run->{err};
is($run->{err}, q{}, 'no messages');
unlike($run->{out}, qr/not measured|left out/, 'every row was measured');
for my $row ('in flight null 4k x 32', 'contents', 'record') {
    like($run->{out}, qr/^\Q$row\E +\d/m, $row);
}
like($run->{out}, qr/^$_\b/m, $_) for qw(putc getc read write);

done_testing();
