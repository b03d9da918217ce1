# SPDX-License-Identifier: GPL-2.0-or-later
# A small validator for JSON Schema, draft 2020-12, with only the keywords that our schemas use.
# Values are as JSON::PP decodes them, and must not have been used as strings before: Perl would no
# longer know that they are numbers.
package JsonSchema;

use strict;
use warnings;
use experimental 'signatures';
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

# The check of each keyword, with its value, the value to check, its place, the current schema and
# the whole one.
my %KEYWORD;
%KEYWORD = (
    '$ref' => sub ($name, $value, $place, $, $root) {
        my ($schema, $its_root) = referred($name, $root);
        return errors($schema, $value, $place, $its_root);
    },
    type => sub ($types, $value, $place, @) {
        my $type = type_of($value);
        my @types = ref $types ? @{$types} : $types;
        return if grep { $_ eq $type || $_ eq 'number' && $type eq 'integer' } @types;
        return "$place: is of type $type instead of @types";
    },
    const => sub ($const, $value, $place, @) {
        return is_equal($const, $value) ? () : "$place: is not what it must be";
    },
    enum => sub ($words, $value, $place, @) {
        return (grep { is_equal($_, $value) } @{$words}) ? () : "$place: is none of those allowed";
    },
    minimum => sub ($minimum, $value, $place, @) {
        return is_number($value) && $value < $minimum ? "$place: is less than $minimum" : ();
    },
    exclusiveMinimum => sub ($least, $value, $place, @) {
        return is_number($value) && $value <= $least ? "$place: is not above $least" : ();
    },
    maximum => sub ($maximum, $value, $place, @) {
        return is_number($value) && $value > $maximum ? "$place: is more than $maximum" : ();
    },
    pattern => sub ($pattern, $value, $place, @) {
        return if type_of($value) ne 'string';
        (my $perl = $pattern) =~ s/\\u([0-9a-f]{4})/\\x{$1}/g;
        $perl =~ s/\$\z/\\z/;
        return $value =~ /$perl/ ? () : "$place: does not match $pattern";
    },
    properties => sub ($properties, $value, $place, $, $root) {
        return if ref $value ne 'HASH';
        return map { errors($properties->{$_}, $value->{$_}, "$place/$_", $root) } grep { exists $value->{$_} } sort keys %{$properties};
    },
    required => sub ($keys, $value, $place, @) {
        return if ref $value ne 'HASH';
        return map {"$place/$_: is missing"} grep { !exists $value->{$_} } @{$keys};
    },
    additionalProperties => sub ($additional, $value, $place, $schema, $root) {
        return if ref $value ne 'HASH';
        return map { errors($additional, $value->{$_}, "$place/$_", $root) } grep { !exists $schema->{properties}{$_} } sort keys %{$value};
    },
    prefixItems => sub ($schemas, $value, $place, $, $root) {
        return if ref $value ne 'ARRAY';
        return map { errors($schemas->[$_], $value->[$_], "$place/$_", $root) } grep { $_ < @{$value} } 0 .. $#{$schemas};
    },
    items => sub ($items, $value, $place, $schema, $root) {
        return if ref $value ne 'ARRAY';
        my $first = @{ $schema->{prefixItems} // [] };
        return map { errors($items, $value->[$_], "$place/$_", $root) } $first .. $#{$value};
    },
    minItems => sub ($count, $value, $place, @) {
        return ref $value eq 'ARRAY' && @{$value} < $count ? "$place: has fewer than $count elements" : ();
    },
    maxItems => sub ($count, $value, $place, @) {
        return ref $value eq 'ARRAY' && @{$value} > $count ? "$place: has more than $count elements" : ();
    },
    anyOf => sub ($schemas, $value, $place, $, $root) {
        my @errors;
        for my $schema (@{$schemas}) {
            my @here = errors($schema, $value, $place, $root) or return;
            push @errors, @here;
        }
        return "$place: is like none of those allowed", @errors;
    },
    # Like additionalProperties, but a schema that is referred to may have the key, too.
    unevaluatedProperties => sub ($unevaluated, $value, $place, $schema, $root) {
        my ($base) = referred($schema->{'$ref'}, $root);
        return $KEYWORD{additionalProperties}->($unevaluated, $value, $place,
            { properties => { %{ $base->{properties} }, %{ $schema->{properties} // {} } } }, $root);
    },
);

# schema_errors($schema, $value): what is wrong with the value, in lines that begin with its place,
# "/runs/0/label: ..."; none if it is valid. Dies when the schema has an unknown keyword.
sub schema_errors { my ($schema, $value) = @_; return errors($schema, $value, q{}, $schema) }

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

# The schema that a reference means, and the whole one that has it: this one, or another in share/.
sub referred {
    my ($name, $root) = @_;
    my ($file, $definition) = $name =~ m{\A(\w+[.]schema[.]json)?(?:#/\$defs/(\w+))?\z}
        or die "the validator does not know references like $name\n";
    my $whole = !defined $file ? $root : $file_of{$file} //= JSON::PP->new->utf8->decode(slurp(dirname(__FILE__) . "/../../share/$file"));
    my $schema = defined $definition ? $whole->{'$defs'}{$definition} // die "there is no $name\n" : $whole;
    return ($schema, $whole);
}

1;
