#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Bonnie::JsonText reads what JSON::PP reads, and refuses what it refuses; Bonnie::Json makes the
# same of a report as of the CSV line of the same run; Bonnie::Group groups the runs of a label.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../../scripts/lib", "$FindBin::Bin/../lib";
use Encode   qw(decode);
use JSON::PP ();
use Test::More;
use Bonnie::Csv      qw(parse_line);
use Bonnie::Group;
use Bonnie::Json     qw(report_records);
use Bonnie::JsonText qw(read_value);
use Bonnie::Text     qw(rate_text);
use Bonnie::Written  qw(latency_text);
use RunProgram       qw(slurp);

my $PP     = JSON::PP->new->utf8->allow_nonref->max_depth(64);
my $GOLDEN = slurp("$FindBin::Bin/../golden/report/full.json");

# The whole of a text as one value.
sub read_all {
    my ($bytes) = @_;
    my $value = read_value(\$bytes);
    die "more behind it\n" if $bytes !~ /\G\s*\z/gc;
    return $value;
}

# JSON::PP's values in our form: booleans are 1 and 0, and strings are safe to print.
sub plain {
    my ($value) = @_;
    return { map { $_ => plain($value->{$_}) } keys %{$value} } if ref $value eq 'HASH';
    return [ map { plain($_) } @{$value} ] if ref $value eq 'ARRAY';
    return 0 + $value if JSON::PP::is_bool($value);
    return defined $value ? $value =~ s/[\p{Cc}\p{Cs}\x{2028}\x{202E}]/\x{FFFD}/gr : undef;
}

subtest 'text' => sub {
    for my $text (
        $GOLDEN, $GOLDEN =~ s/\n */ /gr, $GOLDEN =~ s/\n/\r\n/gr, '{}', '[]', '[[],{}]', '{"a":{"b":[1,2.5,-3e-2,0,1E5]}}', 'true', '[false,null]',
        '""', '"\u00e4\u20ac \ud83d\ude00 ä"', '"\"\\\\\/\b\f\n\r\t"', '"a\u202eb\u2028"', '"\\\\u0041"', ' { "a" : "b" } ', '18446744073709551615', '{"a":1,"a":2}',
        '[' x 60 . ']' x 60,
        ) {
        is_deeply(read_all($text), plain($PP->decode($text)), 'as JSON::PP: ' . substr $text, 0, 40);
    }
    for my $text (
        q{}, '{', '{"a"', '{"a":', '{"a":1', '{"a":1,', '{"a":1,}', '{a:1}', '{"a" 1}', '[1', '[1,', '[1,]', '[1 2]', '"a', "\"a\nb\"", '"\x"', '"\u12"', '01x', '.5', '+1',
        'True', 'nul', 'NaN', '[1}', '{"a":1]', '-', '1.', '[' x 99, substr($GOLDEN, 0, 3000), $GOLDEN . 'x',
        ) {
        ok(!eval { $PP->decode($text); 1 }, 'JSON::PP refuses ' . substr $text, 0, 20);
        ok(!eval { read_all($text);    1 }, 'and so do we');
    }
    local $SIG{__WARN__} = sub { die @_ };
    for my $piece ('x', '\n', 'x\u00e4', "\xC3\xA4") {
        my $text = q{"} . $piece x 200_000 . q{"};
        ok(read_all($text) eq plain($PP->decode($text)), "$piece two hundred thousand times");
    }
    is(read_all('"\ud83d!\ude00"'), "\x{FFFD}!\x{FFFD}", 'half a pair');
    is(read_all("\"\xFFx\""), "\x{FFFD}x", 'no UTF-8');
    my $two = '{"a":1} {"b":2}';
    is_deeply([ read_value(\$two), read_value(\$two) ], [ { a => 1 }, { b => 2 } ], 'one behind the other');
};

subtest 'as bonnie writes it' => sub {
    my %latency = (0 => '1us', 2500 => '3us', 4499 => '4us', 99_999_499 => '99999us', 100_500_000 => '101ms');
    is(latency_text($_), $latency{$_}, "$_ ns") for sort keys %latency;
    my ($first) = @{ (report_records(read_all($GOLDEN =~ s/"bytes_per_second": 536870912.0/"bytes_per_second": 104805068.8/r)))[0] };
    is(rate_text($first->{tests}{get_block}{rate}, 'KiB/s'), '100m', 'a table is of what the CSV line would have, 102349');
};

