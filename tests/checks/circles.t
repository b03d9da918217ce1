#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# No file includes itself through others; a .c and its .h count as one file. The same holds for what
# functions files need from each other, as the linker sees it, because a header can hide which file
# defines a function. Tables of others' functions are data: to look something up there is no call.
# The folders in bonload include each other only as the table in docs/architecture.md allows. The
# checks are first tried on sources with errors.

use strict;
use warnings;
use File::Basename qw(dirname);
use File::Find     qw(find);
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use RunProgram qw(slurp);

my $TOP = $ENV{BONNIE_TEST_SRCDIR} // "$FindBin::Bin/../..";
my $SRC = "$TOP/src";

# For each of our files the names of the files that it includes, without .c or .h.
sub includes {
    my ($text) = @_;
    my %includes;
    for my $path (keys %{$text}) {
        my $file = $path =~ s/[.][ch]\z//r;
        $includes{$file} //= {};
        for my $included ($text->{$path} =~ /^\s*#\s*include\s+["<]([^">]+)[">]/mg) {
            my $other = $included =~ s/[.]h\z//r;
            $includes{$file}{$other} = 1 if exists $text->{$included} && $other ne $file;
        }
    }
    return \%includes;
}

# The cycles: files that can be reached from one of their own includes, each with the others in its
# cycle.
sub circles {
    my ($includes) = @_;
    my %reached;
    for my $file (keys %{$includes}) {
        my @left = keys %{ $includes->{$file} };
        while (defined(my $next = shift @left)) {
            push @left, keys %{ $includes->{$next} } if !$reached{$file}{$next}++;
        }
    }
    my %circles;
    for my $file (grep { $reached{$_}{$_} } keys %reached) {
        $circles{ join q{ }, sort grep { $reached{$_}{$file} } keys %{ $reached{$file} } } = 1;
    }
    return [ sort keys %circles ];
}

# Reads the table of bonload's folders: each name, and what the folder may include, directly
# or through these.
sub rooms {
    my ($page) = @_;
    my %rooms;
    while ($page =~ m{^[|] `(bonload/[\w/]+)/` [|][^|]*[|]([^|]*)[|]$}mg) {
        my ($room, $may) = ($1, $2);
        $rooms{$room} = [ map {"bonload/$_"} $may =~ m{([\w/]+)}g ];
    }
    return \%rooms;
}

sub allowed {
    my ($rooms, $room, @above) = @_;
    die "the table goes round: @above $room\n" if grep { $_ eq $room } @above;
    die "the table has no room $room\n"        if !$rooms->{$room};
    return ($room, map { allowed($rooms, $_, @above, $room) } @{ $rooms->{$room} });
}

# Includes between bonload's folders that the table does not allow. Files outside of these
# folders may include any.
sub strays {
    my ($includes, $rooms) = @_;
    my @strays;
    for my $file (sort grep {m{\Abonload/.*/}} keys %{$includes}) {
        my %may = map { $_ => 1 } allowed($rooms, dirname($file));
        push @strays, map {"$file -> $_"} grep { m{\Abonload/} && !$may{ dirname($_) } } sort keys %{ $includes->{$file} };
    }
    return \@strays;
}

