#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# --json: one object that matches its schema, whose figures are consistent with one another and
# with the options.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun  qw(@ALL_TESTS bonnie finish refused_ok scratch scratch_on_disk start tree wait_until);
use JsonReport qw(report_of report_ok tests_of);
use RunProgram qw(slurp);

my $MIB  = 1 << 20;
my $dir  = scratch();
my @tiny = ('-d', $dir, qw(-r0 -s1:4k:500:2 -n1 -mlab -z3 -q --json --iops-duration=0.05));

# The number of operations of each test with the options above. A test with a duration does whole
# rounds.
my %ops = (
    (map { $_ => $MIB / 4096 } qw(putc put_block rewrite getc get_block)),
    seeks => 500,
    iops  => 1,
    (map { $_ => 1024 } @ALL_TESTS[ 7 .. 12 ]),
);

for my $test (@ALL_TESTS) {
    subtest "$test alone" => sub {
        my $report = report_of(@tiny, "--tests=$test");
        is(tests_of($report), $test, 'that test and no other');
        my $figures = $report->{runs}[0]{tests}[0];
        is($figures->{ops} % $ops{$test}, 0, "$figures->{ops} operations: rounds of $ops{$test}");
        my $moves = grep { $_ eq $test } @ALL_TESTS[ 0 .. 4 ];
        is($figures->{bytes}, $MIB, 'each byte counts once') if $moves;
        ok($report->{summary}[0]{ $moves ? 'bytes_per_second' : 'ops_per_second' }, 'the summary has its rate');
        is($figures->{workers}, $test eq 'seeks' ? 2 : 1, 'workers, or seekers');
    };
}

subtest 'all tests' => sub {
    my $report = report_of(@tiny, '--tests=' . join q{,}, @ALL_TESTS);
    is(tests_of($report), "@ALL_TESTS", 'in running order');
    is($report->{label}, 'lab', 'the label');
    is($report->{settings}{seed}, 3, 'the seed');
    my $settings = $report->{settings};
    is(join(q{,}, map { $settings->{$_} } qw(preset size_bytes chunk_bytes seeks seekers engine iodepth data verify cache files file_kind)),
        "bonnie++,$MIB,4096,500,2,sync,1,random,stamp,evict,1024,data", 'the settings');
    is_deeply([ map {"$_->{damaged} @{$_->{damage}}"} @{ $report->{runs}[0]{tests} } ], [ ('0 ') x 13 ], 'nothing is damaged');
    my ($year) = $report->{start_time} =~ /\A(\d+)-/;
    cmp_ok(abs($year - 1900 - (gmtime)[5]), '<=', 1, 'the time');
};

subtest 'other settings' => sub {
    my $settings = report_of('-d', $dir, qw(-r0 -s2:8k -n1:300:200:3:256 -c2 -b -q --json --cache=keep --verify=full --data=compress=50),
        '--tests=put_block,get_block,seq_create,seq_stat')->{settings};
    is(join(q{,}, map { $settings->{$_} } qw(concurrency data verify cache file_max_bytes file_min_bytes directories file_chunk_bytes)),
        '2,compress=50,full,keep,300,200,3,256', 'are those asked for');
    ok($settings->{sync} && !$settings->{direct}, 'the flags too');
    is(report_of('-d', $dir, qw(-r0 -s0 -n1:-2 -q --json --tests=seq_create))->{settings}{file_kind}, 'symbolic_links', 'symbolic links');
    is(report_of('-d', $dir, qw(-r0 -s0 -n1:-1 -q --json --tests=seq_create))->{settings}{file_kind}, 'hard_links', 'hard links');
    my $classic = report_of('-d', $dir, qw(-r0 -s1 -q --json --preset=bonnie));
    is("$classic->{settings}{preset}/$classic->{label}", "bonnie/$classic->{host}{name}", 'preset bonnie has no label: the document takes the name of the host');
    is(report_of(@tiny, qw(--tests=put_block -z), $_)->{settings}{seed}, $_, "seed $_") for qw(0 9007199254740991);
    refused_ok(bonnie(@tiny, '-z9007199254740992'), qr/--seed|-z/, 'a seed that readers of JSON would round is refused');
};

