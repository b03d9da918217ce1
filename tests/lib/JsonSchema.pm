# SPDX-License-Identifier: GPL-2.0-or-later
# A small validator for JSON Schema, draft 2020-12, with only the keywords that our schemas use.
# Values are as JSON::PP decodes them, and must not have been used as strings before: Perl would no
# longer know that they are numbers.
package JsonSchema;

use strict;
use warnings;
use B            ();
use Exporter 'import';
use File::Basename qw(dirname);
use JSON::PP     ();
use Scalar::Util qw(blessed);
use RunProgram   qw(slurp);

our @EXPORT_OK = qw(schema_errors);

my $JSON = JSON::PP->new->canonical->allow_nonref;

# The schemas that others have referred to, by their names.
my %file_of;

# Keywords that do not affect validity. The standard counts `format` among them.
my %REMARK = map { $_ => 1 } qw($schema $defs title description format);

my %KEYWORD = (
    '$ref'               => \&check_ref,
    type                 => \&check_type,
    const                => \&check_const,
    enum                 => \&check_enum,
    minimum              => \&check_minimum,
    exclusiveMinimum     => \&check_above,
    maximum              => \&check_maximum,
    pattern              => \&check_pattern,
    properties           => \&check_properties,
    required             => \&check_required,
    additionalProperties => \&check_additional,
    prefixItems          => \&check_prefix,
    items                => \&check_items,
    minItems             => \&check_min_items,
    maxItems             => \&check_max_items,
    anyOf                => \&check_any,
    unevaluatedProperties => \&check_unevaluated,
);

# schema_errors($schema, $value): what is wrong with the value, in lines that begin with its place,
# "/runs/0/label: ..."; none if it is valid. Dies when the schema has an unknown keyword.
sub schema_errors {
    my ($schema, $value) = @_;
    return errors($schema, $value, q{}, $schema);
}

# The arguments of each keyword's function: the keyword's value, the value to check, its place, the
# current schema and the whole one.
sub errors {
    my ($schema, $value, $place, $root) = @_;
    return $schema ? () : "$place: is not allowed" if blessed $schema;    # true or false
    my @errors;
    for my $keyword (sort keys %{$schema}) {
        next if $REMARK{$keyword};
        my $check = $KEYWORD{$keyword} or die "the validator does not know the keyword $keyword\n";
        push @errors, $check->($schema->{$keyword}, $value, $place, $schema, $root);
    }
    return @errors;
}

# "null", "boolean", "array", "object", "integer", "number" or "string".
sub type_of {
    my ($value) = @_;
    return 'null'    if !defined $value;
    return 'boolean' if blessed $value && $value->isa('JSON::PP::Boolean');
    return $value == int $value ? 'integer' : 'number' if is_number($value);
    return ref $value eq 'ARRAY' ? 'array' : ref $value eq 'HASH' ? 'object' : 'string';
}

sub is_number {
    my ($value) = @_;
    return 0 if ref $value;
    my $flags = B::svref_2object(\$value)->FLAGS;
    return $flags & (B::SVp_IOK | B::SVp_NOK) && !($flags & B::SVp_POK);
}

sub is_equal { return $JSON->encode($_[0]) eq $JSON->encode($_[1]) }

sub check_ref {
    my ($name, $value, $place, undef, $root) = @_;
    my ($schema, $its_root) = referred($name, $root);
    return errors($schema, $value, $place, $its_root);
}

