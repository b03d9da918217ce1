# SPDX-License-Identifier: GPL-2.0-or-later
# Builds HTML and SVG elements. Foreign text enters the page only through text()
# or an attribute here.
package Bonnie::Html;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use Unicode::Normalize qw(NFC);

our @EXPORT_OK = qw(element is_drawn void_element text);

my %ENTITY = (q{&} => '&amp;', q{<} => '&lt;', q{>} => '&gt;', q{"} => '&quot;', q{'} => '&#39;');

sub text ($plain) {
    my $text = NFC($plain);

    # Many combining marks in a row would be drawn over the neighbouring rows.
    $text =~ s/(\p{M}{3})\p{M}+/$1/g;
    return $text =~ s/([&<>"'])/$ENTITY{$1}/gr;
}

# @content is already HTML. Attributes are plain text; undefined ones are left out.
sub element ($name, $attributes, @content) {
    return void_element($name, $attributes) . join(q{}, @content) . "</$name>";
}

# Whether something in the HTML has this class: a legend explains nothing else.
sub is_drawn ($class, @html) { return grep { / class="(?:[\w-]+ )*\Q$class\E[ "]/ } @html }

sub void_element ($name, $attributes) {
    my @written = map { qq{ $_="} . text($attributes->{$_}) . q{"} }
        grep { defined $attributes->{$_} } sort keys %{ $attributes // {} };
    return "<$name" . join(q{}, @written) . q{>};
}

1;
