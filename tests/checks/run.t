#!/usr/bin/perl
# tests/run adds up what programs of every kind print, and runs a failed program again only when it
# is told to.

use strict;
use warnings;
use Cwd            qw(abs_path);
use File::Basename qw(dirname);
use File::Temp     qw(tempdir);
use Test::More;

my $RUN = abs_path(dirname(__FILE__) . '/../run');

my %PROGRAMS = (
    passes   => 'print "1..2\nok 1 - a\nok 2 # SKIP no b\n# table: passes; cases 2\n";',
    skips    => 'print "1..0 # SKIP nothing here\n";',
    fails    => 'print "1..1\nnot ok 1 - always\n"; exit 1;',
    breaks   => 'print "1..2\nok 1\n"; exit 255;',
    unsteady => <<'END',
        my $passes = -e "$0.ran";
        open my $ran, ">", "$0.ran";
        print "1..2\nok 1\n", $passes ? "" : "not ", "ok 2 - in time\n# table: unsteady; cases 5\n";
        exit !$passes;
END
);

# Runs these programs in a new directory. Returns the lines about all of them, and the exit status.
sub run_of {
    my ($again, @names) = @_;
    my $dir = tempdir(CLEANUP => 1);
    for my $name (@names) {
        my ($program) = $name =~ /\A([a-z]+)/;
        open my $file, '>', "$dir/$name.t" or die "$dir/$name.t: $!\n";
        print {$file} $PROGRAMS{$program};
        close $file or die "$dir/$name.t: $!\n";
    }
    local $ENV{BONNIE_TEST_AGAIN} = $again;
    my $printed = qx(cd '$dir' && $^X '$RUN' --jobs 2 @{[ map {"$_.t"} @names ]} 2>&1);
    return ($? >> 8, grep {/^(?:unsteady|table): |passed,/} split /\n/, $printed);
}

# The table of these rows, as tests/run prints it.
sub table { return map { sprintf 'table: %-44s %10s', @{$_} } [ q{}, 'cases' ], @_ }

is_deeply([ run_of(0, qw(passes skips)) ],
    [ 0, table([ 'passes', 2 ], [ 'in all', 2 ]), '1 passed, 0 failed, 2 skipped' ], 'skips are counted, and rows are added up');
is_deeply([ run_of(0, qw(fails breaks)) ], [ 1, '1 passed, 2 failed' ], 'a program that breaks off counts as one failure');
is_deeply([ run_of(0, 'skips') ], [ 1, '0 passed, 0 failed, 1 skipped' ], 'nothing that passed is no success');

my $ROWS = [ [ 'passes', 2 ], [ 'unsteady', 5 ], [ 'in all', 7 ] ];
is_deeply([ run_of(0, qw(passes unsteady)) ], [ 1, table(@{$ROWS}), '2 passed, 1 failed, 1 skipped' ], 'a failure counts at once');
is_deeply([ run_of(1, qw(passes unsteady)) ],
    [ 0, 'unsteady: ./unsteady.t: not ok 2 - in time', table(@{$ROWS}), '3 passed, 0 failed, 1 skipped' ],
    'where failures are run again, the second result counts, and the first is told');
is_deeply([ run_of(1, qw(fails breaks)) ], [ 1, '1 passed, 2 failed' ], 'what fails twice has failed');
my @many = run_of(1, map {"unsteady$_"} 1 .. 4);
is("@many[0, -1]", '1 4 passed, 4 failed', 'failures of many programs are not run again');

done_testing;
