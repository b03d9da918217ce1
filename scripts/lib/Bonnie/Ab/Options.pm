# SPDX-License-Identifier: GPL-2.0-or-later
# Checks the options of bon_ab, and makes the plan of a campaign.
package Bonnie::Ab::Options;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use Bonnie::Plain  qw(plain_text shorten);

our @EXPORT_OK = qw(@OPTIONS plan_of);

# The rows of Options.pm.
our @OPTIONS = (
    { group => 'What is compared', name => 'a', value => 'COMMAND',
        help => 'the command to measure as A, run by sh; what it prints is read: JSON and CSV of bonnie, JSON of bonload, GoBonnieGo, fio and hyperfine; otherwise, its run time is compared' },
    { name => 'b', value => 'COMMAND', help => 'the same for B' },
    { name => 'prepare-a', value => 'COMMAND', help => 'sets up state A before each run of A; not timed' },
    { name => 'prepare-b', value => 'COMMAND', help => 'the same for B' },
    { name => 'beside-a', value => 'COMMAND', help => 'runs alongside each run of A, and ends with it' },
    { name => 'beside-b', value => 'COMMAND', help => 'the same for B' },
    { name => 'settle', value => 'TIME', kind => 'duration', help => 'time between its start and the measurement (default: 1s)' },
    { name => 'restore', value => 'COMMAND', help => 'run at the end, even after a failure (default: the command of --prepare-a)' },
    { name => 'name-a', value => 'NAME', help => 'what reports call A' },
    { name => 'name-b', value => 'NAME', help => 'what reports call B' },
    { group => 'What is judged, and when they differ', name => 'metric', value => 'NAME', often => 1, help => 'judge this metric; NAME=/REGEX/ is a number in any text; may be given several times (default: all rates)' },
    { name => 'more-is-better', help => 'for metrics of a REGEX' },
    { name => 'less-is-better', help => 'for metrics of a REGEX' },
    { name => 'ignore-failure', help => 'also count runs whose exit status is not 0 or whose report says that they failed' },
    { name => 'settings-may-change', help => 'go on when settings in the reports change' },
    { name => 'margin', value => 'PERCENT', kind => 'decimal', min => 0.01, max => 100, help => 'differences below this do not matter (default: 3)' },
    { name => 'alpha', value => 'P', kind => 'decimal', min => 1e-9, max => 0.5,
        accepted => 'a probability, above 0 and at most 0.5', help => 'how often a campaign without a difference may report one (default: 0.05)' },
    { group => 'How long', name => 'pairs', value => 'N', kind => 'count', min => 1, max => 1e6, help => 'measure at most N pairs (default: 100)' },
    { name => 'time', value => 'TIME', kind => 'duration', help => 'begin no pair that would end after TIME' },
    { name => 'timeout', value => 'TIME', kind => 'duration', help => 'for each run; one that takes longer has failed' },
    { name => 'warmup', value => 'N', kind => 'count', max => 1e6, help => 'first make N runs of each, which do not count' },
    { name => 'control', value => 'N', kind => 'count', max => 1e6, help => 'first measure N pairs of A against A, to show the noise' },
    { name => 'seed', value => 'N', kind => 'count', help => 'seed for everything random (default: the time)' },
    { group => 'Results', name => 'keep', value => 'DIR', offer => 'directories', accepted => 'the path of a directory', help => 'keep all results in DIR, and continue from there' },
    { name => 'json', help => 'print the report as JSON' },
);

# $options: what was given; @command: the one after "--". Returns { command =>
# { a, b }, prepare => { a, b }, beside => { a, b }, settle, name => { a, b }, restore, warmup, timeout,
# metrics => [ { name, pattern, more } ], needs_report => whether any of them is in reports only,
# margin (percent), pairs, time, alpha, seed, control, keep, ignore_failure, settings_may_change }.
# Dies of what is wrong.
sub plan_of ($options, @command) {
    my %plan = (
        commands($options, @command),
        name    => { a => name($options, 'a'), b => name($options, 'b') },
        restore => $options->{restore} // $options->{'prepare-a'},
        metrics => [ metrics($options) ],
        keep    => $options->{keep},
        ignore_failure      => $options->{'ignore-failure'} ? 1 : 0,
        settings_may_change => $options->{'settings-may-change'} ? 1 : 0,
        (map { $_ => $options->{$_} } qw(alpha control margin pairs seed settle time timeout warmup)),
    );
    my @named = grep { !$_->{pattern} } @{ $plan{metrics} };
    $plan{needs_report} = !@{ $plan{metrics} } || grep { $_->{name} ne 'wall_time' } @named;
    wrong('--name-a and --name-b must differ') if $plan{name}{a} eq $plan{name}{b};
    my %default = (warmup => 0, control => 0, settle => 1, pairs => 100, alpha => 0.05, margin => 3);
    $plan{$_} //= $default{$_} for keys %default;
    return \%plan;
}

sub wrong ($what) {
    die "$what\n";
}

sub commands ($options, @command) {
    my %prepare = (a => $options->{'prepare-a'}, b => $options->{'prepare-b'});
    my @given   = grep { defined $options->{$_} } qw(a b);
    wrong("--$given[0] needs the other of --a and --b") if @given == 1;
    wrong('a command after -- and --a, --b cannot be given together') if @given && @command;
    wrong('no command is given: it comes after --, or as --a and --b; bon_ab -h has examples') if !@given && !@command;
    my %beside = (a => $options->{'beside-a'}, b => $options->{'beside-b'});
    wrong("--beside-$_ is empty") for grep { defined $beside{$_} && $beside{$_} !~ /\S/ } qw(a b);
    wrong('--settle needs --beside-a or --beside-b') if defined $options->{settle} && !grep {defined} values %beside;
    wrong('nothing differs between A and B: give --prepare-a or --prepare-b, --beside-a or --beside-b, or --a and --b')
        if @command && !grep {defined} values %prepare, values %beside;
    my %command = @given ? map { $_ => $options->{$_} } @given : map { $_ => [@command] } qw(a b);
    wrong("--$_ is empty") for grep { !ref $command{$_} && $command{$_} !~ /\S/ } sort keys %command;
    return (command => \%command, prepare => \%prepare, beside => \%beside);
}

sub name ($options, $side) {
    my $name = shorten(plain_text($options->{"name-$side"} // uc $side), 40);
    wrong("--name-$side is empty") if $name !~ /\S/;
    return $name;
}

sub shown ($given) { return q{"} . shorten(plain_text($given), 40) . q{"} }

# Nobody knows which direction of a number in arbitrary text is the better one.
sub metrics ($options) {
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
