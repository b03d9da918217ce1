# SPDX-License-Identifier: GPL-2.0-or-later
# Real object stores for the tests in tests/stores. Those that are not in PATH are built
# first, which takes minutes; all are tested in the same way.
package ObjectStore;

use strict;
use warnings;
no warnings 'qw';
use Exporter 'import';
use File::Find       ();
use IO::Socket::INET ();
use Test::More;
use BonnieRun qw(have scratch_on_disk wait_until);
use LoadRun   qw(bonload has_web loaded);
use S3Store   qw(spellings);
use WebServer qw(free_port);

our @EXPORT_OK = qw(object_store objects_go_and_come only_the_bucket);

my ($ACCESS_KEY, $SECRET_KEY) = qw(AKTESTTEST a+secret/KEY);

# For each program, the command that builds it into DIR/bin.
my %BUILDS = (
    go => sub {
        my ($dir, $module) = @_;
        @ENV{qw(GOPATH GOCACHE GOBIN GOFLAGS)} = ("$dir/path", "$dir/cache", "$dir/bin", '-modcacherw');
        return (qw(go install), $module);
    },
    cargo => sub {
        my ($dir, $crate, @options) = @_;
        $ENV{CARGO_TARGET_DIR} = "$dir/target";
        return (qw(cargo install --quiet --locked --root), $dir, $crate, @options);
    },
);

# Builds the program, if it is not in PATH. Skips the test if it cannot be built.
sub build {
    my ($dir, $program, $tool, @source) = @_;
    return if have($program);
    have($tool) or plan skip_all => "$program cannot be had: there is no $tool";
    local %ENV = %ENV;
    my @command = $BUILDS{$tool}->($dir, @source);
    open my $said, '-|', 'sh', '-c', 'exec timeout 1800 "$@" 2>&1', 'sh', @command or die "sh: $!\n";
    my $last = (readline $said)[-1] // q{};
    close $said;
    chomp $last;
    -x "$dir/bin/$program" or plan skip_all => "$program cannot be had: $tool install ended with $last";
    return;
}

# object_store(NAME, [TOOL, SOURCE...], sub { ARGUMENT... }): starts a store, which ends with the
# test. The sub gets the port, the directory and both keys, and may set the store's environment. A
# directory of the store is a bucket.
sub object_store {
    my ($program, $source, $arguments) = @_;
    plan skip_all => 'this build lacks libcurl' if !has_web();
    my $dir = scratch_on_disk();
    $ENV{PATH} = "$dir/bin:$ENV{PATH}";
    build($dir, $program, @{$source});
    my $port = free_port();
    my $self = bless { scratch => $dir, bucket => "$dir/store/pail", port => $port, parent => $$ }, __PACKAGE__;
    mkdir "$dir/store";
    mkdir $self->{bucket};
    $self->{pid} = fork // die "fork: $!\n";
    if ($self->{pid} == 0) {
        open STDOUT, '>', "$dir/log" or die;
        open STDERR, '>&', \*STDOUT or die;
        exec $program, $arguments->($port, "$dir/store", $ACCESS_KEY, $SECRET_KEY) or die;
    }
    wait_until($program, sub { IO::Socket::INET->new("127.0.0.1:$port") });
    return $self;
}

sub DESTROY {
    my ($self) = @_;
    return if !$self->{pid} || $$ != $self->{parent};
    local ($?, $!);
    kill KILL => $self->{pid};
    waitpid $self->{pid}, 0;
    return;
}

sub options {
    my ($self) = @_;
    return ('-requests-engine=s3', "-s3-endpoint=http://127.0.0.1:$self->{port}", "-s3-api-key=$ACCESS_KEY", "-s3-secret-key=$SECRET_KEY",
        qw(-s3-bucket=pail -seed=3));
}

sub left {
    my ($self) = @_;
    my @left;
    File::Find::find(sub { push @left, $File::Find::name if -f }, $self->{bucket});
    return @left;
}

# Nothing outside the bucket is touched, however endpoint and bucket are spelled. `$domain` is what the
# store was told that buckets precede.
sub only_the_bucket {
    my ($store, $domain) = @_;
    my $place = "$store->{scratch}/store";
    mkdir "$place/$_" for qw(minio load);
    my @load = ((grep { !/-s3-(?:endpoint|bucket)/ } $store->options), qw(-wt=1 -max-requests=2 -body-size=10 -url=load/XXXX));
    for my $spelling (grep { $_->[0] eq $domain } spellings($store->{port})) {
        my (undef, $endpoint, $bucket, $option, $works) = @{$spelling};
        my $run = bonload(@load, "-s3-endpoint=$endpoint", "-s3-bucket=$bucket", $option || ());
        my @found;
        File::Find::find(sub { push @found, $File::Find::name =~ s{\A\Q$place\E/}{}r if -f && !m{/[.]} },
            map {"$place/$_"} grep { $_ ne 'pail' && !/\A[.]/ } listed($place));
        is_deeply([ sort grep { !m{/[.]|\Aminio/load/000[12](?:/|\z)} } @found ], [],
            "$endpoint, bucket '$bucket' $option: nothing else is touched");
        is($run->{status}, $works ? '0' : '1',
            "$endpoint, bucket '$bucket' $option: " . ($works ? 'written' : 'refused')) or diag($run->{err});
        system 'rm', '-rf', "$place/minio/load";
    }
    is_deeply([ grep { !/\A[.]/ } listed($place) ], [qw(load minio pail)], 'no bucket came or went');
    return;
}

sub listed { my ($path) = @_; opendir my $dir, $path or die "$path: $!\n"; return sort grep { !/\A[.]{1,2}\z/ } readdir $dir }

sub no_errors {
    my ($json, $name) = @_;
    return is_deeply([ map { @{ $json->{$_}{failures} // [] } } qw(reads writes) ], [], "$name: no errors");
}

# Puts two thousand objects of 1 B to 1 MiB, reads them back verified, lists and deletes them;
# puts one in parts; and checks that a wrong secret and a missing bucket are reported in the
# store's words.
sub objects_go_and_come {
    my ($store) = @_;
    my @s3      = $store->options;
    my @all     = (@s3, qw(-max-requests=2000 -min-body-size=1 -max-body-size=1MiB -fair-random), '-url=load/a b+c%d/XXXX');
    no_errors(loaded(@all, '-wt=4'), 'put');
    my $read = loaded(@all, '-rt=4', '-verify=full');
    no_errors($read, 'get');
    is($read->{damaged}, 0, 'as they were written');
    no_errors(loaded(@all, qw(-rt=2 -ops=list,head)),  'list and head');
    no_errors(loaded(@all, qw(-wt=4 -ops=delete)),     'delete');
    no_errors(loaded(@s3, qw(-wt=1 -max-requests=1 -body-size=11MiB -s3-part-size=5MiB -remove -url=parts)), 'in parts');
    is_deeply([ $store->left ], [], 'nothing is left');
    my $wrong = bonload((map {s{\Q$SECRET_KEY\E}{another}r} @s3), qw(-rt=1 -max-requests=5 -url=a));
    is($wrong->{status}, '1', 'a wrong secret');
    like($wrong->{said}, qr/^error +5 x 403 SignatureDoesNotMatch(?:: .+)?$/m, 'in the words of the store');
    like(bonload((map {s/pail/no-such/r} @s3), qw(-rt=1 -url=a))->{err}, qr/there is no bucket no-such/, 'a missing bucket');
    return;
}

1;