# For each object of ours the others that define what it needs, from lines of nm -A -P. Programs have
# functions of the same name: each needs its own.
sub needs {
    my (@lines) = @_;
    my (%defined, %needed);
    for (@lines) {
        my ($file, $symbol, $kind) = m{\A(?:.*/)?src/(\S+)[.]o: (\S+) (\w)} or next;
        $file =~ s{\w+-(\w+)\z}{$1};    # an object that is compiled for one program
        push @{ $needed{$file} },    $symbol if $kind eq 'U';
        push @{ $defined{$symbol} }, $file   if $kind =~ /[TW]/;
    }
    my %needs;
    for my $file (keys %needed) {
        my ($folder) = $file =~ m{\A(\w+/)};
        for my $symbol (@{ $needed{$file} }) {
            my @in = @{ $defined{$symbol} // [] };
            @in = grep {m{\A\Q$folder\E}} @in if @in > 1;
            $needs{$file}{$_} = 1 for grep { $_ ne $file } @in;
        }
    }
    return \%needs;
}

# ---- testing the checks --------------------------------------------------------------------------

my %planted = (
    'a/one.h'   => qq{#include "a/two.h"\n},
    'a/two.h'   => qq{#include <stdio.h>\n},
    'a/two.c'   => qq{#include "a/two.h"\n#include "a/three.h"\n},
    'a/three.h' => q{},
);
is_deeply(circles(includes(\%planted)), [], 'files in a row are no circle');
is_deeply(circles(includes({ %planted, 'a/three.c' => qq{#  include "a/one.h"\n} })), ['a/one a/three a/two'], 'a circle of three is found, also by way of a .c');
is_deeply(circles(includes({ %planted, 'a/three.h' => qq{#include "a/two.h"\n} })), ['a/three a/two'], 'a circle of two is found');

my @symbols = (
    './src/a/one.o: one T 0 0', './src/a/one.o: two U', './src/a/one.o: main U', './src/a/two.o: two T 0 0',
    './src/a/main.o: main T 0 0', './src/b/main.o: main T 0 0', './src/b/main.o: one U',
);
is_deeply(circles(needs(@symbols)), [], 'objects in a row are no circle, and programs have their own main');
is_deeply(circles(needs(@symbols, './src/a/two.o: one U')), ['a/one a/two'], 'a circle of calls is found');
is_deeply(circles(needs(@symbols, './src/a/one.o: table R 0 0', './src/a/two.o: table U')), [], 'data are no calls');

my $table = "| `bonload/low/` | | |\n| `bonload/high/` | | low |\n| `bonload/top/in/` | | high |\n";
my %house = (
    'bonload/low/l.h'    => q{},
    'bonload/high/h.h'   => qq{#include "bonload/low/l.h"\n},
    'bonload/top/in/t.c' => qq{#include "bonload/low/l.h"\n#include "util/err.h"\n},
    'bonload/main.c'     => qq{#include "bonload/high/h.h"\n},
    'bonload/plan.h'     => q{},
    'util/err.h'         => q{},
);
is_deeply(strays(includes(\%house), rooms($table)), [], 'rooms may include what the table says, and what that may');
is_deeply(
    strays(includes({ %house, 'bonload/low/l.c' => qq{#include "bonload/high/h.h"\n} }), rooms($table)),
    ['bonload/low/l -> bonload/high/h'],
    'an include upwards is found'
);
is_deeply(
    strays(includes({ %house, 'bonload/low/l.c' => qq{#include "bonload/plan.h"\n} }), rooms($table)),
    ['bonload/low/l -> bonload/plan'],
    'and one of what lies above all rooms'
);
ok(!eval { strays(includes({ %house, 'bonload/new/n.h' => q{} }), rooms($table)) }, 'a room that the table lacks is found');
ok(!eval { my @all = allowed(rooms("| `bonload/a/` | | b |\n| `bonload/b/` | | a |\n"), 'bonload/a') }, 'a table that goes round is found');

# ---- the sources ---------------------------------------------------------------------------------

my %text;
find({ no_chdir => 1, wanted => sub { $text{ s{\A\Q$SRC\E/}{}r } = slurp($_) if /[.][ch]\z/ } }, $SRC);
my $includes = includes(\%text);
my $rooms    = rooms(slurp("$TOP/docs/architecture.md"));
cmp_ok(scalar(keys %{$includes}), '>', 50, 'the sources are there');
is_deeply(circles($includes), [], 'no circle of files');
SKIP: {
    my @objects;
    find({ no_chdir => 1, wanted => sub { push @objects, $_ if /[.]o\z/ } }, 'src') if -d 'src';
    skip 'there are no objects here', 1 if !@objects;
    open my $nm, q{-|}, 'nm', '-A', '-P', '-g', @objects or die "nm: $!\n";
    my $needs = needs(<$nm>);
    close $nm or skip 'nm cannot read these objects', 1;
    is_deeply(circles($needs), [], 'no circle of calls, as the linker sees them');
}
my %there = map { dirname($_) => 1 } grep {m{\Abonload/.*/}} keys %{$includes};
is_deeply([ sort keys %{$rooms} ], [ sort keys %there ], 'the document has the rooms of bonload');
is_deeply(strays($includes, $rooms), [], 'the rooms of bonload include what the document allows');

done_testing();
