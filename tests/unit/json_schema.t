#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# The validator finds errors, and our schema finds them all: the golden report is valid, and no
# longer valid when anything in it is changed, missing or new.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Glob qw(bsd_glob);
use JSON::PP   ();
use Storable   qw(dclone);
use Test::More;
use JsonSchema qw(schema_errors);
use RunProgram qw(slurp);

my $TOP  = "$FindBin::Bin/../..";
my $JSON = JSON::PP->new->utf8->allow_nonref;

sub errors_of {
    my ($schema, $value) = @_;
    return join "\n", schema_errors(map { $JSON->decode($_) } $schema, $value);
}

# Keyword by keyword: [SCHEMA, values that are valid, values that are not], separated by blanks
for my $case (
    [ '{"type":"integer"}',                   '0 -3 2.0 18446744073709551615', '0.5 "1" true null [] {}' ],
    [ '{"type":"number"}',                    '0 -0.5 1e300',                  '"0.5" false null' ],
    [ '{"type":"string"}',                    '"" "1" "null"',                 '1 1.5 true null' ],
    [ '{"type":"boolean"}',                   'true false',                    '0 1 "true" null' ],
    [ '{"type":["object","null"]}',           '{} null',                       '[] false ""' ],
    [ '{"type":"array"}',                     '[] [1]',                        '{} "" null' ],
    [ '{"const":1}',                          '1',                             '2 "1" true null' ],
    [ '{"enum":["a",null]}',                  '"a" null',                      '"b" "" 0' ],
    [ '{"minimum":1,"maximum":2}',            '1 1.5 2 "x"',                   '0.9 2.1 -7' ],
    [ '{"maximum":18446744073709551615}',     '18446744073709551615',          '28446744073709551615' ],
    [ '{"pattern":"^[^\\\\u0000-\\\\u001f]+$"}', '"a" "\u00e4" 1',             '"" "a\n" "\u0007"' ],
    [ '{"properties":{"a":{"type":"null"}}}', '{} {"a":null} {"b":1} 7',       '{"a":1}' ],
    [ '{"required":["a","b"]}',               '{"a":null,"b":1} []',           '{} {"a":1}' ],
    [ '{"properties":{"a":true},"additionalProperties":false}', '{} {"a":1}',  '{"b":1} {"a":1,"b":1}' ],
    [ '{"additionalProperties":{"type":"null"}}', '{"x":null}',                '{"x":0}' ],
    [ '{"items":{"type":"integer"}}',         '[] [1,2] {}',                   '[1,"2"] [null]' ],
    [ '{"prefixItems":[{"const":1}],"items":{"const":2}}', '[] [1] [1,2,2]',   '[2] [1,1]' ],
    [ '{"prefixItems":[true],"items":false}', '[] [1]',                        '[1,2]' ],
    [ '{"minItems":1,"maxItems":2}',          '[1] [1,2] 5',                   '[] [1,2,3]' ],
    [ '{"anyOf":[{"const":1},{"type":"string"}]}', '1 "x"',                    '2 null' ],
    [ '{"$ref":"#/$defs/a","$defs":{"a":{"const":1}}}', '1',                   '2' ],
    ) {
    my ($schema, $valid, $invalid) = @{$case};
    is(errors_of($schema, $_), q{},   "$schema: $_ is valid") for split q{ }, $valid;
    isnt(errors_of($schema, $_), q{}, "$schema: $_ is invalid") for split q{ }, $invalid;
}
is(errors_of('{"properties":{"a":{"items":{"type":"null"}}}}', '{"a":[null,3]}'), '/a/1: is of type integer instead of null', 'it says where');
ok(!eval { errors_of('{"maxLength":3}', '"abcd"'); 1 }, 'a keyword that is not known is not taken for valid');
ok(!eval { errors_of('{"$ref":"#/$defs/none"}', '1'); 1 }, 'nor is a reference to nothing');

