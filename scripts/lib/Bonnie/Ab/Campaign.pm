# SPDX-License-Identifier: GPL-2.0-or-later
# A campaign: pairs of runs of A and B in random order, until it is known how they differ. Reports
# are made from its findings, one structure:
#
#   plan      see Options.pm
#   pairs     [ { number, first => 'a' or 'b', seconds, a => VALUES, b => VALUES, beside => { a, b } as
#             Neighbour.pm has it, if there are any } ]; a pair that is left out has `failed`, why, instead of values
#   control   the same of A against A
#   judges    of the judged metrics, see Judge.pm; [] as long as none are chosen
#   known_as  { name => { name, unit, more, judged, speed, place } } for all metrics that were
#             printed, and in which place
#   course    { name => [ [ low, high ], ... ] }, the interval after each pair, from kept files too
#   settings  { a => { name => text }, b => ... } as the first reports of both have them
#   requests  { a => { asked => how many in all pairs, errors => how many of them failed }, b => ... }
#   told      [ WORDS ], what a reader should know: settings that differ or changed
#   ended     known, pairs, time, signal, failures, error
#   elapsed   seconds
#
# VALUES are { metric => number }.
package Bonnie::Ab::Campaign;

use strict;
use warnings;
use experimental 'signatures';
use Digest::SHA qw(sha256_hex);
use List::Util  qw(all max min);
use POSIX       qw(strftime);
use Bonnie::Ab::Command  qw(run_command);
use Bonnie::Ab::Judge;
use Bonnie::Ab::Measured qw(measured number_in unread_report);
use Bonnie::Ab::Neighbour;
use Bonnie::Ab::Session  qw(now start_watcher);
use Bonnie::Plain        qw(plain_text shorten);
use Bonnie::Statistics   qw(median);

# After this many left-out pairs in a row, the campaign ends.
my $MOST_FAILURES = 3;

my $WALL_TIME = { name => 'wall_time', unit => 'ns', more => 0, judged => 0, speed => 1 };

# Signals that end no process, that cannot be caught, that are for a fault in the program itself
# (signal(7)), and those of the C library. All others end the campaign, unless they are ignored.
my %LEFT_ALONE = map { $_ => 1 } qw(ABRT BUS CHLD CLD CONT FPE ILL IOT KILL NUM32 NUM33 SEGV STOP SYS TRAP TSTP TTIN TTOU URG WINCH);

# The interval at which to look after the command beside, in seconds.
my $LOOK = 0.05;

my $MOST_SETTINGS = 10;
my $MAX_VALUE     = 40;

# %hooks: complain => sub (words), prints a line for the user; show => sub (campaign, words about
# what runs), draws the live line; kept => sub (campaign), called after each pair; output => sub
# (campaign, pair, side, bytes).
sub new ($class, $plan, %hooks) {
    my $self = bless {
        plan  => $plan, hooks => \%hooks, pairs => [], control => [], judges => [], known_as => {}, course => {},
        told => [], settings => {}, requests => {}, elapsed => 0, before => 0, signals => 0, failures => 0, any_seed => !defined $plan->{seed},
        start_time => strftime('%Y-%m-%dT%H:%M:%SZ', gmtime),
    }, $class;
    $plan->{seed} //= hex substr sha256_hex(join q{ }, $$, time, now()), 0, 8;
    return $self;
}

