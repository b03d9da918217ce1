#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Public programs run bonnie++ and read its output; here is what they rely on. Each takes its columns, counted from 1, or
# its regular expressions from what was printed, as that program does.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use File::Temp ();
use BonnieRun  qw(bonnie finish program run_tool scratch start tree);
use RunProgram qw(run spew);

my $dir   = scratch();
my @small = ('-d', $dir, qw(-r0 -s2 --cache=keep));

subtest 'a cloud benchmark suite' => sub {
    my $run = bonnie(@small, qw(-q -n1 -f));
    my @lines = split /\n/, $run->{out};
    is(scalar @lines, 1, 'one line on stdout');
    my @fields = split /,/, $lines[0], -1;
    is(scalar @fields, 50, 'of exactly 50 fields');
    is($fields[0], '1.98', 'the first of them is the format');
    for my $latency (grep {length} @fields[ 38 .. 49 ]) {
        like($latency, qr/\A[0-9.]+[a-z]+\z/, "latency $latency: a number and letters");
    }
    is((grep { !/\A\z|\+/ && !/\A[0-9.]+\z/ } @fields[ 9 .. 20, 26 .. 37 ]), 0, 'all other figures are numbers, with + or empty');
};

subtest 'a kernel test grid' => sub {
    # That program reads both streams as one.
    my $run = bonnie(@small, qw(-n1 -mgrid-node1 -x2));
    my @found;
    for my $line (split /\n/, "$run->{err}$run->{out}") {
        push @found, [ split /,/, $line, -1 ] if $line =~ /^[a-z0-9.-]+,/;
    }
    is(scalar @found, 2, 'a line of each run, and nothing taken for one');
    for my $fields (@found) {
        my @figures = @{$fields}[ 9, 11, 13, 15, 17, 19, 26 .. 36 ];
        is((grep { !/\A(?:[0-9.]+|\+{3,5})\z/ } @figures), 0, 'figures in the columns that it takes');
    }
};

subtest 'a charting page' => sub {
    my $run = bonnie(@small, qw(-n1 -m), 'a,b');
    my @with_comma = grep {/,/} split /\n/, $run->{out};
    is(scalar @with_comma, 1, 'no line but the CSV line has a comma');
    my @fields = split /,/, $with_comma[0], -1;
    ok((grep { @fields == $_ } 27, 48, 50), 'which has a number of fields that it knows');
    like($_, qr/^\d+[mun]s$/, "latency $_") for grep { length && !/\A\d+s\z/ } @fields[ 38 .. 49 ];
};

subtest 'an HPC harness' => sub {
    my $run = bonnie(@small, qw(-n1));
    like($run->{out}, qr/Version\s+(\S+)\s+-+Sequential Output-+\s+-+Sequential Input-/, 'the version before the headings');
    my ($line) = $run->{out} =~ /^Name:Size etc.*\n(.*)$/m;
    my @figures = split q{ }, $line;
    is(scalar @figures, 14, 'label, size and six pairs in the line below them');
};

subtest 'an NFV suite' => sub {
    my $run = bonnie(@small, qw(-n1));
    my $last = (split /\n/, $run->{out})[-1];
    is(scalar(my @fields = split /,/, $last, -1), 50, 'the last line of stdout is the result');
    my $its_sample = join q{,     }, split /,/, $last, -1;
    is((run('bon_csv2txt', [], "$its_sample\n"))[1], (run('bon_csv2txt', [], "$last\n"))[1], 'and its own sample has blanks behind commas');
};

subtest 'a hardware certification suite' => sub {
    my $run = bonnie('-d', $dir, '-r', '7951.52', '-s', '2.5', qw(-n0 -f --cache=keep));
    is($run->{status}, 0, 'a fraction of a MiB');
    is((split /,/, (split /\n/, $run->{out})[-1])[5], '2M', 'is rounded down');
};

# ---- what is read from the line of each generation -----------------------------------------------

