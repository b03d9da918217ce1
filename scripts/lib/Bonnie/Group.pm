# SPDX-License-Identifier: GPL-2.0-or-later
# The runs of one label, and what they share. Values of a test are those of the
# runs that measured it, in the order of the runs.
package Bonnie::Group;

use strict;
use warnings;
use experimental 'signatures';
use List::Util qw(any first uniq);
use Bonnie::Figure     qw(gap_words is_run is_value);
use Bonnie::Plain      qw(shorten);
use Bonnie::Record     qw(figure);
use Bonnie::Statistics qw(median);
use Bonnie::Tests      qw(all_tests test_named);

# All groups of these records, in the order in which their labels first appear.
sub by_label (@records) {
    my (%group, @groups);
    for my $record (@records) {
        my $label = $record->{label};
        $group{$label} //= $groups[@groups] = bless { number => @groups + 1, label => $label }, __PACKAGE__;
        push @{ $group{$label}{records} }, $record;
    }
    $groups[0]{is_alone} = 1 if @groups == 1;
    return @groups;
}

# Counts from 1. Distinguishes groups whose labels look the same.
sub number { return $_[0]{number} }

# The number before the name; nothing if there is no other group.
sub number_shown { return $_[0]{is_alone} ? () : $_[0]{number} }

sub label { return $_[0]{label} }

# The label, or a visible name in its place.
sub name ($self) { return $self->{label} =~ /\S/ ? $self->{label} : '(no label)' }

# The name as charts show it, behind the number.
sub row_label ($self) { return join q{ }, $self->number_shown, shorten($self->name) }

sub records { return $_[0]{records} }

sub rates ($self, $name) { return $self->values_of($name, 'rate') }

# The values of 'rate', 'cpu' or 'latency'.
sub values_of ($self, $name, $kind) {
    return $self->{values}{$kind}{$name} //= [ map { $_->{value} } grep { is_value($_) } $self->figures($name, $kind) ];
}

# { median, min, max } of these values, or undef.
sub spread_of ($self, $name, $kind) {
    my @values = @{ $self->values_of($name, $kind) };
    return @values ? Bonnie::Statistics::spread_of(@values) : undef;
}

# Why there are no such values, in words.
sub gap ($self, $name, $kind) {
    my @figures = $self->figures($name, $kind);
    return gap_words((first { is_run($_) } @figures) // $figures[0]) if $kind eq 'rate';
    return $self->ran($name) ? 'not recorded' : 'not run';
}

sub figures ($self, $name, $kind) {
    my $test = test_named($name);
    return map { figure($_, $test, $kind) } @{ $self->{records} };
}

# The names of the tests that any of the runs ran, measured or not.
sub tests ($self) { return grep { $self->ran($_) } map { $_->{name} } all_tests() }

sub ran ($self, $name) {
    return $self->{ran}{$name} //= (any { is_run($_) } $self->figures($name, 'rate')) ? 1 : 0;
}

# What JSON reports say about a test; empty for CSV lines.
sub details ($self, $name) {
    return grep { $_ && $_->{percentiles} } map { $_->{tests}{$name} } @{ $self->{records} };
}

# The median over the runs of a percentile ("p50"), or undef.
sub percentile ($self, $name, $percentile) {
    my @values = grep { defined } map { $_->{percentiles}{$percentile} } $self->details($name);
    return @values ? median(@values) : undef;
}

# What limited the test, the most frequent first: [ { by => WORDS, runs => NUMBER } ].
sub limits ($self, $name) {
    my %runs;
    $runs{$_}++ for grep { defined } map { $_->{limited_by} } $self->details($name);
    return [ map { { by => $_, runs => $runs{$_} } } sort { $runs{$b} <=> $runs{$a} || $a cmp $b } keys %runs ];
}

# All different texts that $text_of returns for the records.
sub distinct ($self, $text_of) { return uniq(map { $text_of->($_) } @{ $self->{records} }) }

1;
