# SPDX-License-Identifier: GPL-2.0-or-later
# Reads measurements of zcav: its JSON, its logs, and the logs of Bonnie++'s zcav,
# 1.03 to 2.00a.
#
# A course is the measurement of one device:
#   { course => 1, name; bytes, of the device, if known; filesystem of a file, host, direct, engine,
#     iodepth, writes, in_the_way, if known; block_bytes;
#     passes => [ { title, blocks => [ [ offset, bytes, seconds ], ... ] }, ... ];
#     bad => [ { offset, bytes, error }, ... ] }
# A block of which nothing could be moved has 0 bytes.
package Bonnie::ZcavLog;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use List::Util qw(max);
use Bonnie::Json       qw(hash in_the_way list number text version_fault);
use Bonnie::JsonText   qw(read_value);
use Bonnie::Plain      qw(plain_text);
use Bonnie::Statistics qw(median);

our @EXPORT_OK = qw(is_course is_zcav zcav_courses);

my $MIB = 2**20;
my $GIB = 2**30;

# A comment names the columns of a log: those of 1.9x and later, and those of
# 1.03, which has MiB, KiB/s and seconds.
my $COLUMNS = qr/^\#block (?:offset \(GiB\), MiB\/s, time|(K\/s) time)[ \t]*\r?$/m;
my $NUMBER  = qr/\d{1,12}(?:[.]\d{1,9})?/a;
my $FORMAT  = qr/\A\s*\{\s*"format"\s*:\s*"zcav"/;

# A file that does not show its format within this number of bytes is neither a log nor JSON.
my $LOOK_AT = 65_536;

sub is_course ($record) { return $record->{course} }

sub is_zcav ($text) {
    my $begin = substr ${$text}, 0, $LOOK_AT;
    return $begin =~ $FORMAT || $begin =~ $COLUMNS;
}

# $text refers to the whole file. Dies when it cannot be read.
sub zcav_courses ($text, $file) {
    my @courses = ${$text} =~ $FORMAT ? courses_of_json($text, $file) : courses_of_log($text, $file);
    die "no block was measured in $file\n" if !@courses;
    return @courses;
}

# ---- JSON ---------------------------------------------------------------------

sub courses_of_json ($text, $file) {
    pos(${$text}) = 0;
    my $report = eval { read_value($text) } // die "$file: JSON of zcav that cannot be read: ", $@ =~ s/\s*\z//r, "\n";
    my $fault = version_fault($report);
    die "$file: $fault\n" if defined $fault;
    return grep { @{ $_->{passes} } } map { course_of_device($report, hash($_)) } list($report->{devices});
}

sub course_of_device ($report, $device) {
    my $settings = hash($report->{settings});
    my @passes   = map { [ blocks_of(hash($_)->{blocks}) ] } list($device->{passes});
    my @measured = grep { @{$_} } @passes;
    my $number   = 0;
    return {
        course      => 1,
        name        => words($device->{name}),
        filesystem  => text($device->{filesystem}),
        host        => words(hash($report->{host})->{name}),
        engine      => words($device->{engine}),
        iodepth     => number($device->{iodepth}),
        direct      => $device->{direct},
        writes      => words($settings->{operation}) eq 'write',
        bytes       => number($device->{bytes}),
        block_bytes => number($settings->{block_bytes}) || max(1, map { $_->[1] } map { @{$_} } @measured),
        passes      => [ map { { title => 'pass ' . ++$number, blocks => $_ } } @measured ],
        bad         => [ map { bad_range(hash($_)) } list($device->{bad}) ],
        in_the_way  => in_the_way($report),
    };
}

sub blocks_of {
    my @blocks = grep { ref eq 'ARRAY' && @{$_} == 3 } list($_[0]);
    return map { [ map { number($_) // 0 } @{$_} ] } @blocks;
}

sub bad_range ($range) {
    my ($offset, $bytes) = map { number($range->{$_}) } qw(offset_bytes bytes);
    return if !defined $offset || !$bytes;
    return { offset => $offset, bytes => $bytes, error => words($range->{error}) };
}

sub words { return text($_[0]) // q{} }

# ---- logs ---------------------------------------------------------------------

# If one standard output has the logs of several devices, a comment precedes each.
sub courses_of_log ($text, $file) {
    my ($before, @named) = split /^# device: ([^\n]*)\n/m, ${$text};
    my @courses = course_of_log($before, $file);
    while (my ($name, $log) = splice @named, 0, 2) {
        push @courses, course_of_log($log, plain_text($name));
    }
    return @courses;
}

sub course_of_log ($log, $name) {
    return if $log !~ $COLUMNS;
    my $is_old = defined $1;
    my @rows   = rows_of($log, $is_old) or return;
    my $block  = block_bytes($log, @rows) or return;
    my $step   = step_between($block, @rows);
    my ($loops) = $log =~ /^\#loops: (\d{1,7})\b/ma;
    my $first   = nearest($rows[0]{offset}, $block);
    my @blocks  = map { [ $first + $_ * $step, $rows[$_]{none} ? 0 : $block, seconds_of($rows[$_], $block) ] } 0 .. $#rows;
    return {
        course      => 1,
        name        => $name,
        block_bytes => $block,
        writes      => scalar($log =~ /^\# Wrote /m),
        passes      => [ { title => ($loops // 1) > 1 ? "$loops passes" : 'pass 1', blocks => \@blocks } ],
        bad         => [ bad_of_log($log) ],
    };
}

# ++++ marks a block that was too fast for Bonnie++, but not for its clock; ----
# marks one that could not be moved at all.
sub rows_of ($log, $is_old) {
    my ($offset_unit, $rate_unit) = $is_old ? ($MIB, 1024) : ($GIB, $MIB);
    my @rows;
    while ($log =~ /^\#?[ ]*($NUMBER)[ ]+($NUMBER|\+\+\+\+|----)[ ]+($NUMBER)[ \t]*\r?$/mga) {
        my ($offset, $rate, $seconds) = ($1, $2, $3);
        my $is_rate = $rate =~ /\d/;
        push @rows, {
            offset  => $offset * $offset_unit,
            rate    => $is_rate ? $rate * $rate_unit : undef,
            none    => $rate eq '----',
            seconds => $seconds,
        };
    }
    return @rows;
}

# A log does not state the size of a block, but throughput and time determine
# it; or the sum does, if everything was too fast.
sub block_bytes ($log, @rows) {
    my @sizes = map { $_->{rate} * $_->{seconds} } grep { $_->{rate} } @rows;
    my ($sum) = $log =~ /^\# (?:Read|Wrote) (\d{1,12}) (?:megs|MiB)\b/ma;
    my $size  = @sizes ? median(@sizes) : defined $sum ? $sum * $MIB / @rows : 0;
    return max(1, sprintf '%.0f', $size / $MIB) * $MIB;
}

# Offsets are rounded to two digits, but all of them are multiples of the block
# size at equal distances.
sub step_between ($block, @rows) {
    return $block if @rows < 2;
    my $mean = ($rows[-1]{offset} - $rows[0]{offset}) / $#rows;
    return max($block, nearest($mean, $block));
}

sub nearest ($value, $unit) { return $unit * sprintf '%.0f', $value / $unit }

# The rate has more digits than the time, which has three: a time of "0.000" was
# less than half of the last digit.
sub seconds_of ($row, $block) {
    return $row->{rate} ? $block / $row->{rate} : max($row->{seconds}, 5e-4);
}

sub bad_of_log ($log) {
    my @bad;
    while ($log =~ /^\# Un(?:read|writ)able: (\d{1,19}) bytes at (\d{1,19}) \([^)\n]*\): ([^\n]*)/mga) {
        my ($bytes, $offset, $error) = ($1, $2, $3);
        push @bad, { offset => 0 + $offset, bytes => 0 + $bytes, error => plain_text($error) };
    }
    return @bad;
}

1;