# The schema that a reference means, and the whole one that has it: this one, or another in share/.
sub referred {
    my ($name, $root) = @_;
    my ($file, $definition) = $name =~ m{\A(\w+[.]schema[.]json)?(?:#/\$defs/(\w+))?\z} or die "the validator does not know references like $name\n";
    my $whole = !defined $file ? $root : $file_of{$file} //= JSON::PP->new->utf8->decode(slurp(dirname(__FILE__) . "/../../share/$file"));
    my $schema = defined $definition ? $whole->{'$defs'}{$definition} // die "there is no $name\n" : $whole;
    return ($schema, $whole);
}

sub check_type {
    my ($types, $value, $place) = @_;
    my $type = type_of($value);
    my @types = ref $types ? @{$types} : $types;
    return if grep { $_ eq $type || $_ eq 'number' && $type eq 'integer' } @types;
    return "$place: is of type $type instead of @types";
}

sub check_const {
    my ($const, $value, $place) = @_;
    return is_equal($const, $value) ? () : "$place: is not what it must be";
}

sub check_enum {
    my ($words, $value, $place) = @_;
    return (grep { is_equal($_, $value) } @{$words}) ? () : "$place: is none of those allowed";
}

sub check_above {
    my ($least, $value, $place) = @_;
    return is_number($value) && $value <= $least ? "$place: is not above $least" : ();
}

sub check_minimum {
    my ($minimum, $value, $place) = @_;
    return is_number($value) && $value < $minimum ? "$place: is less than $minimum" : ();
}

sub check_maximum {
    my ($maximum, $value, $place) = @_;
    return is_number($value) && $value > $maximum ? "$place: is more than $maximum" : ();
}

sub check_pattern {
    my ($pattern, $value, $place) = @_;
    return if type_of($value) ne 'string';
    (my $perl = $pattern) =~ s/\\u([0-9a-f]{4})/\\x{$1}/g;
    $perl =~ s/\$\z/\\z/;
    return $value =~ /$perl/ ? () : "$place: does not match $pattern";
}

sub check_properties {
    my ($properties, $value, $place, undef, $root) = @_;
    return if ref $value ne 'HASH';
    return map { errors($properties->{$_}, $value->{$_}, "$place/$_", $root) } grep { exists $value->{$_} } sort keys %{$properties};
}

sub check_required {
    my ($keys, $value, $place) = @_;
    return if ref $value ne 'HASH';
    return map {"$place/$_: is missing"} grep { !exists $value->{$_} } @{$keys};
}

sub check_additional {
    my ($additional, $value, $place, $schema, $root) = @_;
    return if ref $value ne 'HASH';
    return map { errors($additional, $value->{$_}, "$place/$_", $root) } grep { !exists $schema->{properties}{$_} } sort keys %{$value};
}

# Like additionalProperties, but a schema that is referred to may have the key, too.
sub check_unevaluated {
    my ($unevaluated, $value, $place, $schema, $root) = @_;
    my ($base) = referred($schema->{'$ref'}, $root);
    return check_additional($unevaluated, $value, $place, { properties => { %{ $base->{properties} }, %{ $schema->{properties} // {} } } }, $root);
}

sub check_prefix {
    my ($schemas, $value, $place, undef, $root) = @_;
    return if ref $value ne 'ARRAY';
    return map { errors($schemas->[$_], $value->[$_], "$place/$_", $root) } grep { $_ < @{$value} } 0 .. $#{$schemas};
}

sub check_items {
    my ($items, $value, $place, $schema, $root) = @_;
    return if ref $value ne 'ARRAY';
    my $first = @{ $schema->{prefixItems} // [] };
    return map { errors($items, $value->[$_], "$place/$_", $root) } $first .. $#{$value};
}

sub check_min_items {
    my ($count, $value, $place) = @_;
    return ref $value eq 'ARRAY' && @{$value} < $count ? "$place: has fewer than $count elements" : ();
}

sub check_max_items {
    my ($count, $value, $place) = @_;
    return ref $value eq 'ARRAY' && @{$value} > $count ? "$place: has more than $count elements" : ();
}

sub check_any {
    my ($schemas, $value, $place, undef, $root) = @_;
    my @errors;
    for my $schema (@{$schemas}) {
        my @here = errors($schema, $value, $place, $root) or return;
        push @errors, @here;
    }
    return "$place: is like none of those allowed", @errors;
}

1;