subtest 'records' => sub {
    my ($records, @problems) = report_records(read_all($GOLDEN));
    is_deeply(\@problems, [], 'the golden report has no problem');
    is(scalar @{$records}, 2, 'a record for each run');
    my ($first) = @{$records};
    is($first->{label}, qq{k\x{F6}ln "<1>"}, 'the label as it is');
    is_deeply([ @{$first}{qw(format version start_time seed concurrency file_size chunk_size seek_count seekers num_files max_size)} ],
        [ 'JSON 1', '3.0.0', '2023-11-14T22:13:20Z', '9007199254740991', 4, '1G', q{}, 8192, 5, 16, 'link' ], 'settings as in the CSV line');
    is_deeply([ @{ $first->{host} }{qw(filesystem device cpu_model)} ], [ 'ext4', 'dm-0 (nvme0n1, nvme1n1)', undef ], 'host');
    is("$first->{settings}{direct} $first->{settings}{engine}", '1 io_uring', 'settings');
    my $read = $first->{tests}{get_block};
    is_deeply([ map { $read->{$_}{value} } qw(rate cpu latency) ], [ 524288, 25, 5e6 ], 'figures');
    is_deeply([ map { $read->{$_}{text} } qw(rate cpu latency) ], [qw(524288 25 5000us)], 'as the CSV line has them');
    is($read->{percentiles}{p99_9}, 90000, 'percentiles');
    is_deeply($read->{intervals}[1], { seconds => 2, ops => 71072, bytes => 582221824 }, 'intervals');
    is($read->{limited_by}, 'device', 'what limited it');
    is($first->{tests}{putc}{rate}{state}, 'none', 'a test that did not run');
    my $short = $GOLDEN =~ s/"elapsed_seconds": 2.0/"elapsed_seconds": 0.0099/r;
    is((report_records(read_all($short)))[0][0]{tests}{get_block}{rate}{state}, 'fast', 'a test that was too short');
};

subtest 'what is no report' => sub {
    my %problem = (
        '{}'                                                  => 'JSON, but no report of bonnie',
        '{"writeMBps":1}'                                     => 'JSON, but no report of bonnie',
        '{"format":["bonnie"]}'                               => 'JSON, but no report of bonnie',
        '{"format":"bonnie","format_version":3,"runs":[{}]}'  => 'format_version 3 of the JSON document is not known; expected 1',
        '{"format":"bonnie","runs":[{}]}'                     => 'format_version none of the JSON document is not known; expected 1',
        '{"format":"bonnie","format_version":1,"runs":{}}'    => 'the JSON report has no runs',
        '{"format":"bonnie","format_version":1,"runs":[[]]}'  => 'run 1: has no test',
        '{"format":"bonnie","format_version":1,"runs":[{"tests":[7,{"name":{}},{"name":"x"}]}]}' => 'run 1: unknown test ""',
    );
    for my $text (sort keys %problem) {
        my ($records, @problems) = report_records(read_all($text));
        is_deeply([ $records, $problems[0] ], [ [], $problem{$text} ], $text);
    }
    for my $bad ('-1', '"fast"', 'null', '{}', '1e30', 'true_', '[]') {
        my $text = $GOLDEN =~ s/"bytes_per_second": 536870912.0/"bytes_per_second": ${\($bad =~ s{true_}{""}r)}/r;
        my ($records, @problems) = report_records(read_all($text));
        is($records->[0]{tests}{get_block}{rate}{state}, 'bad', "a rate $bad is bad");
        is_deeply(\@problems, ['run 1: rate of get_block is not a number'], 'and is named');
    }

    # Any value may be replaced by any other: nothing dies or warns.
    local $SIG{__WARN__} = sub { die @_ };
    my @places = $GOLDEN =~ /: (?=[^\s\[{])/g;
    for my $number (0 .. $#places) {
        for my $value ('{}', '[]', '"<x>"', 'null', '-1e9') {
            my $count = 0;
            my $text  = $GOLDEN =~ s/: ([^\s\[{][^\n]*?)(?=,?\n)/': ' . ($count++ == $number ? $value : $1)/ger;
            ok(eval { report_records(read_all($text)); 1 }, "value $number is $value") or diag($@);
        }
    }
};

subtest 'groups' => sub {
    my $line = slurp("$FindBin::Bin/../data/lab.csv");
    my @rates = (5, '+++++', 7, q{}, 6);
    my @records = map { (parse_line($line =~ s/,1723,/,$_,/r))[0] } @rates;
    $_->{label} = 'b' for @records[ 1 .. 4 ];
    my @groups = Bonnie::Group::by_label(@records);
    is_deeply([ map { $_->label } @groups ], [qw(lab b)], 'in order of first appearance');
    is_deeply([ map { scalar @{ $_->records } } @groups ], [ 1, 4 ], 'with their runs');
    is_deeply($groups[1]->rates('putc'), [ 7, 6 ], 'rates that were measured');
    is_deeply($groups[1]->rates('iops'), [], 'none of a test that CSV lines do not have');
    is(scalar(my @tests = $groups[0]->tests), 12, 'tests');
};

done_testing();
