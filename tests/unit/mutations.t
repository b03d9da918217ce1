#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# What others do to results before the converters get them: published lines of every generation,
# changed at random. Each is read with the right figures, or named; none disappears, and none is
# wrong. A digit that is lost inside a field cannot be seen, so no change loses one.
#
# BONNIE_TEST_LINES has more lines, in files; BONNIE_TEST_MUTATIONS is how many are tried.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../../scripts/lib", "$FindBin::Bin/../lib";
use Encode     ();
use File::Temp ();
use Test::More;
use Bonnie::Input qw(read_results);
use Bonnie::Tests qw(test_names);
use RunProgram    qw(data_file slurp spew);
use SweepSize     qw(sized);

my @LINES = map { grep { !/^#/ } split /\n/, slurp($_) } data_file('realworld.csv'), split q{ }, $ENV{BONNIE_TEST_LINES} // q{};
push @LINES, '#2 raid5' . substr($LINES[-1], index $LINES[-1], q{,}), $LINES[0] =~ s/AcharyaX/my old raid 5/r;
my $MUTATIONS = $ENV{BONNIE_TEST_MUTATIONS} // sized(400, 2000, 10_000);
my $file = File::Temp->new;
srand 62;

sub pick { return $_[ rand @_ ] }

# What is read of a text: the figures of each result, what is said, and what it dies with.
sub read_text {
    my ($text) = @_;
    spew("$file", $text);
    my $said = q{};
    open my $kept, '>&', \*STDERR or die "$!\n";
    close STDERR;
    open STDERR, '>:encoding(UTF-8)', \$said or die "$!\n";
    my @records = eval { read_results("$file") };
    my $death   = $@;
    close STDERR;
    open STDERR, '>&', $kept or die "$!\n";
    return ([ map { figures_of($_) } @records ], $said, $death);
}

sub figures_of {
    my ($record) = @_;
    my @figures = map { my $test = $record->{tests}{$_}; map { $test->{$_}{state} eq 'bad' ? q{?} : $test->{$_}{text} } qw(rate cpu latency) } test_names();
    return join q{ }, map { length $_ ? $_ : q{-} } (map { /\A[\w.]*\z/a ? $_ : q{?} } @{$record}{qw(file_size num_files)}), @figures;
}

# A figure may be shown as one that cannot be read, if that is said.
sub same {
    my ($found, $expected, $said) = @_;
    my @expected = split q{ }, $expected;
    my @differ = grep { (split q{ }, $found)[$_] ne $expected[$_] } 0 .. $#expected;
    return !grep { (split q{ }, $found)[$_] ne q{?} || $said eq q{} } @differ;
}

# Breaks a line like a mailer: at a width, at commas, or at blanks.
sub wrapped {
    my ($line) = @_;
    my $width = pick(20, 40, 60, 72, 76, 78, 80, 100, 132, 200, 12 + int rand 200);
    my $after = pick(q{}, q{}, q{ }, '=', q{ \\});
    my $before = pick(q{}, q{}, q{ }, q{    }, '> ', "\t");
    my $at = pick(qr/.{1,$width}/s, qr/.{1,$width}(?:(?<=,)|\z)/s, qr/.{1,$width}(?:[ ]|(?<=,)|\z)/s);
    my @pieces = $line =~ /\G($at)/g;
    return $line if join(q{}, @pieces) ne $line;
    return join "$after\n$before", @pieces;
}

my @PREFIXES = ('> ', '>> ', q{  }, "\t", 'result: ', '1. ', '[1] ', 'Nov 25 20:11:07 host7 benchmark[81]: ', '2026-11-25 10:00:00,123 INFO ',
    '2026-11-25T10:00:00Z | ', "\xEF\xBB\xBF", 'stdout: ', '+ ', '<pre>', '[INFO] bonnie++ 1.97: ', '- ', 'Version 1.96, ext4: ');
my %CHANGE = (
    wrapped   => \&wrapped,
    quoted    => sub { my ($line) = @_; my $quote = pick(q{"}, q{'}); pick(join(q{,}, map {"$quote$_$quote"} split /,/, $line, -1), "$quote$line$quote", $line =~ s/^(\d[^,]*,[^,]*,|)([^,]+)/$1"$2"/r) },
    parted    => sub { my ($line) = @_; my $at = 1 + int rand 5; my $quote = pick(q{}, q{}, q{"}, q{'}); "$quote$line$quote" =~ s/(?=.{$at}\z)/pick("\n", "\n> ", " \n  ", "\n\t")/er },
    prefixed  => sub { pick(@PREFIXES) . $_[0] },
    separated => sub { my ($line) = @_; my $separator = pick(q{;}, "\t", q{|}, q{ }, q{, }, q{ , }, q{; }, ",\t"); $line =~ s/,/$separator/gr },
    decimal   => sub { $_[0] =~ tr/,./;,/r },
    encoded   => sub { my ($line) = @_; my $text = Encode::decode('UTF-8', $line . "\n"); Encode::encode(pick(qw(UTF-16 UTF-16LE UTF-16BE UTF-32 UTF-7 ISO-8859-1)), $text) },
    ended     => sub { $_[0] . pick("\r", q{ }, "\t", '<br>', '</pre>', q{,}, q{;}, ' done', "\n0", "\0") },
    cut       => sub { return $_[0] if $_[0] !~ /,/; my @fields = split /,/, $_[0], -1; my $at = 1 + int rand $#fields; join q{,}, pick([ @fields[ 0 .. $at - 1 ] ], [ @fields[ $at .. $#fields ] ], [ @fields[ $at .. $#fields - int rand($#fields - $at) ] ])->@* },
    broken    => sub { return $_[0] if $_[0] =~ /;|\A[^,]*\z/; my @fields = split /,/, $_[0], -1; my $at = 1 + int rand $#fields; join(q{,}, @fields[ 0 .. $at - 1 ]) . pick("\n", ",\n", "\n\n", "\nsome words\n", "\n# note\n") . join q{,}, @fields[ $at .. $#fields ] },
);
my @NAMES = sort keys %CHANGE;

my (%read, %count, @wrong);
for my $number (1 .. $MUTATIONS) {
    my $line    = pick(@LINES);
    my $text    = $line;
    my @changes = map { pick(@NAMES) } 1 .. pick(1, 1, 1, 2, 2, 3);
    $text = $CHANGE{$_}->($text) for @changes;
    my ($expected) = @{ $read{$line} //= (read_text("$line\n"))[0] };
    my ($found, $said, $death) = read_text($text);
    my $became = grep({ !same($_, $expected, $said) } @{$found}) ? 'wrong' : @{$found} ? 'read' : "$said$death" ne q{} ? 'named' : 'disappeared';
    $became = 'read and named' if $became eq 'read' && $said ne q{};
    $count{ join q{ }, scalar(@changes) > 1 ? 'several' : @changes }{$became}++;
    push @wrong, "$became: @changes: $text\n  said: $said$death  found: @{$found}\n  right: $expected" if $became =~ /wrong|disappeared/;
}
is(scalar @wrong, 0, "of $MUTATIONS changed lines, none is wrong, and none disappears") or diag(join "\n", @wrong[ 0 .. ($#wrong < 9 ? $#wrong : 9) ]);
cmp_ok($count{$_}{read} // 0, '>', 0, "$_: some are read in silence") for grep { $count{$_} } qw(quoted prefixed decimal encoded);
cmp_ok($count{wrapped}{'read and named'} // 0, '>', 0, 'wrapped: some are read');
for my $change (sort keys %count) {
    note("$change: " . join q{, }, map {"$_ $count{$change}{$_}"} sort keys %{ $count{$change} });
}
done_testing();
