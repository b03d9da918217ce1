# SPDX-License-Identifier: GPL-2.0-or-later
# Checks the options of bon_ab, and makes the plan of a campaign.
package Bonnie::Ab::Options;

use strict;
use warnings;
use Exporter 'import';
use Bonnie::Output qw(complain);
use Bonnie::Plain  qw(plain_text shorten);

our @EXPORT_OK = qw(@OPTIONS plan_of);

# Specifications for Getopt::Long.
our @OPTIONS = qw(a=s b=s prepare-a=s prepare-b=s beside-a=s beside-b=s settle=s restore=s name-a=s name-b=s warmup=s timeout=s metric=s@
    more-is-better less-is-better ignore-failure settings-may-change margin=s pairs=s time=s alpha=s seed=s control=s keep=s json);

my %SECONDS = (ms => 0.001, q{} => 1, s => 1, m => 60, h => 3600, d => 86_400);

my $WHOLE  = qr/\A\d{1,15}\z/a;
my $NUMBER = qr/\A\d{1,9}(?:[.]\d{1,9})?\z/a;

# The accepted range of each number.
my %LIMITS = (
    warmup  => [ $WHOLE,  0,    1e6,  'a whole number' ],
    control => [ $WHOLE,  0,    1e6,  'a whole number' ],
    pairs   => [ $WHOLE,  1,    1e6,  'a whole number from 1' ],
    seed    => [ $WHOLE,  0,    1e15, 'a whole number' ],
    alpha   => [ $NUMBER, 1e-9, 0.5,  'a probability, above 0 and at most 0.5' ],
    margin  => [ $NUMBER, 0.01, 100,  'a percentage from 0.01 to 100' ],
);

# $options: what was given; @command: the one after "--". Returns { command =>
# { a, b }, prepare => { a, b }, beside => { a, b }, settle, name => { a, b }, restore, warmup, timeout,
# metrics => [ { name, pattern, more } ], needs_report => whether any of them is in reports only,
# margin (percent), pairs, time, alpha, seed, control, keep, ignore_failure, settings_may_change }.
# Dies of what is wrong.
sub plan_of {
    my ($options, @command) = @_;
    my %plan = (
        commands($options, @command),
        name    => { a => name($options, 'a'), b => name($options, 'b') },
        restore => $options->{restore} // $options->{'prepare-a'},
        metrics => [ metrics($options) ],
        keep    => $options->{keep},
        ignore_failure      => $options->{'ignore-failure'} ? 1 : 0,
        settings_may_change => $options->{'settings-may-change'} ? 1 : 0,
        (map { $_ => scalar number($options, $_) } keys %LIMITS),
        (map { $_ => scalar duration($options, $_) } qw(timeout time settle)),
    );
    my @named = grep { !$_->{pattern} } @{ $plan{metrics} };
    $plan{needs_report} = !@{ $plan{metrics} } || grep { $_->{name} ne 'wall_time' } @named;
    wrong('--name-a and --name-b must differ') if $plan{name}{a} eq $plan{name}{b};
    wrong('--keep needs a directory') if defined $plan{keep} && $plan{keep} eq q{};
    my %default = (warmup => 0, control => 0, settle => 1, pairs => 100, alpha => 0.05, margin => 3);
    $plan{$_} //= $default{$_} for keys %default;
    return \%plan;
}

sub wrong {
    my ($what) = @_;
    die "$what; try --help\n";
}

# Without anything, says which questions it answers.
sub answer_bare {
    complain(q{did a change help? bon_ab --prepare-a='COMMAND' --prepare-b='COMMAND' -- bonnie -q --json -d . -s 1g -n 0});
    complain(q{which disk is faster? bon_ab --a='bonnie -q --json -d DIR -s 1g -n 0' --b='bonnie -q --json -d OTHER -s 1g -n 0'});
    die "which program is faster? bon_ab --a='COMMAND' --b='COMMAND'; bon_ab --help lists the options\n";
}

