# SPDX-License-Identifier: GPL-2.0-or-later
# The line that says what is running and how long it may take. Only on
# terminals.
package Bonnie::Ab::Live;

use strict;
use warnings;
use experimental 'signatures';
use Bonnie::Ab::Words qw(duration_text);
use Bonnie::Output    qw(draw_line);

sub new ($class, $is_quiet) {
    return bless { shown => -t *STDERR && !$is_quiet ? 0 : undef }, $class;
}

# $words: what is running.
sub show ($self, $campaign, $words) {
    return if !defined $self->{shown};
    my $known = grep { defined $_->verdict } @{ $campaign->{judges} };
    my $line  = "$words, " . duration_text($campaign->seconds);
    $line .= "; $known of " . @{ $campaign->{judges} } . ' known' if @{ $campaign->{judges} };
    $line .= '; ' . left_text($campaign) if !$campaign->is_known;
    draw_line(substr $line, 0, 79);
    $self->{shown} = 1;
    return;
}

# The time left as a range, from the scatter of the pairs so far.
sub left_text ($campaign) {
    my $seconds = $campaign->pair_seconds or return 'time left not known';
    my ($fewest, $most) = $campaign->forecast or return 'time left not known';
    my $all = $campaign->{plan}{pairs} - $campaign->good_pairs;
    return duration_text($fewest * $seconds) . ' to ' . duration_text(($most // $all) * $seconds) . ' left';
}

sub clear ($self) {
    draw_line(q{}) if $self->{shown};
    $self->{shown} &&= 0;
    return;
}

1;
