#!/usr/bin/perl
# The house is as docs/architecture.md draws it: includes point one way, files are short, and nothing
# in them is of one machine only.

use strict;
use warnings;
use File::Basename qw(dirname);
use File::Find     qw(find);
use Test::More;

my $TOP = $ENV{BONNIE_TEST_SRCDIR} // dirname(__FILE__) . '/../..';
my $SRC = "$TOP/src";

# What each module may include besides itself. A module is a directory or a file below src; of cli,
# others may see the files that are named here.
my %MAY = (
    'util'          => [],
    'testid'        => [],
    'host'          => [],
    'progress'      => [],
    'measure'       => [qw(result util)],
    'engines'       => [qw(io measure util)],
    'queue'         => [qw(engines io measure stop util)],
    'generations'   => ['util'],
    'gauge'         => ['util'],
    'board'         => [qw(contents measure util)],
    'monitor'       => [qw(board dropper gauge io measure result stop util)],
    'contents'      => [qw(generations pattern util)],
    'job'           => ['util'],
    'stop'          => ['util'],
    'output'        => ['util'],
    'privilege'     => ['util'],
    'scratch_names' => ['util'],
    'random_file'   => ['util'],
    'result'        => ['testid'],
    'summary'       => [qw(result testid)],
    'report'        => [qw(result summary util)],
    'cli'           => [qw(result contents.h coordinate.h engines pattern.h util)],
    'io'            => [qw(stop util)],
    'cache'         => [qw(io stop util)],
    'dropper'       => [qw(io privilege stop util)],
    'scratch'       => [qw(scratch_names util)],
    'cleanup'       => [qw(scratch_names util)],
    'pattern'       => [qw(util)],
    'coordinate'    => [qw(stop util)],
    'plan'          => [qw(cli/settings.h cli/limits.h cli/preset.h engines host pattern random_file util)],
    'worker'        => [qw(job measure stop util)],
    'workloads'     => [qw(board job plan queue scratch contents pattern cache io stop measure util)],
    'seekers'       => [qw(board workloads io plan queue job worker stop measure util)],
    'rig'           => [qw(board workloads queue plan job worker scratch contents pattern coordinate dropper progress measure stop util)],
    'phase'         => [qw(rig board coordinate dropper plan progress seekers monitor workloads cache measure result testid util)],
    'run'           => [qw(phase rig plan result util)],
    'reports'       => [qw(output plan report result util)],
    'session'       => [qw(run rig reports plan result measure cli/settings.h coordinate dropper host output privilege stop util)],
    'main'          => [qw(session cleanup coordinate privilege stop cli/help.h cli/parse.h util)],
);

my %text;
find({ no_chdir => 1, wanted => sub { $text{ s{\A\Q$SRC\E/}{}r } = slurp($_) if /[.][ch]\z/ } }, $SRC);

sub slurp {
    my ($file) = @_;
    open my $in, '<', $file or die "$file: $!\n";
    local $/ = undef;
    return readline $in;
}

sub module { my ($file) = @_; return $file =~ s{/.*|[.][ch]\z}{}r }

cmp_ok(scalar(keys %text), '>', 50, 'the sources are there');
for my $file (sort keys %text) {
    my $module = module($file);
    my $may    = $MAY{$module};
    ok($may, "$file: its module is known") or next;
    my @wrong = grep {
        my $other = $_;
        module($other) ne $module && !grep { $_ eq $other || $_ eq module($other) } @{$may}
    } $text{$file} =~ /^#include "([^"]+)"/mg;
    is("@wrong", q{}, "$file: includes nothing that it must not know");
    my @lines = split /\n/, $text{$file};
    cmp_ok(scalar @lines, '<=', 500, "$file: is read in one sitting");
}
cmp_ok($text{'main.c'} =~ tr/\n//, '<', 100, 'main.c is small');

# No module is above itself.
my %depth;

sub depth {
    my ($module, @above) = @_;
    return die "includes go round: @above $module\n" if grep { $_ eq $module } @above;
    return $depth{$module} //= 1 + (sort { $b <=> $a } 0, map { depth($_, @above, $module) }
            grep { exists $MAY{$_} } map { module($_) } @{ $MAY{$module} // [] })[0];
}
for my $module (sort keys %MAY) {
    ok(eval { depth($module) }, "$module: includes do not go round") or diag($@);
}
is_deeply([ grep { my $m = $_; !grep { module($_) eq $m } keys %text } sort keys %MAY ], [], 'every module of the list is there');

# Only main.c ends the process, but for children that were forked.
for my $file (sort keys %text) {
    next if $file eq 'main.c';
    unlike($text{$file}, qr/(?<![_\w])(?:exit|abort)\s*\(/, "$file: does not end the program");
}

# Paths of one machine, in anything that is handed on.
my @files;
find({
        no_chdir => 1,
        wanted   => sub {
            $File::Find::prune = 1 if m{/(?:[.]git|[.]deps|autom4te[.]cache|build|build-aux|_build|_inst|bonnie-\d[^/]*)\z} && -d;
            push @files, $_ if -f && -T && !m{/(?:[.]git|configure~?|aclocal[.]m4|Makefile(?:[.]in)?|config[.]\w+)\z|(?<!/scripts)/bon_csv2\w+\z};
        },
}, $TOP);
cmp_ok(scalar @files, '>', 100, 'the files are there');
is_deeply([ grep { slurp($_) =~ m{/wor[k]/|/hom[e]/\w|/roo[t]/\w} } @files ], [], 'no path of one machine');

done_testing();
