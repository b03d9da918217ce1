# SPDX-License-Identifier: GPL-2.0-or-later
# Checks the tags of an HTML page.
package HtmlCheck;

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(unbalanced);

# The first tag that is out of place; empty: every start tag has its end tag, in the right
# order.
sub unbalanced {
    my ($html) = @_;
    my @open;
    $html =~ s/\A<!DOCTYPE html>//;
    $html =~ s{<style>.*?</style>}{}s;
    while ($html =~ m{<(/?)([a-zA-Z0-9]+)(?: [a-zA-Z0-9:-]+="[^"<>]*")*(/?)>|([<>])}g) {
        my ($end, $tag, $alone, $stray) = ($1, $2, $3, $4);
        return "a stray $stray" if defined $stray;
        next                    if $alone || $tag =~ /\A(?:meta|link|br|hr)\z/;
        push @open, $tag if !$end;
        return "</$tag>" if $end && (pop @open // q{}) ne $tag;
    }
    return "@open";
}

1;
