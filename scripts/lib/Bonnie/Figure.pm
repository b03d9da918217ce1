# SPDX-License-Identifier: GPL-2.0-or-later
# One figure of a result: a rate, a CPU percentage or a latency.
#
#   { state => STATE, text => as written in the input, value => number }
#
#   value    a number was measured; `value` is set (latencies: nanoseconds)
#   fast     over before it could be measured: "+++++"
#   none     no figure: the test was not run, or the figure was not recorded
#   bad      a text that is not a figure
#
# Figures are never changed: all those without a number share one object.
package Bonnie::Figure;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use Bonnie::Plain qw(plain_text shorten);

our @EXPORT_OK = qw($NOT_RUN number_figure latency_figure value_figure fast_figure bad_figure no_figure is_value is_run gap_words);

# Longer numbers are not measurements, and a double could not hold them.
my $NUMBER = qr/\d{1,18}(?:[.]\d{1,18})?/a;

my %NANOSECONDS = (ns => 1, us => 1e3, ms => 1e6, s => 1e9);

my $NONE = { state => 'none', text => q{} };

# Of a test that was not run. All of them share this, because a hostile file may have many.
our $NOT_RUN = { map { $_ => $NONE } qw(rate cpu latency) };

sub no_figure { return $NONE }

sub number_figure ($text) {
    return special_figure($text) if $text !~ /^$NUMBER\z/;
    return value_figure($text, $text + 0);
}

sub latency_figure ($text) {
    my ($number, $unit) = $text =~ /^($NUMBER)(ns|us|ms|s)\z/ or return special_figure($text);
    return value_figure($text, $number * $NANOSECONDS{$unit});
}

sub value_figure ($text, $value) { return { state => 'value', text => $text, value => $value } }

# Of plain text.
sub fast_figure { return { state => 'fast', text => $_[0] } }
sub bad_figure  { return { state => 'bad', text => $_[0] } }

sub special_figure ($text) {
    return no_figure() if $text eq q{};
    return fast_figure($text) if $text =~ /^[+]{3,}\z/;
    return bad_figure(plain_text($text));
}

sub is_value { return $_[0]{state} eq 'value' }
sub is_run   { return $_[0]{state} ne 'none' }

# The words shown in place of a number.
sub gap_words ($figure) {
    return 'not run'             if $figure->{state} eq 'none';
    return 'too fast to measure' if $figure->{state} eq 'fast';
    return 'unreadable: ' . shorten($figure->{text});
}

1;
