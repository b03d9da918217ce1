# SPDX-License-Identifier: GPL-2.0-or-later
# One report of boncut, of a check or a campaign, read from its JSON. Invalid figures become 0 or
# undef, whatever the file contains.
package Bonnie::Cut;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use List::Util    qw(max);
use Bonnie::Json  qw(hash list number text version_fault);
use Bonnie::Plain qw(few shorten);

our @EXPORT_OK = qw(count fault_words faults finding_words verdict_counts verdict_of words);

# Limits for hostile reports.
my $MOST     = 1000;
my $MAX_TEXT = 300;

# How a unit is lost: key, and words.
my @FAULTS = (
    [ lost       => 'older than promised' ],
    [ foreign    => 'foreign' ],
    [ torn       => 'torn' ],
    [ missing    => 'missing' ],
    [ came_back  => 'came back' ],
    [ wrong_size => 'of a wrong size' ],
);

sub is_report ($report) {
    return ref $report eq 'HASH' && (text($report->{format}) // q{}) =~ /\Aboncut-(?:check|campaign)\z/;
}

# Like report_records() of Json.pm: the one record has only { cut => ... }.
sub records ($report) {
    my $fault = version_fault($report);
    return defined $fault ? ([], $fault) : ([ { cut => bless { %{$report} }, __PACKAGE__ } ]);
}

# The number of a report on the page, by which the reader finds its tables and charts.
# A single report has none.
sub number_as ($cut, $number) {
    $cut->{number} = $number;
    return $cut;
}

sub number_of { return $_[0]{number} }

# Larger numbers of checks are added up.
my $MOST_CHECKS = 4;

# The reports as the page shows them: all checks of a campaign are one.
sub few_reports (@cuts) {
    my @checks = grep { !$_->is_campaign } @cuts;
    return @cuts if @checks <= $MOST_CHECKS;
    return ((grep { $_->is_campaign } @cuts), added_up(@checks));
}

sub added_up (@checks) {
    my %sum = (
        format      => 'boncut-check',
        run         => $checks[0]{run},
        added_up     => scalar @checks,
        last_tenths => [ add_rows(map { [ $_->tenths ] } @checks) ],
        losses      => [ map { $_->losses } @checks ],
        reason      => @checks . ' checks: ' . verdict_counts(map { $_->{verdict} } @checks),
        map { my $part = $_; ($part => [ add_named(map { $_->$part } @checks) ]) } qw(methods canaries),
    );
    for my $sum (@{ $sum{canaries} }) {
        $sum->{counts} = !grep { words($_->{name}) eq $sum->{name} && !$_->{counts} } map { $_->canaries } @checks;
    }
    return bless \%sum, __PACKAGE__;
}

# "8 kept, 1 lost".
sub verdict_counts {
    my %count;
    $count{ verdict_of($_) }++ for @_;
    return join ', ', map {"$count{$_} $_"} grep { $count{$_} } 'kept', 'lost', 'unreadable', 'not known';
}

# A verdict as people read it.
sub verdict_of {
    my $verdict = words($_[0]);
    return $verdict =~ /\A(?:kept|lost|unreadable)\z/ ? $verdict : 'not known';
}

# Adds up entries with the same name.
sub add_named (@all) {
    my (%of, @names);
    for my $one (@all) {
        my $name = words($one->{name});
        push @names, $name if !$of{$name};
        push @{ $of{$name} }, $one;
    }
    return map { { %{ add_counts(@{ $of{$_} }) }, name => $_, last_seconds => [ add_rows(map { [ few_of($_->{last_seconds}) ] } @{ $of{$_} }) ] } } @names;
}

# Adds two lists, element by element.
sub add_rows (@rows) {
    my $longest = max(0, map { scalar @{$_} } @rows);
    return map { my $i = $_; add_counts(map { $_->[$i] // () } @rows) } 0 .. $longest - 1;
}

sub add_counts {
    my %sum;
    for my $one (@_) {
        $sum{$_} += number($one->{$_}) for grep { defined number($one->{$_}) } keys %{$one};
    }
    return \%sum;
}

# "ext4 on /dev/loop0".
sub name ($cut) {
    return shorten(words(hash($cut->{settings})->{directory}) || 'campaign') if $cut->is_campaign;
    my $run   = hash($cut->{run});
    my @words = map { words($_) } grep {defined} text($run->{filesystem}), text($run->{device});
    return shorten(join(' on ', @words) || 'storage');
}

# Foreign text, and numbers, as the page shows them.
sub words { return shorten(text($_[0]) // q{}, $MAX_TEXT) }

sub count { return number($_[0]) // 0 }

# The verdict and the reason for it. Several checks have no verdict together.
sub sentence ($cut) {
    return join ': ', defined $cut->{verdict} ? uc verdict_of($cut->{verdict}) : (), words($cut->{reason});
}

sub is_campaign { return text($_[0]{format}) eq 'boncut-campaign' }

sub few_of { return map { hash($_) } few($MOST, list($_[0])) }

# What a table of the methods is about.
sub what { return $_[0]{added_up} ? count($_[0]{added_up}) . ' checks, added up' : 'all methods' }

# The methods that promise something, and the canaries, which promise nothing.
sub methods  { return few_of($_[0]{methods}) }
sub canaries { return few_of($_[0]{canaries}) }
sub losses   { return few_of($_[0]{losses}) }
sub each_cut { return few_of($_[0]{cuts}) }

# The last tenths of a second; the last one ends with the log.
sub tenths { return few_of($_[0]{last_tenths}) }

# Number of a method's units that are lost.
sub faults ($method) {
    my $sum = 0;
    $sum += count($method->{ $_->[0] }) for @FAULTS;
    return $sum;
}

# "3 older than promised, 1 missing".
sub fault_words ($method) {
    return join ', ', map { count($method->{ $_->[0] }) . " $_->[1]" } grep { count($method->{ $_->[0] }) } @FAULTS;
}

sub finding_words ($name) {
    my ($words) = map { $_->[1] } grep { $_->[0] eq ($name // q{}) } @FAULTS;
    return $words // words($name);
}

1;
