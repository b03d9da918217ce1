# The runs of one label.
package Bonnie::Group;

use strict;
use warnings;
use List::Util qw(any);
use Bonnie::Figure qw(is_run is_value);
use Bonnie::Record qw(figure);
use Bonnie::Tests  qw(all_tests test_named);

# All groups of these records, in the order in which their labels first appear.
sub by_label {
    my @records = @_;
    my (%group, @groups);
    for my $record (@records) {
        my $label = $record->{label};
        push @groups, $group{$label} = bless { label => $label, records => [] }, __PACKAGE__ if !$group{$label};
        push @{ $group{$label}{records} }, $record;
    }
    return @groups;
}

sub label {
    my ($self) = @_;
    return $self->{label};
}

sub records {
    my ($self) = @_;
    return $self->{records};
}

# The rates of the runs that measured this test, in the order of the runs.
sub rates {
    my ($self, $name) = @_;
    return $self->values_of($name, 'rate');
}

# The same of 'rate', 'cpu' or 'latency'.
sub values_of {
    my ($self, $name, $kind) = @_;
    my $test = test_named($name);
    return [ map { $_->{value} } grep { is_value($_) } map { figure($_, $test, $kind) } @{ $self->{records} } ];
}

# The names of the tests that any of the runs did, measured or not.
sub tests {
    my ($self) = @_;
    return map { $_->{name} } grep { $self->ran($_) } all_tests();
}

sub ran {
    my ($self, $test) = @_;
    return any { is_run(figure($_, $test, 'rate')) } @{ $self->{records} };
}

1;
