# SPDX-License-Identifier: GPL-2.0-or-later
# The top of the page: what was measured, the result in one sentence, and where and when it was
# measured.
package Bonnie::Headline;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use List::Util qw(any uniq);
use Bonnie::ChangeWords qw(change_size change_text counts_text);
use Bonnie::Document    qw(machine_text measured_text tail_and_figures);
use Bonnie::HostCharts  qw(hosts_of ranks_text slow_host);
use Bonnie::HtmlTable   qw(tests_run);
use Bonnie::OneRun      qw(measured);
use Bonnie::Plain       qw(shorten);
use Bonnie::TailCharts  qw(slowest_of);
use Bonnie::Tests       qw(test_named);
use Bonnie::TimeCharts  qw(levels);
use Bonnie::Units       qw(bytes_text count_text counted figure_text);

our @EXPORT_OK = qw(facts headline subject warning);

# A sentence or a title names at most this many labels.
my $MOST_NAMED = 5;

# From this percentage of a CPU on, the CPU counts as the limit of a test in a
# CSV line, which does not name the limit.
my $CPU_FULL = 95;

# The tests that describe a label, and the words before and after their rates, where X stands for
# what the settings of the record say.
my @TOLD = (
    [ put_block  => 'writes %s' ],
    [ get_block  => 'reads %s' ],
    [ seeks      => '%s seeks a second' ],
    [ iops       => '%s X a second' ],
    [ seq_create => 'creates %s files a second' ],
    (map { [ "write-1m-$_" => 'writes %s' ] } qw(q8 q1)),
    (map { [ "read-1m-$_" => 'reads %s' ] } qw(q8 q1)),
    (map { [ "read-4k-$_" => '%s random reads a second' ] } qw(q32 q1)),
    (map { [ "write-4k-$_" => '%s random writes a second' ] } qw(q32 q1)),
    [ 'durable-8k' => '%s durable writes of 8 KiB a second' ],
    [ create       => 'creates %s files a second' ],
);

my %LIMIT = (
    device       => 'the device was the limit',
    cpu          => 'the CPU was the limit',
    'page cache' => 'the page cache held some of the data',
    server       => 'the server was the limit',
    others       => 'others used the CPUs or the device meanwhile',
    limit        => 'a control group was the limit',
    link         => 'the link to the drive was the limit',
);

sub names_of {
    my @names = map { shorten($_->name) } @_;
    my $more  = @names - $MOST_NAMED;
    splice @names, $MOST_NAMED - 1, @names, $more + 1 . ' others' if $more > 0;
    my $last = pop @names;
    return @names ? join(', ', @names) . " and $last" : $last;
}

# What was measured, as the title of a page without one: the directory and its storage; else the
# labels. $page: see Page.pm.
sub subject ($page) {
    my @groups      = @{ $page->{groups} };
    my @comparisons = @{ $page->{comparisons} };
    return names_of(map { $_->other } @comparisons) . ' compared with ' . names_of($comparisons[0]->baseline) if @comparisons;
    my @places = uniq(map { place_of($_) } map { @{ $_->records } } @groups);
    my $title  = @places == 1 && length $places[0] && !$groups[0]->number_shown ? $places[0] : names_of(@groups > $MOST_NAMED ? map({ $_->[1] } by_firsts(@groups)) : @groups);
    my ($hosts) = sort { @{$b} <=> @{$a} } map { [ hosts_in($_) ] } map { @{ $_->records } } @groups;
    return join ', ', $title, ranks_text(@{$hosts});
}