# Runs the campaign to its end, whatever happens, and then restores the state.
# Returns the failure that ended it, in words, or undef.
sub go ($self) {
    my @ends = grep { !$LEFT_ALONE{$_} && ($SIG{$_} // q{}) ne 'IGNORE' } keys %SIG;
    local @SIG{@ends} = (sub { $self->{signals}++ }) x @ends;
    ($self->{watcher}, my $watching) = start_watcher();
    $self->{began} = now();
    my $done = eval { $self->{ended} = $self->work; 1 };
    my $why  = $done ? undef : $@ =~ s/\n\z//r;
    $self->{ended} = 'error' if !$done;
    $self->{elapsed} = $self->seconds;
    my $unrestored = $self->restore;
    close delete $self->{watcher};
    waitpid $watching, 0;
    $why //= "$MOST_FAILURES pairs in a row failed" if $self->{ended} eq 'failures';
    return $why // $unrestored;
}

sub seconds ($self) { return $self->{before} + now() - $self->{began} }

# Takes over the measurements that an earlier campaign has kept.
sub take_over ($self, $kept) {
    $self->{before} = $kept->{elapsed};
    $self->{start_time} = $kept->{start_time};
    $self->{known_as} = $kept->{known_as};
    $self->{settings} = $kept->{reported};
    $self->{requests} = $kept->{requests};
    @{ $self->{control} } = @{ $kept->{control} };
    for my $pair (@{ $kept->{pairs} }) {
        push @{ $self->{pairs} }, $pair;
        next if defined $pair->{failed};
        $self->choose_judges($pair) if !@{ $self->{judges} };
        $self->judge($pair);
    }
    $self->{warm} = @{ $self->{pairs} } || @{ $self->{control} };
    return;
}

sub work ($self) {
    my $plan = $self->{plan};
    if (!$self->{warm}) {
        for my $run (1 .. $plan->{warmup}) {
            for my $side (qw(a b)) {
                my $failed = $self->measure_run("warm-up $run", $side)->{failed};
                return 'signal' if $self->{signals};
                die "warm-up: $self->{plan}{name}{$side} $failed\n" if defined $failed;
            }
        }
    }
    until (@{ $self->{pairs} } || @{ $self->{control} } >= $plan->{control} || $self->lacks_time_for(2)) { # one of them for a pair
        my $pair = $self->measure_pair('control', @{ $self->{control} } + 1, { a => 'a', b => 'a' }) // return 'signal';
        push @{ $self->{control} }, $pair;
        return 'failures' if $self->failed_again($pair, 'control pair');
        $self->{hooks}{kept}->($self);
    }
    until ($self->is_known) {
        return 'pairs' if $self->good_pairs >= $plan->{pairs};
        return 'time'  if @{ $self->{pairs} } && $self->lacks_time_for(1); # the first one is always run
        my $pair = $self->measure_pair('pair', @{ $self->{pairs} } + 1, { a => 'a', b => 'b' }) // return 'signal';
        push @{ $self->{pairs} }, $pair;
        if (!defined $pair->{failed}) {
            $self->choose_judges($pair) if !@{ $self->{judges} };
            $self->judge($pair);
        }
        $self->{hooks}{kept}->($self);
        return 'failures' if $self->failed_again($pair, 'pair');
    }
    return 'known';
}

sub good_pairs ($self) { return scalar grep { !defined $_->{failed} } @{ $self->{pairs} } }

sub is_known ($self) {
    return @{ $self->{judges} } && all { defined $_->verdict } @{ $self->{judges} };
}

# Whether that number of pairs would not end in time.
sub lacks_time_for ($self, $pairs) {
    my $time = $self->{plan}{time} // return 0;
    my $pair = $self->pair_seconds // return 0;
    return $self->seconds + $pairs * $pair > $time;
}

# What a pair takes; before the first one, a control pair.
sub pair_seconds ($self) {
    my ($measured) = grep { @{$_} } map { [ grep { !defined $_->{failed} } @{ $self->{$_} } ] } qw(pairs control);
    return $measured ? median(map { $_->{seconds} } @{$measured}) : undef;
}

sub failed_again ($self, $pair, $what) {
    $self->{failures} = defined $pair->{failed} ? $self->{failures} + 1 : 0;
    $self->{hooks}{complain}->("$what $pair->{number} is left out: $pair->{failed}") if defined $pair->{failed};
    return $self->{failures} >= $MOST_FAILURES;
}

# Runs one pair. $side_of says whose commands are run as "a" and as "b". Returns
# undef if a signal came.
sub measure_pair ($self, $kind, $number, $side_of) {
    my $first = $self->first_of($kind, $number);
    my %pair  = (number => $number, first => $first);
    my %run_of;
    my $began = now();
    for my $role ($first, $first eq 'a' ? 'b' : 'a') {
        my $side = $side_of->{$role};
        my $run  = $self->measure_run("$kind $number", $side);
        return if $self->{signals};
        $self->compare_settings($side, "$kind $number", $run->{settings}) if !defined $run->{failed};
        $self->{hooks}{output}->($self, $number, $side, $run->{output}) if $kind eq 'pair' && !defined $run->{failed};
        $pair{failed} = "$self->{plan}{name}{$side} $run->{failed}" if defined $run->{failed};
        last if defined $run->{failed};
        $pair{$role} = $run->{values};
        $run_of{$role} = $run;
        $pair{beside}{$role} = $run->{beside} if $run->{beside};
    }
    $pair{seconds} = now() - $began;
    for my $side ($kind eq 'pair' && !defined $pair{failed} ? keys %run_of : ()) {
        $self->{requests}{$side}{$_} += $run_of{$side}{$_} // 0 for qw(asked errors);
    }
    return \%pair;
}

# Draws which side runs first. The draws repeat for a seed, and a continued
# campaign continues their sequence.
sub first_of ($self, $kind, $number) {
    return hex(substr sha256_hex("$self->{plan}{seed} $kind $number"), 0, 1) & 1 ? 'b' : 'a';
}

# Returns { values, settings, output } or { failed => words }.
sub measure_run ($self, $what, $side) {
    my $plan = $self->{plan};
    my $prepared = $self->run_one("$what: preparing $plan->{name}{$side}", $plan->{prepare}{$side}, 0);
    return { failed => "could not be prepared: the command $prepared->{failed}" } if $prepared && defined $prepared->{failed};
    my ($run, $beside) = $self->run_beside("$what: $plan->{name}{$side}", $side);
    return { failed => $run->{failed} } if defined $run->{failed} && !($plan->{ignore_failure} && $run->{has_ended});
    my $values = eval { $self->values_of($run) } // return { failed => 'printed ' . $@ =~ s/\n\z//r };
    return { values => $values, (map { $_ => $run->{$_} } qw(settings asked errors)), output => $run->{output}, beside => $beside };
}

# Runs the command of one side, with the one beside it, which ends in any case. Returns the run, and
# what the other did.
sub run_beside ($self, $words, $side) {
    my ($plan, $command) = map { ($_, $_->{beside}{$side}) } $self->{plan};
    return $self->run_one($words, $plan->{command}{$side}, 1) if !defined $command;
    my $neighbour = Bonnie::Ab::Neighbour->new($self->{watcher}, $command);
    my $run = eval {
        my $until = now() + $plan->{settle};
        $self->{hooks}{show}->($self, "$words: settling");
        select undef, undef, undef, min($LOOK, max(0, $until - now())) while now() < $until && !$self->{signals} && !$neighbour->has_failed;
        $neighbour->has_failed ? {} : $self->run_one($words, $plan->{command}{$side}, 1, 0, sub { $neighbour->has_failed });
    };
    my $fault = $@;
    my ($beside, $left) = $neighbour->end;
    $self->{hooks}{complain}->("$words: $left") if defined $left;
    die $fault if !$run;
    $run->{failed} = $neighbour->{failed} if defined $neighbour->{failed};
    $run->{has_ended} = 0 if defined $neighbour->{failed};
    return ($run, $beside);
}

sub run_one ($self, $words, $command, $captures, $signals = undef, $stopped = undef) {
    return if !defined $command;
    $signals //= 0;
    my $show = sub { $self->{hooks}{show}->($self, $words) };
    $show->();
    my $run = run_command($self->{watcher}, $command, captures => $captures, regardless => $self->{ended}, timeout => $self->{plan}{timeout},
        tick => $show, stopped => sub { $self->{signals} > $signals || $stopped && $stopped->() });
    $self->{hooks}{complain}->("$words: $run->{left}") if defined $run->{left};
    return $run;
}

# Dies when a value is missing, with words that follow "printed".
sub values_of ($self, $run) {
    my $plan    = $self->{plan};
    my $report  = measured($run->{output});
    my $unread  = !$report && $plan->{needs_report} ? unread_report(@{$run}{qw(output errors)}) : undef;
    die "$unread; --metric=wall_time compares the time\n" if defined $unread;
    die "$report->{failed}\n" if $report && defined $report->{failed} && !$plan->{ignore_failure};
    my %values  = (wall_time => $run->{seconds} * 1e9);
    my %metrics = (wall_time => $WALL_TIME);
    my @names   = ($report ? map { $_->{name} } @{ $report->{metrics} } : ());
    for my $metric ($report ? @{ $report->{metrics} } : ()) {
        $metrics{ $metric->{name} } = { %{$metric}, speed => 1 };
        $values{ $metric->{name} } = $metric->{value};
    }
    push @names, 'wall_time';
    for my $metric (grep { $_->{pattern} } @{ $plan->{metrics} }) {
        $values{ $metric->{name} } = $self->matched($metric, $run);
        push @names, $metric->{name};
        $metrics{ $metric->{name} } = { name => $metric->{name}, unit => undef, more => $metric->{more}, judged => 0, speed => 0 };
    }
    $run->{settings} = $report ? $report->{settings} : {};
    $run->{$_} = $report ? $report->{$_} : 0 for qw(asked errors);
    my @missing = grep { !exists $values{$_} } map { $_->metric->{name} } @{ $self->{judges} };
    # A pair need not have each row of a report: what is too quick has no figure.
    die +($report ? "a report without $missing[0]" : 'no report') . "\n" if @missing && (@{ $plan->{metrics} } || @missing == @{ $self->{judges} });
    $self->{known_as}{$_} //= { %{ $metrics{$_} }, place => scalar keys %{ $self->{known_as} } } for @names;
    return \%values;
}

# The number in the text in the pattern's first parentheses, or in all that it matched. Its unit must
# not change.
sub matched ($self, $metric, $run) {
    my $text = "$run->{output}\n$run->{errors}";
    $text =~ $metric->{pattern} or die "nothing that matches --metric $metric->{name}" . (defined $run->{lost} ? "; $run->{lost}" : q{}) . "\n";
    my $found = defined $1 ? $1 : $&;
    my $words = "for --metric $metric->{name}: \"" . shorten(plain_text($found), 40) . q{"};
    my ($number, $unit) = number_in($found);
    die "no single positive number $words\n" if !defined $number || $number <= 0;
    my $before = $self->{units}{ $metric->{name} } //= $unit;
    die "another unit than before $words; it was \"" . shorten(plain_text($before), 40) . "\"\n" if $unit ne $before;
    return $number;
}

# Chooses the judged metrics, once for all pairs, because the probability of an
# error is divided among them.
sub choose_judges ($self, $pair) {
    my $plan  = $self->{plan};
    my @names = $self->names_to_judge($pair);
    my $tail  = $plan->{alpha} / (2 * @names);
    $self->{judges} = [ map { Bonnie::Ab::Judge->new($self->{known_as}{$_}, $tail, 1 + $plan->{margin} / 100) } @names ];
    $self->{known_as}{$_}{judged} = 1 for @names;
    return;
}

sub names_to_judge ($self, $pair) {
    my $known  = $self->{known_as};
    my @common = sort { $known->{$a}{place} <=> $known->{$b}{place} } grep { exists $pair->{b}{$_} } keys %{ $pair->{a} };
    my @wanted = map { $_->{name} } @{ $self->{plan}{metrics} };
    for my $name (@wanted) {
        next if exists $pair->{a}{$name} && exists $pair->{b}{$name};
        die "no metric $name is printed by both; those are " . join(', ', @common) . "\n";
    }
    return @wanted if @wanted;
    my @judged = grep { $known->{$_}{judged} } @common;
    return @judged if @judged;
    my @reports = grep { keys %{ $pair->{$_} } > 1 } qw(a b);
    die "the reports of both have no rate in common: name what to compare with --metric, such as wall_time\n" if @reports;
    return 'wall_time';
}

sub judge ($self, $pair) {
    for my $judge (@{ $self->{judges} }) {
        my $name = $judge->metric->{name};
        next if !$pair->{a}{$name} || !$pair->{b}{$name};
        $judge->add($pair->{a}{$name}, $pair->{b}{$name});
        push @{ $self->{course}{$name} }, [ $judge->interval ];
    }
    return;
}

# Compares the first settings of A with those of B, and later settings of each with its own first
# ones. Dies when they have changed, unless they may.
sub compare_settings ($self, $side, $what, $settings) {
    my ($all, $name) = ($self->{settings}, $self->{plan}{name});
    if ($all->{$side}) {
        my @changed = grep { !$self->{changed}{"$side $_"}++ } differing($all->{$side}, $settings);
        return if !@changed;
        my $words = "settings of $name->{$side} changed in $what: " . listed(map { value($_) . ' was ' . value($all->{$side}{$_}) . ', is ' . value($settings->{$_}) } @changed);
        die "$words; with --settings-may-change it goes on\n" if !$self->{plan}{settings_may_change};
        push @{ $self->{told} }, $words;
        return $self->{hooks}{complain}->($words);
    }
    $all->{$side} = $settings;
    return if !$all->{a} || !$all->{b};
    my @differ = grep { !$self->is_in_commands($_) } differing($all->{a}, $all->{b});
    push @{ $self->{told} }, "settings differ ($name->{a}, $name->{b}): "
        . listed(map { value(s/\Asettings[.]//r) . ' (' . value($all->{a}{$_}) . ', ' . value($all->{b}{$_}) . ')' } @differ) if @differ;
    return;
}

# Whether it is a path or URL that the commands of A and B themselves have: then it is what is compared.
sub is_in_commands ($self, $setting) {
    my %command = map { my $command = $self->{plan}{command}{$_}; $_ => ref $command ? "@{$command}" : $command } qw(a b);
    return $command{a} ne $command{b} && 2 == grep { my $value = $self->{settings}{$_}{$setting}; defined $value && $value =~ m{/} && index($command{$_}, $value) >= 0 } qw(a b);
}

sub differing ($one, $other) {
    my %names = (%{$one}, %{$other});
    return sort grep { ($one->{$_} // q{}) ne ($other->{$_} // q{}) } keys %names;
}

sub value ($value) { return defined $value ? shorten($value, $MAX_VALUE) : 'nothing' }

sub listed (@words) {
    my $more  = @words - $MOST_SETTINGS;
    return join '; ', $more > 0 ? (@words[ 0 .. $MOST_SETTINGS - 1 ], "and $more more") : @words;
}

# (fewest, most) further pairs; undef: more than the limit. Returns nothing while this is unknown.
sub forecast ($self) {
    my $left = $self->{plan}{pairs} - $self->good_pairs;
    my ($fewest, $most) = (0, 0);
    for my $judge (@{ $self->{judges} }) {
        my ($low, $high) = $judge->forecast or return;
        $fewest = max($fewest, $low  // $left);
        $most   = max($most,   $high // $left + 1);
    }
    return if !@{ $self->{judges} } || $left <= 0;
    return (int min($fewest, $left), $most > $left ? undef : int($most + 0.999));
}

# Restores state A, if the other one was made. A second signal ends this, too.
# Returns undef, or what went wrong in words.
sub restore ($self) {
    my $run = $self->run_one('restoring', $self->{plan}{restore}, 0, $self->{signals}) // return;
    return if !defined $run->{failed};
    return "the state is not restored: the command $run->{failed}";
}

1;