# The lines of one generation, and of all that was printed: runs with files of two sizes in three directories, on a label
# with blanks, in chunks of other than the usual size.
my @odd = (@small, qw(-s2:16k -n1:100:10:3:512 -c2 -z7), '-m', 'lab 7');
my %line_of;
my %number_of = ('1.03' => 27, '1.96' => 48, '1.97' => 48, '1.98' => 50);
for my $generation (sort keys %number_of) {
    my $run = bonnie(@odd, qw(-q), "--csv=$generation");
    my @lines = split /\n/, $run->{out};
    is(scalar @lines, 1, "--csv=$generation: one line") or diag($run->{err});
    $line_of{$generation} = [ split /,/, $lines[0] // q{}, -1 ];
    is(scalar @{ $line_of{$generation} }, $number_of{$generation}, "of $number_of{$generation} fields");
}

# Columns of a line, counted from 1.
sub columns {
    my ($generation, @numbers) = @_;
    return @{ $line_of{$generation} }[ map { $_ - 1 } @numbers ];
}

sub twos { my ($from, $to) = @_; return map { $from + 2 * $_ } 0 .. ($to - $from) / 2 }

sub figures_ok {
    my ($name, @fields) = @_;
    return is((grep { !/\A(?:[0-9]+(?:[.][0-9]+)?|[+]{3,5})\z/a } @fields), 0, "$name: " . @fields . ' figures');
}

sub latencies_ok {
    my ($name, @fields) = @_;
    return is((grep { !/\A[0-9]+(?:[mu]s|s)\z/a } @fields), 0, "$name: " . @fields . ' latencies');
}

my $version = (bonnie('-V')->{out} =~ /([\d.]+)/)[0];
my ($major, $rest) = $version =~ /\A(\d+)[.](.*)\z/;
is((columns('1.98', 2))[0], "$major." . $rest =~ tr/.//dr, 'the version has one dot');
for my $generation ('1.96', '1.97') {
    is((columns($generation, 2))[0], $generation, "$generation: a parser of volumes in Python: the version is the format once more");
    is(join(q{,}, columns($generation, 1, 3 .. 7, 20 .. 24)), "$generation,lab 7,2,7,2M,,1,100,10,3,512", "$generation: the settings, without a chunk size");
    figures_ok("$generation: a board farm's script", columns($generation, 8 .. 19, 25 .. 36));
    latencies_ok("$generation: the same", columns($generation, 37 .. 48));
    is(join(q{,}, columns($generation, 6)), '2M', "$generation: a read-ahead script: the size");
    figures_ok("$generation: a read-ahead script", columns($generation, 10, 12, 16));
    figures_ok("$generation: a gnuplot script", columns($generation, 10, 12, 16, 18, 25, 29, 31, 35));
    like(join(q{,}, columns($generation, 3, 5, 20)), qr/\Alab 7,\d+,1\z/, "$generation: a queue's benchmark: label, time and files");
    figures_ok("$generation: a queue's benchmark", columns($generation, 8 .. 19, 25 .. 36));
    latencies_ok("$generation: a queue's benchmark", columns($generation, 43 .. 48));
    is((grep { !/\A(\d+)([mu]s)\z/ && !/\A\d+s\z/ } columns($generation, 37 .. 48)), 0, "$generation: charts in Ruby: durations");
}
is(join(q{,}, columns('1.98', 1, 3 .. 9, 22 .. 26)), '1.98,lab 7,2,7,2M,16k,8192,5,1,100,10,3,512', '1.98: the settings, each in its column');
figures_ok("1.98: a data-frame script", columns('1.98', 10 .. 21, 27 .. 38));
like(join(q{,}, columns('1.98', 1, 2)), qr/^[0-9]+\.[0-9]+,[0-9]+\.[0-9]+\z/, '1.98: a collector for clusters of containers: the beginning of a line');
figures_ok('1.98: the same', columns('1.98', twos(10, 20), twos(27, 37)));
latencies_ok('1.98: a benchmark suite in Python', columns('1.98', 39 .. 44));
like(bonnie('-V')->{out} . bonnie('-V')->{err}, qr/\d+\.\d+/, 'and -V prints a version');
like((columns('1.98', 1))[0], qr/1\.9\d/, '1.98: a cluster bench in Python: the format');
like((columns('1.03', 2))[0], qr/\A\d+[KMGT]?:16k\z/, '1.03: the same: the size, and the chunk size of a run with another');
figures_ok('1.03: the same', columns('1.03', 3 .. 14, 16 .. 27));
is(join(q{,}, columns('1.03', 1, 15)), 'lab 7,1:100:10/3', '1.03: the label and the files');
figures_ok("1.03: a phone maker's suite", columns('1.03', 3, 9, 16));
is(join(q{,}, @{ $line_of{'1.03'} }) =~ tr/,//, 26, '1.03: a test grid: 26 commas');

subtest 'charts in PHP and in JavaScript' => sub {
    for my $generation (sort keys %number_of) {
        my @with_comma = grep {/,/} split /\n/, bonnie(@small, qw(-s1 -n0 -f), "--csv=$generation")->{out};
        is(scalar @with_comma, 1, 'beside the table there is one line of more than one field');
        is(scalar(my @fields = split /,/, $with_comma[0], -1), $number_of{$generation}, "that of $generation, if half of it is empty, too");
    }
};

subtest 'a disk benchmark in Python' => sub {
    my ($first, @lines) = split /\n/, bonnie(@small, qw(-s1 -n0 -q -x2 --csv=1.03))->{out};
    is(scalar(my @names = split /,/, $first), 27, 'a first line of names');
    is(join(q{ }, map { scalar(my @fields = split /,/, $_, -1) } @lines), '27 27', 'then 27 fields in each');
    is("@names[4, 10]", 'put_block get_block', 'rates where it takes them');
};

subtest 'our converters read all of them alike' => sub {
    my %table;
    for my $generation (sort keys %number_of) {
        my $line = join q{,}, @{ $line_of{$generation} };
        my ($status, $out, $err) = run('bon_csv2txt', [], "$line\n");
        is("$status$err", '0', "$generation: read without a word");
        my ($padded) = (run('bon_csv2txt', [], $line =~ s/,/,     /gr . "\n"))[1];
        is($padded, $out, "$generation: blanks behind commas are nothing");
        my ($sizes, $files) = ($out =~ /^lab 7 +(\S+) .*\n(?:Latency.*\n)?Version/m, $out =~ /^ +(1:\S+) /m);
        $table{$generation} = "$sizes $files";
        like($out, qr/^Version \Q$version\E /m, 'the version has its dots again') if $generation eq '1.98';
    }
    is_deeply(\%table, { '1.03' => '2M:16k 1:100:10/3', '1.96' => '2M::2 1:100:10/3:512', '1.97' => '2M::2 1:100:10/3:512', '1.98' => '2M:16k:2 1:100:10/3:512' },
        'with all settings that the generation has');
};

# ---- other ways --------------------------------------------------------------------------------

my $bin = scratch();
symlink program(), "$bin/bonnie++" or die "bonnie++: $!\n";

subtest 'a robot test of a container host: progress to the letter' => sub {
    my $run = run_tool("$bin/bonnie++", @small, qw(-n1), ($> == 0 ? qw(-u root) : ()));
    my ($old) = RunProgram::slurp(RunProgram::data_file('bonnie++-2.00a-output.txt')) =~ /\A(.*?)^Version/ms;
    $old =~ s/^Using .*\n//m if $> != 0;
    my $new = join q{}, grep { !/^bonnie(?:\+\+)?: |^What limited each test|^  / } split /^/, $run->{err};
    is($new, $old, 'what Bonnie++ 2.00a printed');
    like($run->{err}, qr/^Delete files in random order\.\.\.done\.$/m, 'what it waits for');
    like(run_tool("$bin/bonnie++", @small, qw(-s2:::2 -n0 -f))->{err}, qr/^start 'em\.\.\.done\.\.\.done\.\.\.$/m, 'a word for each seeker');
    unlike(bonnie(@small, qw(-s1 -n0 -f))->{err}, qr/intelligently/, 'only under that name');
};

subtest 'a group run' => sub {
    is(bonnie('-p3')->{status}, 0, '-p3');
    my @runs = map { start(@small, qw(-s1 -n0 -f -q -y s -m), "run$_") } 1 .. 3;
    my $lines = join q{}, map { finish($_)->{out} } @runs;
    is(bonnie(qw(-p -1))->{status}, 0, '-p -1');
    like((run('bon_csv2txt', [], $lines))[1], qr/^run1 +1M .*^run2 +1M .*^run3 +1M /ms, 'all of them in one table');
};

subtest 'a web page for log lines' => sub {
    my ($line) = bonnie(@small, qw(-s1 -n0 -f -q))->{out};
    my ($cut) = "Nov 25 20:11:07 host7 benchmark[81]: $line" =~ /: (1\.9.*)/s;
    my ($status, $page) = run('bon_csv2html', [], $cut);
    is($status, 0, 'a page of a line whose prefix was cut off');
    my $shown = $page =~ s{>(\d+)us(?=</td>)}{'>' . $1 / 1000 . 'ms'}ger;
    unlike($shown, qr{>\d+us</td>}, 'no latency in microseconds is left');
    like($shown, qr{>[\d.]+[^<\d]*s</td>}, 'latencies are in its cells');
};

# The arguments of each of these programs, and the converter that it uses.
my %converters = (ours => { map { $_ => [ $^X, RunProgram::path_of($_) ] } qw(bon_csv2html bon_csv2txt) },
    "Debian's" => { map { $_ => ["/usr/bin/$_"] } qw(bon_csv2html bon_csv2txt) });
delete $converters{"Debian's"} if !-x '/usr/bin/bon_csv2txt';

sub converted {
    my ($whose, $program, $lines) = @_;
    my $file = File::Temp->new;
    spew("$file", $lines);
    my $command = join q{ }, map {"'$_'"} @{ $converters{$whose}{$program} };
    return qx($command <'$file');
}

for my $whose (sort keys %converters) {
    subtest "a page about disks, with $whose bon_csv2html" => sub {
        my $last = (split /^/, bonnie(@small, qw(-n1))->{out})[-1];
        my ($table) = converted($whose, 'bon_csv2html', $last) =~ m{(<table.*?</table>)}is;
        my $rows = () = ($table // q{}) =~ /<tr/gi;
        cmp_ok($rows, '>=', 2, 'the first table, cut out, has a heading and figures');
    };
    subtest "a script that keeps the upper half, with $whose bon_csv2txt" => sub {
        my $lines = join q{}, map { bonnie(@small, qw(-n1 -q -m), $_)->{out} } qw(one two three);
        my $upper = converted($whose, 'bon_csv2txt', $lines) =~ s/^[^\n]*Sequential Create.*\z//msr;
        is(join(q{ }, $upper =~ /^(one|two|three) +2M/mg), 'one two three', 'a line of each run stands before "Sequential Create"');
    };
}

subtest 'a tool that reads -x by the names of its header' => sub {
    my ($header, @lines) = map { [ split /,/, $_, -1 ] } split /\n/, bonnie(@small, qw(-q -n1 -x2 -mlab))->{out};
    my %seen;
    $seen{$_}++ for @{$header};
    is_deeply([ grep { $seen{$_} > 1 } sort keys %seen ], [], 'no name twice');
    for my $line (@lines) {
        my %field;
        @field{ @{$header} } = @{$line};
        is("$field{name} $field{num_seeks} $field{file_size} $field{num_files}", 'lab 8192 2M 1', 'what it looks up is what was asked for');
        like($field{$_}, qr/\A(?:[\d.]+|\+{5})\z/, "$_ is a figure") for qw(put_block seeks ran_del);
    }
    is(scalar @lines, 2, 'two runs');
};

# Standard output as lines of words, each figure, time, version and date the same, with the fields of each line of CSV.
sub shape {
    my ($text) = @_;
    $text =~ s/^[\d.]+,.*/join q{,}, map { length ? 'filled' : 'empty' } split m{,}, $&, -1/gem;
    return $text =~ s/^format_version,.*/header/mr =~ s/^(Version) +[\d.a]+ */$1 /gmr =~ s/ +(?:[\d.]+[kmgt]?|\++)(?= |$)/ N/gmr =~ s/ +\d+[um]?s(?= |$)/ T/gmr;
}

subtest 'beside the bonnie++ of this system' => sub {
    plan skip_all => 'there is no bonnie++' if !-x '/usr/sbin/bonnie++';
    my @common = ('-d', $dir, qw(-r0 -m lab), $> == 0 ? qw(-u root) : ());
    for my $options ('-s2 -n0', '-s2 -n1', '-s1 -n0 -f', '-s1 -n0 -q', '-s0 -n1', '-s1 -n0 -x2') {
        my $theirs = run_tool('/usr/sbin/bonnie++', @common, split q{ }, $options);
        for my $ours (program(), "$bin/bonnie++") {
            is(shape(run_tool($ours, @common, split q{ }, $options)->{out}), shape($theirs->{out}), "$options: the lines and columns of standard output") or last;
        }
    }
};

subtest 'what Bonnie++ does not do either' => sub {
    is(bonnie(@small, qw(-s1 -n0 -f -q -x1))->{out} =~ tr/\n//, 1, '-x 1 has no header');
    my $refused = run_tool("$bin/bonnie++", @small, qw(-n0 -f -v));
    is("$refused->{status}$refused->{out}", '1', 'bonnie++ -v ends with status 1');
    like($refused->{err}, qr/^bonnie: -v is no option of bonnie\+\+/, 'and says why');
    like(bonnie('-d', $dir, qw(-r 1500k -n0 -f -q))->{out}, qr/\A(?:[^,]*,){5}3M,/, 'the default size has no k');
    like(bonnie('-d', $dir, qw(-r 1700k -n0 -f -q))->{out}, qr/\A(?:[^,]*,){5}4M,/, 'nor where twice the RAM is no whole number of MiB');
};

is(bonnie(@small, qw(-n0 -f))->{status}, 0, 'Ceph, Lustre and avocado suites: exit status 0 when all went well');
isnt(bonnie(qw(-d /nonexistent -s1 -n0))->{status}, 0, 'and not 0 when it did not');
is_deeply([ tree($dir) ], [], 'nothing is left in the directory');
done_testing();