# "/data, ext4 on nvme0n1"; empty for a CSV line.
sub place_of ($record) {
    my ($directory, $filesystem, $device) = map { shorten($_ // q{}) } ($record->{settings} // {})->{directory}, @{ $record->{host} // {} }{qw(filesystem device)};
    return q{} if $directory eq q{};
    return $directory . ($filesystem ne q{} ? ", $filesystem" : q{}) . ($device ne q{} ? " on $device" : q{});
}

# The hosts of a run, from the test that most of them did.
sub hosts_in ($record) {
    my ($hosts) = sort { @{$b} <=> @{$a} } map { $_->{hosts} // [] } values %{ $record->{tests} };
    my @hosts = @{ $hosts // [] };
    return @hosts;
}

# What others did on the machine comes above all; undef: nothing that is known.
sub warning (@groups) {
    my @limits  = map { my $group = $_; map { ($group->limits($_->{name})->[0] // {})->{by} // q{} } tests_run($group) } @groups;
    my $disturbed = grep { $_ eq 'others' } @limits or return;
    return machine_text('busy: others disturbed ' . ($disturbed == 1 ? 'a test' : "$disturbed of " . @limits . ' tests'));
}

# One sentence, or an empty text.
sub headline ($page) {
    my @groups   = @{ $page->{groups} };
    my $sentence = @{ $page->{comparisons} } ? of_comparisons(@{ $page->{comparisons} })
        : !$groups[0]->number_shown ? join q{ }, tail_and_figures(tail_words(@groups), of_one(@groups)) : of_many(@groups);
    my @slow     = map { slow_words($_) } @groups;
    return @slow && defined $sentence ? join('; ', $sentence =~ s/[.]\z//r, @slow) . q{.} : $sentence;
}

# "node7 is slow in 9 of 12 tests: the other hosts have 3.1 times its rate in ..."
sub slow_words ($group) {
    my @tests = map { [ $_->{name_alone}, hosts_of($group, $_) ] } tests_run($group);
    my ($name, $times, $test, $count) = slow_host(@tests) or return;
    my $of = $group->number_shown ? ' of ' . names_of($group) : q{};
    return sprintf '%s%s is slow in %d of %s: the other hosts have %.3g times its rate in "%s"', $name, $of, $count, counted(scalar @tests, 'test'), $times, $test;
}

# "tmpfs faster in 12 of 13 tests; xfs slower in 6 of 13 tests".
sub of_comparisons (@comparisons) {
    my @told = @comparisons > $MOST_NAMED ? @comparisons[ 0 .. $MOST_NAMED - 2 ] : @comparisons;
    my $rest = @comparisons - @told;
    my @words = map { names_of($_->other) . (counts_text($_) =~ s/\A(not known:)?/$1 ? ": $1" : q{ }/er) } @told;
    push @words, "$rest others below" if $rest;
    unshift @words, 'None is known to be faster than ' . names_of($comparisons[0]->baseline) if @comparisons > 1 && !grep { counts_text($_) !~ /\A(?:slower|not known to)/ } @comparisons;
    unshift @words, cached_words(@comparisons) if @comparisons == 1;
    return join('; ', @words) . largest_change(@comparisons) . q{.};
}

# Where one side is the page cache and the other is not, which is no difference of their storage.
sub cached_words ($comparison) {
    my @tests = map { $_->{test} } $comparison->rows;
    my ($old, $new) = map { my $group = $_; [ map { (($group->limits($_)->[0] // {})->{by} // q{}) eq 'page cache' } @tests ] } $comparison->baseline, $comparison->other;
    my $cached = grep { $old->[$_] ne $new->[$_] } 0 .. $#tests;
    return $cached ? "The page cache is compared with what is past it in $cached of " . counted(scalar @tests, 'test') : ();
}

# Of a single comparison.
sub largest_change ($comparison, @others) {
    my ($most) = sort { change_size($b) <=> change_size($a) } grep { $_->{significant} } $comparison->rows;
    return @others || !$most ? q{} : '; the largest change is ' . change_text($most) . ', in "' . test_named($most->{test})->{name_alone} . q{"};
}

# A limit that all tests share ends the sentence; others stand beside their tests.
sub of_one (@groups) {
    my @parts  = told(@groups) or return;
    my @limits = uniq(map { $_->{limit} } @parts);
    my $shared = @limits == 1 ? $LIMIT{ $limits[0] } : undef;
    my @words  = map { join q{ }, $_->{words}, bracket(defined $shared ? () : limit_words($_->{limit}), $_->{note}) } @parts;
    my $last   = pop @words;
    my $runs   = @{ $groups[0]->records };
    return ucfirst join(', ', @words) . (@words ? ' and ' : q{}) . $last . (defined $shared ? "; $shared" : q{}) . ($runs > 1 ? " (medians of $runs runs)." : q{.});
}

# What the slowest operations waited for, where they took longest; what cannot be seen is below.
sub tail_words {
    my @told = map { my $slowest = slowest_of(@{$_}{qw(group test)}); $slowest ? [ $slowest, ucfirst "$_->{title}: $slowest->{sentence}" ] : () } measured(@_);
    my ($worst) = sort { ($b->[0]{above_ns} // 0) <=> ($a->[0]{above_ns} // 0) } @told;
    return $worst ? { words => $worst->[1] . (length $worst->[0]{note} ? ' Not everything can be seen.' : q{}), unknown => $worst->[0]{percent}{unknown} } : undef;
}

# [ { words, limit, note } ]; of rows of one kind the fastest.
sub told (@groups) {
    my (%best, @parts);
    for my $told (@TOLD) {
        my ($test, $sentence) = @{$told};
        for my $group (grep { $_->spread_of($test, 'rate') } @groups) {
            my $words = $sentence =~ s/X/operations_of($group)/er;
            my $rate  = $group->spread_of($test, 'rate')->{median};
            push @parts, $best{$words} = {} if !$best{$words};
            next if defined $best{$words}{rate} && $best{$words}{rate} >= $rate;
            %{ $best{$words} } = (rate => $rate, words => sprintf($words =~ s/%(?!s)/%%/gr, rates_text($group, $test, $rate)), limit => limit_of($group, $test), note => note_on($group, $test));
        }
    }
    return @parts;
}

# The rate, or those of the levels that it fell to.
sub rates_text ($group, $test, $rate) {
    my $unit   = test_named($test)->{unit};
    my $text   = sub { $unit eq 'ops/s' ? count_text(@_) : figure_text($_[0], $unit) };
    my @levels = grep { $_->{rate}{state} eq 'value' } @{ levels($group, test_named($test)) };
    return $text->($rate) if @levels < 2;
    return join ', then ', (map { $text->($_->{rate}{value}) . sprintf ' for %.3g s', $_->{to_seconds} - $_->{from_seconds} } @levels[ 0 .. $#levels - 1 ]), $text->($levels[-1]{rate}{value});
}

# "random writes of 8 KiB", if all runs did the same; 4 KiB is what everybody assumes.
sub operations_of ($group) {
    my @settings = map { $_->{settings} // {} } @{ $group->records };
    my ($block, @blocks)  = uniq(map { $_->{iops_block_bytes} // q{} } @settings);
    my ($writes, @writes) = uniq(map { $_->{iops_writes_percent} // q{} } @settings);
    my $of   = !@blocks && $block =~ /\A\d{1,15}\z/a && $block != 4096 ? ' of ' . bytes_text($block) : q{};
    my $what = @writes || $writes !~ /\A\d{1,3}\z/a ? 'random reads and writes'
        : $writes == 0                              ? 'random reads'
        : $writes == 100                            ? ((any { $_->{sync} } @settings) ? 'durable writes' : 'random writes')
        :                                             "random operations ($writes\x{A0}% writes)";
    return "$what$of";
}

# What limited all runs; empty if they differ or it is not known.
sub limit_of ($group, $test) {
    my @limits = uniq(map { $_->{limited_by} // q{} } $group->details($test));
    return @limits == 1 ? $limits[0] : q{};
}

sub limit_words ($limit) {
    my %words = (cpu => 'limited by the CPU', others => 'beside others', limit => 'limited by a control group',
        link => 'limited by the link', 'page cache' => 'in the page cache', server => 'limited by the server');
    return $words{$limit} // ();
}

sub note_on ($group, $test) {
    my @details = $group->details($test);
    my $cpu     = $group->spread_of($test, 'cpu');
    my @words   = !@details && $cpu && $cpu->{median} >= $CPU_FULL ? sprintf "at %.0f\x{A0}%% CPU", $cpu->{median} : ();
    my @steady  = grep {defined} map { $_->{steady} } @details;
    push @words, (any { !$_->{is_steady} } @steady) ? 'not steady' : 'steady' if @steady;
    return join ', ', @words;
}

sub bracket {
    my @words = grep {length} @_;
    return @words ? '(' . join(', ', @words) . ')' : ();
}

# [ in how many tests it has the highest rate, label ], the most first.
sub by_firsts (@groups) {
    my %first;
    for my $test (tests_run(@groups)) {
        my @rates = map { [ $_, $_->spread_of($test->{name}, 'rate') ] } @groups;
        my ($best, $second) = sort { $b->[1]{median} <=> $a->[1]{median} } grep { $_->[1] } @rates;
        $first{ $best->[0]->number }++ if $second && $best->[1]{median} > $second->[1]{median};
    }
    my @sorted = sort { $b->[0] <=> $a->[0] } map { [ $first{ $_->number } // 0, $_ ] } @groups;
    return @sorted;
}

sub of_many (@groups) {
    my $tests = tests_run(@groups);
    my ($best, @others) = by_firsts(@groups);
    my $most = $best->[0] or return;
    return names_of($best->[1]) . " has the highest rate in $most of $tests tests, more than any other of the " . @groups . ' labels.' if $others[0][0] < $most;
    return 'None of ' . @groups . " labels has the highest rate in more than $most of $tests tests.";
}

# Facts that only JSON reports have; otherwise nothing.
sub facts ($page) {
    my @records = map { @{ $_->records } } @{ $page->{groups} };
    my @hosts   = map { my @of_ranks = map { $_->{name} } hosts_in($_); @of_ranks ? @of_ranks : $_->{host}{name} } grep { $_->{host} } @records;
    return measured_text(\@hosts, [ map { $_->{start_time} } @records ]);
}

1;