for my $engine (qw(sync libaio io_uring null)) {
    subtest "engine $engine" => sub {
        my ($lines) = bonnie('--engine=help')->{out} =~ /^\Q$engine\E (.*(?:\n .*)*)/m;
        plan skip_all => "it cannot be used here: $lines" if !$lines || $lines =~ /cannot be used here/;
        my $report = report_of(@tiny, "--engine=$engine", '--tests=putc,put_block,rewrite,get_block,seeks,iops,ran_del');
        my $depth  = $engine eq 'sync' ? 1 : 32;
        for my $test (@{ $report->{runs}[0]{tests} }) {
            my $block = $test->{name} !~ /putc|ran/;
            is("$test->{engine} $test->{iodepth}", $block ? "$engine $depth" : 'sync 1', "$test->{name}: engine and depth");
            is($test->{ops} % $ops{ $test->{name} }, 0, "$test->{name}: operations");
        }
    };
}

# What the kernel says about the disk of the temporary directory, if that is a whole disk.
subtest 'the storage' => sub {
    my $disk    = scratch_on_disk();
    my $report  = report_of('-d', "$disk", qw(-r0 -s1 -n0 -q --json --tests=put_block));
    my ($host, $storage) = @{$report}{qw(host storage)};
    my ($mount) = grep { (split q{ })[2] eq sprintf '%d:%d', device_number("$disk") } split /\n/, slurp('/proc/self/mountinfo');
    plan skip_all => 'the temporary directory is on no mount of its number' if !$mount;
    my @words = split q{ }, $mount;
    my %seen;
    like($host->{c_library}, qr/\A(?:glibc \d+[.]\d+|musl)\z/, 'the C library');
    is($storage->{mount_options}, join(q{,}, grep { !$seen{$_}++ } map { split /,/ } @words[ 5, -1 ]), 'the options of the mount and of the filesystem');
    my $block = '/sys/dev/block/' . join q{:}, device_number("$disk");
    plan skip_all => 'there is no whole disk below the temporary directory' if !-d "$block/queue" || glob "$block/slaves/*";
    my ($scheduler) = slurp("$block/queue/scheduler") =~ /\[(.*?)\]/;
    is($storage->{drives}[0]{scheduler}, $scheduler, 'the scheduler in use');
    my ($model) = -e "$block/device/model" ? slurp("$block/device/model") =~ /\A\s*(.*?)\s*\z/ : undef;
    is($storage->{drives}[0]{model}, $model, 'the model, or null');
};

sub device_number {
    my ($dir) = @_;
    my $number = (stat $dir)[0];
    return (($number >> 8) & 0xFFF, ($number & 0xFF) | (($number >> 12) & 0xFFF00));
}

subtest 'direct I/O' => sub {
    my $disk = scratch_on_disk();
    my $run  = bonnie('-d', $disk, qw(-r0 -s1 -n0 -q -D --json));
    plan skip_all => "it does not work here: $run->{err}" if $run->{status};
    my %direct = map { $_->{name} => $_->{direct_asked} } @{ report_ok($run->{out})->{runs}[0]{tests} };
    is(join(q{ }, grep { $direct{$_} } sort keys %direct), 'get_block put_block rewrite seeks', 'is of the block tests and the seeks');
};

subtest 'several runs' => sub {
    my $report = report_of(@tiny, '-x3', '--tests=put_block,seeks,seq_create');
    is(scalar @{ $report->{runs} }, 3, 'are all in one object');
    is(join(q{ }, map {"$_->{name}:$_->{runs}"} @{ $report->{summary} }), 'put_block:3 seeks:3 seq_create:3', 'and all in the summary');
    $report = report_of(@tiny, qw(-c3 -x2 --tests=get_block));
    is(scalar @{ $report->{runs} }, 2, 'also with workers');
};

