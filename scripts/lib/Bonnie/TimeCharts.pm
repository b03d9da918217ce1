# SPDX-License-Identifier: GPL-2.0-or-later
# The course of each test, from the intervals in JSON: for each label the run
# with the median rate.
package Bonnie::TimeCharts;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use List::Util qw(max min);
use POSIX      qw(ceil);
use Bonnie::Axis      qw(axis_of_time axis_upwards);
use Bonnie::Chart     qw(course over_time panels stroke time_panel);
use Bonnie::HtmlTable qw(tests_run);
use Bonnie::OneRun    qw(measured);
use Bonnie::Units     qw(range_text);

our @EXPORT_OK = qw(levels middle time_charts);

my $LABEL_NOTE = 'For each label, the run with the median rate. Labels with too few intervals, or none, are left out.';
my $LEVEL_NOTE = 'Where the speed fell for good, an upright line marks the place, and a level line the mean before and after.';

# Strips of one test have the same scale; of more, only the first has labels.
my $MOST_LABELLED = 6;

# More steps than this cannot be distinguished, and make the page large.
my $MOST_STEPS  = 60;
my $STEPS_TOTAL = 4000;

# The last interval of a test can be so short that its rate means nothing.
my $SHORT = 0.25;

# Tests with fewer intervals have no course.
my $FEWEST_STEPS = 3;

sub time_charts (@groups) {
    my @tests  = tests_run(@groups) or return;
    my $most   = max($FEWEST_STEPS, min($MOST_STEPS, int($STEPS_TOTAL / (@groups * @tests))));
    my $many   = $groups[0]->number_shown;
    my @panels = $many ? map { course_panel($_->{name_alone}, $_, $most, @groups) } @tests : map { course_panel(@{$_}{qw(title test)}, $most, $_->{group}) } measured(@groups);
    my $falls  = grep { my $group = $_; grep { @{ levels($group, $_) } } @tests } @groups;
    return panels('Rate over time', [ $many ? $LABEL_NOTE : (), $falls ? $LEVEL_NOTE : () ], @panels);
}

# A panel of the labels that have a course; nothing if none has.
sub course_panel ($title, $test, $most, @groups) {
    my @courses = grep { @{ $_->{steps} } } map { { group => $_, steps => course_of($_, $test, $most), levels => levels($_, $test) } } @groups;
    return if !@courses;
    my @points = map { @{ $_->{steps} } } @courses;
    my $strip  = over_time(axis_of_time(max(map { $_->[0] } @points)), scalar @courses,
        sub { axis_upwards(max(map { $_->[1] } @points) || 1, $test->{unit}, @_) });
    return time_panel($title, $strip, map { course_row($strip, $test, $courses[$_], $_ == 0 || @courses <= $MOST_LABELLED) } 0 .. $#courses);
}

sub course_row ($strip, $test, $course, $is_labelled) {
    my @rates = map { $_->[1] } @{ $course->{steps} };
    return {
        label => $course->{group}->number_shown ? $course->{group}->row_label : q{},
        shown => range_text(min(@rates), max(@rates), $test->{unit}),
        $is_labelled ? () : (y => undef),
        marks => [ course($strip, 'course', @{ $course->{steps} }), level_marks($strip, @{ $course->{levels} }) ],
    };
}

# A line for each level, and a mark where the speed fell.
sub level_marks ($strip, @levels) {
    my @lines = map { my $rate = $_->{rate}{value} // 0; stroke($strip, 'range', [ $_->{from_seconds}, $rate ], [ max(@{$_}{qw(from_seconds to_seconds)}), $rate ]) } @levels;
    my @falls = map { stroke($strip, 'tail', [ $_->{from_seconds}, 0 ], [ $_->{from_seconds}, 9**9**9 ]) } @levels[ 1 .. $#levels ];
    return (@lines, @falls);
}

sub levels ($group, $test) {
    my ($details) = middle($group->details($test->{name}));
    return $details ? $details->{levels} : [];
}

# [ [ seconds at the end, rate until then ], ... ], at most $most of them; empty without a course.
sub course_of ($group, $test, $most) {
    my ($details) = middle($group->details($test->{name}));
    return [] if !$details || $details->{steady};    # which has a chart of its rounds
    my @intervals = merged(ceil(@{ $details->{intervals} } / $most) || 1, @{ $details->{intervals} });
    return [] if @intervals < $FEWEST_STEPS;
    my $start = 0;
    my @course;
    for my $interval (@intervals) {
        my $amount = $test->{unit} eq 'KiB/s' ? $interval->{bytes} / 1024 : $interval->{ops};
        push @course, [ $interval->{seconds}, $amount / ($interval->{seconds} - $start) ];
        $start = $interval->{seconds};
    }
    return \@course;
}

# The measured run with the median rate, or the lower of the two in the middle.
sub middle {
    my @details = sort { $a->{rate}{value} <=> $b->{rate}{value} } grep { defined $_->{rate}{value} } @_;
    return @details ? $details[ $#details / 2 ] : ();
}

# Merges each $count steps into one, and short steps into the one before.
sub merged ($count, @intervals) {
    my ($longest, $start) = (0, 0);
    my @merged;
    while (my @some = splice @intervals, 0, $count) {
        my %sum = (seconds => $some[-1]{seconds}, bytes => 0, ops => 0);
        for my $interval (@some) {
            $sum{$_} += $interval->{$_} // 0 for qw(bytes ops);
        }
        my $length = $sum{seconds} - $start;
        next if $length <= 0;    # only in a file that no program wrote
        $start   = $sum{seconds};
        $longest = max($longest, $length);
        if (@merged && $length < $SHORT * $longest) {
            $sum{$_} += $merged[-1]{$_} for qw(bytes ops);
            pop @merged;
        }
        push @merged, \%sum;
    }
    return @merged;
}

1;