sub commands {
    my ($options, @command) = @_;
    my %prepare = (a => $options->{'prepare-a'}, b => $options->{'prepare-b'});
    my @given   = grep { defined $options->{$_} } qw(a b);
    wrong("--$given[0] needs the other of --a and --b") if @given == 1;
    wrong('a command after -- and --a, --b cannot be given together') if @given && @command;
    answer_bare() if !%{$options} && !@command;
    wrong('no command is given: it comes after --, or as --a and --b') if !@given && !@command;
    my %beside = (a => $options->{'beside-a'}, b => $options->{'beside-b'});
    wrong("--beside-$_ is empty") for grep { defined $beside{$_} && $beside{$_} !~ /\S/ } qw(a b);
    wrong('--settle needs --beside-a or --beside-b') if defined $options->{settle} && !grep {defined} values %beside;
    wrong('nothing differs between A and B: give --prepare-a or --prepare-b, --beside-a or --beside-b, or --a and --b')
        if @command && !grep {defined} values %prepare, values %beside;
    my %command = @given ? map { $_ => $options->{$_} } @given : map { $_ => [@command] } qw(a b);
    wrong("--$_ is empty") for grep { !ref $command{$_} && $command{$_} !~ /\S/ } sort keys %command;
    return (command => \%command, prepare => \%prepare, beside => \%beside);
}

sub name {
    my ($options, $side) = @_;
    my $name = shorten(plain_text($options->{"name-$side"} // uc $side), 40);
    wrong("--name-$side is empty") if $name !~ /\S/;
    return $name;
}

sub shown {
    my ($given) = @_;
    return q{"} . shorten(plain_text($given), 40) . q{"};
}

sub number {
    my ($options, $name) = @_;
    my $given = $options->{$name} // return;
    my ($pattern, $least, $most, $words) = @{ $LIMITS{$name} };
    my $digits = $name eq 'margin' ? $given =~ s/\s*%\z//r : $given;
    wrong("--$name needs $words, not " . shown($given)) if $digits !~ $pattern || $digits < $least || $digits > $most;
    return $digits + 0;
}

sub duration {
    my ($options, $name) = @_;
    my $given = $options->{$name} // return;
    my ($digits, $unit) = $given =~ /\A(\d{1,9}(?:[.]\d{1,9})?)(ms|s|m|h|d|)\z/a;
    wrong("--$name needs a time such as 90, 90s, 5m or 2h, not " . shown($given)) if !defined $digits || $digits == 0;
    return $digits * $SECONDS{$unit};
}

# Nobody knows which direction of a number in arbitrary text is the better one.
sub metrics {
    my ($options) = @_;
    my ($more, $less) = @{$options}{qw(more-is-better less-is-better)};
    wrong('--more-is-better and --less-is-better exclude each other') if $more && $less;
    my (@metrics, %seen);
    for my $given (@{ $options->{metric} // [] }) {
        my ($name, $written, $flag) = $given =~ m{\A([^=]*)=/(.*)/(i?)\z}s;
        my $metric = { name => plain_text($name // $given) };
        wrong('--metric needs a name or name=/REGEX/, not ' . shown($given)) if $metric->{name} !~ /\A[^\s\/=](?:[^\/=]*[^\s\/=])?\z/;
        wrong("--metric $metric->{name} is given twice") if $seen{ $metric->{name} }++;
        if (defined $written) {
            $metric->{pattern} = eval { no warnings; $flag ? qr/$written/mi : qr/$written/m }
                // wrong('--metric ' . shown($given) . ' is no regular expression that Perl understands');
            wrong("--metric $metric->{name} needs --more-is-better or --less-is-better") if !$more && !$less;
            $metric->{more} = $more ? 1 : 0;
            $metric->{text} = plain_text($given);
        }
        push @metrics, $metric;
    }
    my $patterns = grep { $_->{pattern} } @metrics;
    wrong('--more-is-better and --less-is-better are for a --metric name=/REGEX/') if ($more || $less) && !$patterns;
    return @metrics;
}

1;
