# SPDX-License-Identifier: GPL-2.0-or-later
# What all tests of faults share: foreign files beside the run, what a clean end is, two runs at a
# time, and the table of how many cases were run and which of them were not clean.
package Fault;

use strict;
use warnings;
use Digest::SHA    qw(sha256_hex);
use Exporter 'import';
use File::Find     ();
use JSON::PP       ();
use List::Util     qw(max);
use Test::More     ();
use Time::HiRes    qw(time);
use BonnieRun      qw(bonnie finish scratch start tree);
use RunProgram     qw(slurp spew);
use SweepSize      qw(is_long sized);

# In seconds: a run of one second that takes longer hangs, even on a busy machine and under strace.
our $HANGS = 120;

# In seconds: a run should end this soon after its fault. A slower one is printed but does not fail,
# because machines differ.
my $SOON = 5;

# Number of cases that met their fault, over all rows.
my $hit_in_all = 0;

our @EXPORT_OK = qw(add_row disorder every hit_in_all left_in playground report_of run_cases sampled shape_of);

# That many elements of a list, evenly spread over it, with its first and its
# last one.
sub sampled {
    my ($most, @list) = @_;
    return @list          if @list <= $most;
    return $list[ $#list / 2 ] if $most < 2;
    return map { $list[ int(.5 + $_ * $#list / ($most - 1)) ] } 0 .. $most - 1;
}

# At most that many elements with scripts/test --all, half as many by default, and all elements
# with --long.
sub every {
    my ($most, @list) = @_;
    return is_long() ? @list : sampled(sized(int(($most + 1) / 2), $most), @list);
}

# ---- foreign files ------------------------------------------------------------------------------

# A directory with files of another user, many of which look as if a run had made them.
sub playground {
    my ($dir) = @_;
    $dir //= scratch(oct 777);
    spew("$dir/precious$_", 'precious' x $_) for 1 .. 30;
    spew("$dir/$_", 'data') for qw(owner data00000 data00001 o0 o1 d00000 00000000010abc Bonnie.1234 bonnie bonnie.0 bonnie++);
    symlink 'precious1', "$dir/bonnie.00000000000000aa";
    symlink 'nowhere',   "$dir/d00001";
    mkdir "$dir/$_", oct 755 for qw(gobonniego bonnie.00000000000000bb bonnie.00000000000000cc sub);
    spew("$dir/bonnie.00000000000000bb/owner", "scratch directory of bonnie: bonnie.00000000000000bb\n");
    mkdir "$dir/bonnie.00000000000000dd", oct 700;
    spew("$dir/bonnie.00000000000000dd/$_", 'data') for qw(data00000 precious);
    mkdir "$dir/bonnie.00000000000000ee", oct 700;
    spew("$dir/bonnie.00000000000000ee/owner", "scratch directory of bonnie: bonnie.00000000000000ef\n");
    mkdir "$dir/bonnie.00000000000000ff", oct 700;
    return { dir => $dir, names => { map { $_ => 1 } tree($dir) }, looks => fingerprint("$dir", tree($dir)) };
}

# Everything that can be seen of these names below a directory: kind, mode, owner, size, time,
# contents.
sub fingerprint {
    my ($dir, @names) = @_;
    my $all = q{};
    for my $name (@names) {
        my @seen = (lstat "$dir/$name")[ 2, 3, 4, 5, 7, 9 ];
        $seen[1] = $seen[4] = $seen[5] = 0 if -d _; # these change when runs make and remove their directories
        my $what = -l _ ? readlink "$dir/$name" : -f _ ? Digest::SHA->new(256)->addfile("$dir/$name")->hexdigest : q{};
        $all .= join q{ }, $name, map({ $_ // 'gone' } @seen), "$what\n";
    }
    return sha256_hex($all);
}

# The names in the playground that are new.
sub left_in { my ($ground) = @_; return grep { !$ground->{names}{$_} } tree($ground->{dir}) }

# Says what is wrong with the playground after a run; empty when nothing is left and nothing was
# touched. A run whose clean-up was made to fail may leave what --cleanup, with these options,
# then removes.
sub disorder {
    my ($ground, $cleanup, $program) = @_;
    my @wrong;
    my @left = left_in($ground);
    if (@left && $cleanup) {
        my $run = finish(start({ program => $program }, '-d', $ground->{dir}, '--cleanup', @{$cleanup}));
        @left = left_in($ground);
        push @wrong, "--cleanup: $run->{err}" =~ s/\n/; /gr if @left;
    }
    push @wrong, "left: @left" if @left;
    system 'rm', '-rf', map {"$ground->{dir}/$_"} grep { !m{/} } @left;
    push @wrong, 'foreign files were touched'
        if fingerprint("$ground->{dir}", sort keys %{ $ground->{names} }) ne $ground->{looks};
    return @wrong;
}

# ---- cases --------------------------------------------------------------------------------------

# run_cases(NAME, \@cases, start => sub, judge => sub, may_leave => sub): runs every case and judges
# its end, two at a time, each in a playground of its own. start($case, $ground) returns the run;
# judge($case, $run, $ground) the kind of its end - `missed` when there was no fault - and what is
# wrong with it, if anything; may_leave($case) the options of --cleanup, if the run may leave
# anything; program is the program, by default bonnie. All cases make one row of the table. A case
# that missed its fault proves nothing. In a sample it is run again, at most twice, because threads do
# not always take their turns in the same order; then the share of the others must be at least `hits`,
# by default half.
#
# The seconds of a case are those from its fault to its end: start or judge may put them into the
# run, as after_fault, or the moment, as fault_at; in that case no other runs beside it, so that its
# end is noticed at once. Where neither is known, they count from the start of the run.
sub run_cases {
    my ($name, $cases, %do) = @_;
    my @idle = $do{grounds} ? @{ $do{grounds} } : map { playground() } 1, 2;
    my %row  = (name => $name, cases => 0, clean => 0, slowest => 0);
    my (@running, @bad, @slow);
    my @queue = @{$cases};
    local $BonnieRun::HANGS = $HANGS;
    my $settle = sub {
        my ($case, $run, $ground) = @{ shift @running };
        finish($run);
        $run->{after_fault} = time - $run->{fault_at};
        my ($kind, @wrong) = $do{judge}->($case, $run, $ground);
        push @wrong, disorder($ground, $do{may_leave} && $do{may_leave}->($case), $do{program});
        push @idle, $ground;
        if ($kind eq 'missed' && !@wrong) {
            push @queue, $case if ++$case->{misses} < 3 && !is_long();
            return;
        }
        $row{cases}++;
        $row{slowest} = max($row{slowest}, $run->{after_fault});
        push @slow, sprintf '%s: %.1f seconds', $case->{name}, $run->{after_fault} if is_long() && $run->{after_fault} > $SOON;
        push @bad, "$case->{name}: " . join '; ', @wrong if @wrong;
        $row{$_}++ for @wrong ? () : ('clean', $kind);
    };
    while (@queue || @running) {
        $settle->() if !@idle || !@queue;
        next        if !@queue || !@idle;
        my ($case, $ground) = (shift @queue, shift @idle);
        my $begun  = time;
        my $run    = $do{start}->($case, $ground);
        push @running, [ $case, $run, $ground ];
        $settle->() while @running && defined $run->{fault_at};
        $run->{fault_at} //= $begun;
    }
    Test::More::is_deeply(\@bad, [], "$name: $row{cases} cases are clean");
    Test::More::cmp_ok($row{cases}, '>=', max(1, ($do{hits} // .5) * @{$cases}), "$name: and enough of " . @{$cases} . ' met their fault');
    $hit_in_all += $row{cases};
    add_row(\%row, @bad, @slow);
    return;
}

# Number of this program's cases that met their fault.
sub hit_in_all { return $hit_in_all }

# ---- reports ------------------------------------------------------------------------------------

# What a run has printed, or written to the file `report` in its playground, which is then
# removed.
sub report_of {
    my ($ground, $run) = @_;
    my $file = "$ground->{dir}/report";
    return $run->{out} if !-e $file;
    my $text = slurp($file);
    unlink $file;
    return $text;
}

# A report without its figures. Two complete reports with the same settings have the
# same shape.
sub shape_of {
    my ($text) = @_;
    my ($json) = $text =~ /^([{].*^[}]|[{].*[}])$/ms;
    my $object = defined $json ? eval { JSON::PP::decode_json($json) } // "no JSON: $@" : q{};
    my $rest   = defined $json ? $text =~ s/\Q$json\E//r : $text;
    $rest =~ s/^What (?:limited each test|was damaged)\b.*\n(?:  .*\n)+//mg;
    $rest =~ s/[-+]?\b[\d.]+(?:us|ms|s|k|m|g)?\b|[+]{3,}/N/g;
    return join q{ }, $rest =~ s/ +/ /gr, shape_of_value($object);
}

# The names of objects and their members. Only the names of those that may be unknown;
# and of intervals, whose number depends on the time, only whether there are any.
sub shape_of_value {
    my ($value) = @_;
    return join q{,}, '[', (map { shape_of_value($_) } @{$value}), ']' if ref $value eq 'ARRAY';
    return q{} if ref $value ne 'HASH';
    return join q{ }, map {
        my $in = $value->{$_};
        $_ . (/\A(?:device|cache|host)\z/ ? q{} : $_ eq 'intervals' ? !!@{$in} : shape_of_value($in))
    } sort keys %{$value};
}

# ---- the table ----------------------------------------------------------------------------------

# Prints a row; tests/run makes one table of the rows of all programs.
sub add_row {
    my ($row, @bad) = @_;
    my %kinds = (told => 0, recovered => 0, ended => 0, %{$row});
    print '# table: ', join('; ', $row->{name}, (map {"$_ $kinds{$_}"} qw(cases clean told recovered ended)),
        'seconds ' . (defined $row->{slowest} ? sprintf '%.1f', $row->{slowest} : q{-})), "\n";
    print "# table: not clean: ", s/[;\n]+ ?/, /gr, "\n" for @bad;
    return;
}

1;