subtest 'where it goes' => sub {
    my @short = ('-d', $dir, qw(-r0 -s1 -n0 --tests=put_block --cache=keep));
    my $run = bonnie(@short, '--format', 'json');
    report_ok($run->{out});
    like($run->{err}, qr/done/, '--format json: progress on stderr');
    $run = bonnie(@short, '-q', '--format=text,json');
    report_ok($run->{out});
    like($run->{err}, qr/\AVersion/, '-q with the table: that goes to stderr');
    $run = bonnie(@short, '-q', '--format=html,json');
    report_ok($run->{out});
    like($run->{err}, qr/\A<TR>/, '-q with the HTML row: likewise');
    $run = bonnie(@short, '-q', '--format=json,csv');
    like($run->{out}, qr/\A1\.98,.*\n\z/, '-q with CSV: that alone is on stdout, as ever');
    report_ok($run->{err});
    $run = bonnie(@short, '--format=json,text');
    like($run->{out}, qr/\AVersion [^{]*\{.*\}\n\z/s, 'without -q: the object is behind the tables of the runs');
    like(bonnie(@short, '--json', '--format=csv')->{out}, qr/\A1\.98,.*\n\z/, 'the last one counts');

    $run = bonnie(@short, '-q', '-x2', '--json', "--output=$dir/report");
    is("$run->{status}$run->{out}$run->{err}", '0', '--output: nothing on stdout');
    report_ok(slurp("$dir/report"));
    unlink "$dir/report";
};

subtest 'failures' => sub {
    my $run;
    if (-c '/dev/full') {
        $run = bonnie({ out => '/dev/full' }, @tiny, '--tests=put_block');
        is($run->{status}, 1, 'a full disk: exit status 1');
        like($run->{err}, qr/\Abonnie: write the report to standard output: No space left on device\n\z/, 'one line says why');
        refused_ok(bonnie(@tiny, '--tests=put_block', '--output=/dev/full'), qr/No space left on device/, 'a full disk by --output');
    }
    refused_ok(bonnie('-d', "$dir/none", qw(-s1 -n0 -q --json)), qr/No such file/, 'a run that fails prints no object');
    my $long = start('-d', $dir, qw(-r0 -s0 -n1 -q --json --tests=seq_create --min-time=1000000 --cache=keep));
    wait_until('a run at work', sub { grep {m{/d00000/}} tree($dir) });
    kill TERM => $long->{pid};
    finish($long);
    is("$long->{status}:$long->{out}", 'signal 15:', 'nor does one that a signal ended in its first test');
};

# The program has filled its file and waits at its prompt: a change to the file is
# damage now.
sub damage {
    my ($pid) = @_;
    my ($file) = grep { (readlink // q{}) =~ m{\A\Q$dir\E/.*deleted} && -s } glob "/proc/$pid/fd/*";
    open my $handle, '+<', $file or return 0;
    seek $handle, 100_000, 0;
    print {$handle} 'x' x 5000 or return 0;
    return close $handle;
}

subtest 'damage' => sub {
    pipe my $reader, my $writer or die "pipe: $!\n";
    my $run = start({ in => "/proc/$$/fd/" . fileno $reader }, '-d', $dir, qw(-r0 -s1 -n0 --json --tests=get_block --cache=keep -yp));
    wait_until('the prompt', sub { slurp($run->{err_file}) =~ /Enter/i });
    ok(damage($run->{pid}), 'a place in the file is changed');
    syswrite $writer, "\n";
    close $writer;
    finish($run);
    is($run->{status}, 1, 'exit status 1');
    like($run->{err}, qr/^bonnie: the storage returned something other than what was written/m, 'the message names the damage');
    my $report = report_ok($run->{out});
    is(tests_of($report), 'get_block', 'but what was measured is reported');
    my $test = $report->{runs}[0]{tests}[0];
    is($test->{damaged}, 2, 'with the number of damaged units');
    is_deeply([ map {"$_->{file} $_->{offset_bytes}"} @{ $test->{damage} } ], [ '0 98304', '0 102400' ], 'and where they are');
    my @told = $run->{err} =~ /bonnie: get_block: data file 0 in \S+ at \d+: (.*)$/mg;
    is_deeply([ map { $_->{description} } @{ $test->{damage} } ], \@told, 'in the words of standard error');
    is_deeply([ grep { $_->{description} !~ /\A\Q$_->{kind}\E: / } @{ $test->{damage} } ], [], 'which begin with the kind');
};

subtest 'hostile labels' => sub {
    my %label = (
        "a\e[2J\r\nb\tc\x07"         => 'a?[2J  b c?',
        "\xFF\xFE\xC3"               => '???',
        "\xED\xA0\x80"               => '???',
        'a"b\\c\\u0000'              => 'a"b\\c\\u0000',
        "k\xC3\xB6ln \xE2\x82\xAC"   => "k\x{F6}ln \x{20AC}",
        "a\xE2\x80\xAEb"             => 'a?b',
        '<script>alert(1)</script>,' => '<script>alert(1)</script>,',
        "\n  \"seed\": 7,"           => '"seed": 7,',
        '%s%n'                       => '%s%n',
        'W' x 3000                   => 'W' x 3000,
    );
    for my $given (sort keys %label) {
        my $run = bonnie(@tiny, '--tests=put_block', '-m', $given);
        unlike($run->{out}, qr/[\x00-\x09\x0B-\x1F\x7F\xFE\xFF]/, 'nothing that a terminal obeys');
        my $report = report_ok($run->{out});
        is($report->{label}, $label{$given}, 'it is as it was, or harmless');
        is($report->{settings}{seed}, 3, 'and changes nothing else');
    }
};

is_deeply([ tree($dir) ], [], 'nothing is left in the directory');
done_testing();
