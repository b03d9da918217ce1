# What every fault has in common: foreign files beside the run, what a clean end is, two runs at a
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

# A run of a second that has not ended after so many hangs.
our $HANGS = 20;

# Every one is to end so soon after its fault. What does not is printed, and no failure: machines differ.
my $SOON = 5;

# Of all rows: how many cases met their fault.
my $hit_in_all = 0;

our @EXPORT_OK = qw(add_row disorder every hit_in_all is_long left_in playground report_of run_cases sampled shape_of);

sub is_long { return ($ENV{BONNIE_TEST_LONG} // q{}) ne q{} }

# So many of a list, evenly spread over it, the first and the last among them.
sub sampled {
    my ($most, @list) = @_;
    return @list          if @list <= $most;
    return $list[ $#list / 2 ] if $most < 2;
    return map { $list[ int(.5 + $_ * $#list / ($most - 1)) ] } 0 .. $most - 1;
}

# The sampled ones as a rule, all of them with BONNIE_TEST_LONG.
sub every {
    my ($most, @list) = @_;
    return is_long() ? @list : sampled($most, @list);
}

# ---- foreign files ------------------------------------------------------------------------------

# A directory with files of somebody else, many of which look as if a run had made them.
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

# All that can be seen of these names below a directory: kind, mode, owner, size, time, contents.
sub fingerprint {
    my ($dir, @names) = @_;
    my $all = q{};
    for my $name (@names) {
        my @seen = (lstat "$dir/$name")[ 2, 3, 4, 5, 7, 9 ];
        $seen[1] = $seen[4] = $seen[5] = 0 if -d _; # the system counts in them what runs come and go
        my $what = -l _ ? readlink "$dir/$name" : -f _ ? Digest::SHA->new(256)->addfile("$dir/$name")->hexdigest : q{};
        $all .= join q{ }, $name, map({ $_ // 'gone' } @seen), "$what\n";
    }
    return sha256_hex($all);
}

# What is in the playground that was not there before.
sub left_in {
    my ($ground) = @_;
    return grep { !$ground->{names}{$_} } tree($ground->{dir});
}

# What is wrong with the playground after a run: nothing is left and nothing touched, or the words. A
# run whose own clean-up was made to fail may leave what --cleanup, with these options, then removes.
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

# run_cases(NAME, \@cases, start => sub, judge => sub, may_leave => sub): starts every case and judges
# its end, two at a time, each in a playground of its own. start($case, $ground) returns the run;
# judge($case, $run, $ground) the kind of its end - `missed` when there was no fault - and what is
# wrong with it, if anything; may_leave($case) the options of --cleanup, if the run may leave anything;
# program the one that is run, if it is not bonnie.
# All of them make one row of the table. Those that missed their fault prove nothing: the share of
# the others must be `hits`, half of all if left out.
#
# The seconds of a case are those from its fault to its end: start or judge may put them into the run,
# as after_fault, or the moment, as fault_at; then no other runs beside it, so that its end is seen at
# once. Where neither is known they count from the start of the run.
sub run_cases {
    my ($name, $cases, %do) = @_;
    my @idle = $do{grounds} ? @{ $do{grounds} } : map { playground() } 1, 2;
    my %row  = (name => $name, cases => 0, clean => 0, slowest => 0);
    my (@running, @bad, @slow);
    local $BonnieRun::HANGS = $HANGS;
    my $settle = sub {
        my ($case, $run, $ground) = @{ shift @running };
        finish($run);
        $run->{after_fault} = time - $run->{fault_at};
        my ($kind, @wrong) = $do{judge}->($case, $run, $ground);
        push @wrong, disorder($ground, $do{may_leave} && $do{may_leave}->($case), $do{program});
        push @idle, $ground;
        return if $kind eq 'missed' && !@wrong;
        $row{cases}++;
        $row{slowest} = max($row{slowest}, $run->{after_fault});
        push @slow, sprintf '%s: %.1f seconds', $case->{name}, $run->{after_fault} if is_long() && $run->{after_fault} > $SOON;
        push @bad, "$case->{name}: " . join '; ', @wrong if @wrong;
        $row{$_}++ for @wrong ? () : ('clean', $kind);
    };
    for my $case (@{$cases}) {
        $settle->() if !@idle;
        my $ground = shift @idle;
        my $begun  = time;
        my $run    = $do{start}->($case, $ground);
        push @running, [ $case, $run, $ground ];
        $settle->() while @running && defined $run->{fault_at};
        $run->{fault_at} //= $begun;
    }
    $settle->() while @running;
    Test::More::is_deeply(\@bad, [], "$name: $row{cases} cases are clean");
    Test::More::cmp_ok($row{cases}, '>=', max(1, ($do{hits} // .5) * @{$cases}), "$name: and enough of " . @{$cases} . ' met their fault');
    $hit_in_all += $row{cases};
    add_row(\%row, @bad, @slow);
    return;
}

# How many cases of this program met their fault.
sub hit_in_all { return $hit_in_all }

# ---- reports ------------------------------------------------------------------------------------

# What a run has printed, or written to the file `report` in its playground, which is removed.
sub report_of {
    my ($ground, $run) = @_;
    my $file = "$ground->{dir}/report";
    return $run->{out} if !-e $file;
    my $text = slurp($file);
    unlink $file;
    return $text;
}

# A report without its figures: two whole ones of the same settings have the same shape.
sub shape_of {
    my ($text) = @_;
    my ($json) = $text =~ /^([{].*^[}]|[{].*[}])$/ms;
    my $object = defined $json ? eval { JSON::PP::decode_json($json) } // "no JSON: $@" : q{};
    my $rest   = defined $json ? $text =~ s/\Q$json\E//r : $text;
    $rest =~ s/^What was (?:measured|damaged)\n(?:  .*\n)+//mg;
    $rest =~ s/[-+]?\b[\d.]+(?:us|ms|s|k|m|g)?\b|[+]{3,}/N/g;
    return join q{ }, $rest =~ s/ +/ /gr, shape_of_value($object);
}

# Names of objects and what is in them; of what may not be known the name alone, and of intervals,
# which are as many as the run took seconds, whether there are any.
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

# tests/run makes one table of these lines of all programs.
sub add_row {
    my ($row, @bad) = @_;
    my %kinds = (told => 0, recovered => 0, ended => 0, %{$row});
    print '# table: ', join('; ', $row->{name}, (map {"$_ $kinds{$_}"} qw(cases clean told recovered ended)),
        'seconds ' . (defined $row->{slowest} ? sprintf '%.1f', $row->{slowest} : q{-})), "\n";
    print "# table: not clean: ", s/[;\n]+ ?/, /gr, "\n" for @bad;
    return;
}

1;