# The golden report, and variants of it.
my $schema = slurp("$TOP/share/bonnie.schema.json");
my $golden = slurp("$TOP/tests/golden/report/full.json");
is(errors_of($schema, $golden), q{}, 'the golden report is valid');
my $steady = slurp("$TOP/tests/golden/report/steady.json");
is(errors_of($schema, $steady), q{}, 'so is one with rounds');
isnt(errors_of($schema, $steady =~ s/"metric": "bandwidth"/"metric": "rate"/r), q{}, 'another metric is not');
isnt(errors_of($schema, $steady =~ s/"bytes_per_second": 5[0-9.]+/"bytes_per_second": -1/r), q{}, 'nor a negative figure');

# Every place in a document: its container, and the keys that lead to it.
sub places {
    my ($value, @path) = @_;
    my @here = ref $value eq 'HASH' ? sort keys %{$value} : ref $value eq 'ARRAY' ? 0 .. $#{$value} : ();
    return map { ([ @path, $_ ], places(ref $value eq 'HASH' ? $value->{$_} : $value->[$_], @path, $_)) } @here;
}

sub holder {
    my ($document, @path) = @_;
    $document = ref $document eq 'HASH' ? $document->{$_} : $document->[$_] for @path[ 0 .. $#path - 1 ];
    return $document;
}

my $rules     = $JSON->decode($schema);
my $reference = $JSON->decode($golden);

# The errors after a change in the container.
sub errors_after {
    my ($change, @path) = @_;
    my $document = dclone($reference);
    $change->(holder($document, @path), $path[-1]);
    return join "\n", schema_errors($rules, $document);
}

is(errors_after(sub { }, 'label'), q{}, 'nothing done, nothing wrong');
my @places = grep { $_->[-1] !~ /\A\d+\z/ } places($reference);
cmp_ok(scalar @places, '>', 150, 'there are many places');
for my $path (@places) {
    my $place = join q{/}, q{}, @{$path};
    isnt(errors_after(sub { $_[0]{ $_[1] } = [ [] ] }, @{$path}), q{}, "$place: cannot be anything");
    like(errors_after(sub { delete $_[0]{ $_[1] } }, @{$path}), qr{^\Q$place\E: is missing$}m, "$place: cannot be missing") if $place ne '/storage/facts'; # bonnie's alone
    like(errors_after(sub { $_[0]{"$_[1]_"} = 1 }, @{$path}), qr{^\Q$place\E_: is not allowed$}m, "${place}_: is not known");
}

# Errors that a program could make.
for my $case (
    [ '"format_version": 1',       '"format_version": 2' ],
    [ '"format_version": 1',       '"format_version": "1"' ],
    [ '"format": "bonnie"',        '"format": "bonnie++"' ],
    [ '22:13:20Z',                 '22:13:20' ],
    [ '2023-11-14T',               '2023-11-14 ' ],
    [ '9007199254740991',          '9007199254740992' ],
    [ '9007199254740991',          '-1' ],
    [ '9007199254740991',          '"1"' ],
    [ '"ops_per_second": 65536.0', '"ops_per_second": -1.0' ],
    [ '"bytes_per_second": 536870912.0', '"bytes_per_second": null' ],
    [ '"name": "get_block"',       '"name": "getblock"' ],
    [ '"ops": 131072',             '"ops": 131072.5' ],
    [ '"direct": true',            '"direct": 1' ],
    [ '"limited_by": "device"',    '"limited_by": "disk"' ],
    [ '"resident_percent_after": 12.5', '"resident_percent_after": 100.5' ],
    [ '"waited_percent": 12.5', '"waited_percent": -1' ],
    [ '"waited_percent": 12.5', '"waited_percent": 100.5' ],
    [ '"damaged": 9',            '"damaged": null' ],
    [ '"damage": []',          '"damage": null' ],
    [ '"mount_point": null',       '"mount_point": 0' ],
    [ '"cache": null',             '"cache": {}' ],
    [ '"device": null',            '"device": "sda"' ],
    [ '"cpu_model": null',         '"cpu_model": 1' ],
    [ '"cpus": 8',                 '"cpus": 0' ],
    [ '"data": "compress=50"',     '"data": "compress=101"' ],
    [ '"runs": 2',                 '"runs": 0' ],
    [ '-79511.552,',               q{} ],
    [ 'köln',                      'k\u0007ln' ],
    [ '"host": {',                 '"host": null, "hast": {' ],
    ) {
    my ($old, $new) = @{$case};
    ok((my $changed = $golden) =~ s/\Q$old\E/$new/, "$old can be changed");
    isnt(errors_of($schema, $changed), q{}, "to $new: it is invalid");
}

# Every number says its unit: in its key, in that of the object that has it (latency_ns, percent), or it
# is a count, or an identity. These are, besides those keys that end in a unit.
my $UNIT  = qr/(?:\A|_)(?:bytes|ns|percent|seconds|per_second|per_sync)(?:_|\z)/;
my %OTHER = map { $_ => 1 } (
    qw(asked made errors misses late failed damaged lost torn kept foreign missing came_back wrong_size unreadable not_known unknown count),
    qw(ops calls flushes pid not_counted seen_events read_ops write_ops lost_ops lost_events examined slowest connections units lost_units promises cuts conclusive reached_drive),
    qw(lines repeated synced present under_way blocks writes workers concurrency seekers seeks files directories ranks runs runs_needed rounds pairs passes),
    qw(cpus cpu_quota clients threads load_threads found_threads channels iodepth queue_asked queue_seen width starts precondition max_rounds max_requests),
    qw(random_fair_buckets number file first_round version promised found seed shift skip warmup control),    # identities, and options
    qw(alpha iops_theta percentile probability ratio rpw),                                                             # of no unit
    qw(ci95 fit median_a median_b interval course ramp histogram heat blocks figures a b),                   # which the description tells, or `unit` beside
);
my %whole = map { m{([^/]+)\z} => JSON::PP->new->utf8->decode(slurp($_)) } bsd_glob("$TOP/share/*.schema.json");

# The keys of numbers without a unit, "/kind/asked", in a schema of the file, behind this place.
sub without_unit {
    my ($file, $schema, $place, $key) = @_;
    return if !ref $schema || $key =~ $UNIT || $OTHER{$key};
    if (my ($other, $name) = ($schema->{'$ref'} // q{}) =~ m{\A([\w.]*)#/\$defs/(\w+)\z}) {
        $file = $other if length $other;
        return without_unit($file, $whole{$file}{'$defs'}{$name}, $place, $key);
    }
    my $types = $schema->{type} // q{};
    return $place if grep {/\A(?:integer|number)\z/} ref $types ? @{$types} : $types;
    return map { ref eq 'HASH' ? without_unit($file, $_, $place, $key) : () } @{ $schema->{anyOf} // [] }, $schema->{items} // ();
}

sub keys_of {
    my ($file, $schema, $place) = @_;
    my $of = $schema->{properties} // {};
    return ((map { my $key = $_; (without_unit($file, $of->{$key}, "$place/$key", $key), $key =~ $UNIT || $OTHER{$key} || !ref $of->{$key} ? () : keys_of($file, $of->{$key}, "$place/$key")) } sort keys %{$of}),
        (map { keys_of($file, $_, $place) } grep { ref eq 'HASH' } $schema->{items}, @{ $schema->{anyOf} // [] }));
}
for my $file (sort keys %whole) {
    my $defs = $whole{$file}{'$defs'} // {};
    # what only objects with a unit have: the percentiles of latency_ns, the causes of percent
    my @of = grep { !/\A(?:latency|latencies|spread|tail)\z/ } sort keys %{$defs};
    is_deeply([ keys_of($file, $whole{$file}, $file), map { keys_of($file, $defs->{$_}, "$file/$_") } @of ], [], "$file: every number says its unit");
}

done_testing();
