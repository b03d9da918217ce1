#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Bonnie::Csv: which lines are results, and how their fields are read.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../../scripts/lib";
use Test::More;
use Bonnie::Csv qw(parse_line);

sub io        { return join q{,}, map { ($_, 9) } @_ }
sub latencies { return join q{,}, map {"${_}us"} 1 .. 12 }

my $IO      = io(11 .. 16);
my $FILES   = io(21 .. 26);
my $CLASSIC = "box,2G:64k,$IO,16:1024:512/7,$FILES";
my $OLD47   = "1.93c,1.93c,box,1,5,2G,,$IO,16,1024,512,7,$FILES," . latencies();
my $OLD48   = "1.96,1.96,box,1,5,2G,,$IO,16,1024,512,,7,$FILES," . latencies();
my $OLD50   = "1.98,2.00a,box,1,5,2G,,8192,5,$IO,16,1024,512,,7,$FILES," . latencies();
my $OURS    = "1.98,3.10,box,2,5,2G,64k,8192,5,$IO,16,1024,512,7,4096,$FILES," . latencies();
my $OURS48  = "1.97,3.10,box,2,5,2G,,$IO,16,1024,512,7,4096,$FILES," . latencies();

my %EXPECTED = (
    $CLASSIC => { format => '1.03',  version => '1.03',  chunk_size => '64k', concurrency => undef, seekers => undef },
    $OLD47   => { format => '1.93c', version => '1.93c', chunk_size => undef, concurrency => '1',   seekers => undef },
    $OLD48   => { format => '1.96',  version => '1.96',  chunk_size => undef, concurrency => '1',   seekers => undef },
    $OLD50   => { format => '1.98',  version => '2.00a', chunk_size => undef, concurrency => '1',   seekers => '5' },
    $OURS    => { format => '1.98',  version => '3.1.0', chunk_size => '64k', concurrency => '2',   seekers => '5' },
    $OURS48  => { format => '1.97',  version => '3.1.0', chunk_size => undef, concurrency => '2',   seekers => undef },
);

for my $line ($CLASSIC, $OLD47, $OLD48, $OLD50, $OURS, $OURS48) {
    my $fields = 1 + $line =~ tr/,//;
    my ($record, @problems) = parse_line($line);
    is_deeply(\@problems, [], "$fields fields: no problem");
    my %common = (label => 'box', file_size => '2G', num_files => '16', max_size => '1024', min_size => '512', num_dirs => '7');
    my %expected = (%common, %{ $EXPECTED{$line} });
    my %got = map { $_ => $record->{$_} } keys %expected;
    is_deeply(\%got, \%expected, "$fields fields: settings");
    my $tests = $record->{tests};
    is_deeply([ map { $tests->{$_}{rate}{value} } qw(putc seeks seq_create ran_del) ], [ 11, 16, 21, 26 ], "$fields fields: rates");
    is($tests->{ran_del}{latency}{value}, $line eq $CLASSIC ? undef : 12_000, "$fields fields: latencies");
}
is((parse_line($OURS))[0]{file_chunk_size}, '4096', 'the chunk size of our own lines');
is((parse_line($OLD50))[0]{file_chunk_size}, undef, 'that of Bonnie++ is lost');
is((parse_line($OLD50 =~ s/,2G,,/,2G,32k,/r))[0]{chunk_size}, '32k', 'a chunk size that is there is kept');
is((parse_line($OURS =~ s/,512,7,4096,/,512,,4096,/r))[0]{num_dirs}, q{}, 'our own fields are never moved');
is((parse_line($OURS =~ s/,64k,/,,/r))[0]{chunk_size}, q{}, 'in our own 50 fields an empty chunk size is the default');
is((parse_line($OURS =~ s/,3[.]10,/,$_->[0],/r))[0]{version}, $_->[1], "version $_->[0]")
    for [ '3.00', '3.0.0' ], [ '3.0.0', '3.0.0' ], [ '10.23', '10.2.3' ], [ '3.0', '3.0' ], [ '3.00-rc1', '3.00-rc1' ];

subtest 'blanks around fields' => sub {
    for my $line ($CLASSIC, $OLD47, $OLD48, $OLD50, $OURS, $OURS48) {
        my ($plain)  = parse_line($line);
        my ($padded, @problems) = parse_line($line =~ s/,/ ,\t     /gr);
        is_deeply([ $padded, @problems ], [$plain], substr($line, 0, 12) . ': are nothing');
    }
};

subtest 'ordinary lines' => sub {
    for my $line (q{}, "\n", '# of 1.98', 'Rewriting...done', '1.98 seconds', '1.98 seconds, or 2', 'a, b, c', "\t",
        join(q{,}, 'format_version', map {"field_$_"} 1 .. 49)) {
        is_deeply([ parse_line($line) ], [], "\"$line\" is skipped in silence");
    }
};

subtest 'results that cannot be read' => sub {
    for my $line ('1.98', '1.98,3.0.0,box', "$OURS,", "$CLASSIC,1", $OURS =~ s/^1[.]98/7.77/r, $OURS =~ s/\d(?=\d*(?:us)?(?:,|\z))/x/gr,
        q{,} x 26) {
        my ($record, @problems) = parse_line($line);
        ok(!$record && @problems == 1, substr($line, 0, 40) . ' is named');
    }
};

subtest 'figures' => sub {
    my %state = ('+++++' => 'fast', '+++' => 'fast', 0 => 'value', '533.8' => 'value', -1 => 'bad', '1e3' => 'bad',
        inf => 'bad', nan => 'bad', ' 5' => 'value', '5 5' => 'bad', '5us' => 'bad', 9 x 19 => 'bad', '5.' => 'bad');
    for my $text (sort keys %state) {
        my ($record, @problems) = parse_line($OURS =~ s/,11,/,$text,/r);
        is($record->{tests}{putc}{rate}{state}, $state{$text}, "rate \"$text\" is $state{$text}");
        is(scalar @problems, $state{$text} eq 'bad' ? 1 : 0, 'and named if bad');
    }
    my %nanoseconds = ('7ns' => 7, '7us' => 7e3, '7ms' => 7e6, '7s' => 7e9, '1.5ms' => 1.5e6);
    for my $text (sort keys %nanoseconds) {
        my ($record) = parse_line($OURS =~ s/,1us,/,$text,/r);
        is($record->{tests}{putc}{latency}{value}, $nanoseconds{$text}, "latency $text");
    }
};

done_testing();
