# SPDX-License-Identifier: GPL-2.0-or-later
# A command that runs beside a measured one, in a session of its own, and what it did meanwhile.
package Bonnie::Ab::Neighbour;

use strict;
use warnings;
use experimental 'signatures';
use Bonnie::Ab::Command  qw($TOO_LONG contents ending is_too_long temporary_file);
use Bonnie::Ab::Measured qw(measured);
use Bonnie::Ab::Session;

# Starts it.
sub new ($class, $watcher, $command) {
    my $self = bless {
        watcher => $watcher, command => $command, bytes => { read_bytes => 0, written_bytes => 0 }, starts => 0, left => [],
        output => temporary_file(), errors => temporary_file(),
    }, $class;
    $self->start;
    return $self;
}

sub start ($self) {
    $self->{session} = Bonnie::Ab::Session->start(@{$self}{qw(watcher command output errors)});
    $self->{starts}++;
    return;
}

# Looks after it: one that has ended with exit status 0 is started again, when what it has left
# running is ended, too. Returns whether it has failed.
sub has_failed ($self) {
    $self->{failed} //= "the command beside it $TOO_LONG" if is_too_long((-s $self->{output}) + -s $self->{errors});
    return 1 if defined $self->{failed};
    return 0 if !$self->{session}->is_over;
    $self->count;
    my $status = $self->{session}->status // return 0;
    if ($status == 0) {
        push @{ $self->{left} }, $self->{session}->end;
        $self->start;
        return 0;
    }
    $self->{failed} = 'the command beside it ' . ending($status, map { contents($self->{$_}) } qw(errors output));
    return 1;
}

# Adds up what its processes have moved to and from storage. Each counts those of its children that
# have ended, too.
sub count ($self) {
    my %bytes = $self->{session}->storage_bytes;
    $self->{bytes} = %bytes && $self->{bytes} ? { map { $_ => $self->{bytes}{$_} + $bytes{$_} } keys %bytes } : undef;
    return;
}

# Ends it with all its processes. Returns { starts => how often it was started, read_bytes, written_bytes =>
# bytes, or undef where they are not known, figures => { metric => value } of its own report }, and
# in words which processes are left.
sub end ($self) {
    $self->count if !defined $self->{failed};
    my @left   = (@{ $self->{left} }, $self->{session}->end);
    my $report = defined $self->{failed} ? undef : eval { measured(contents($self->{output})) };
    my %figures = map { $_->{name} => $_->{value} } grep { $_->{judged} } @{ $report ? $report->{metrics} : [] };
    return ({ starts => $self->{starts},
        (map { $_ => $self->{bytes} ? $self->{bytes}{$_} : undef } qw(read_bytes written_bytes)), figures => \%figures }, @left ? join('; ', @left) : undef);
}

1;
