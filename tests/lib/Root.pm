# What only root can do for a test: mounts and semaphores of its own, filesystems, other users.
# All of it is gone when the test ends, however it ends.
package Root;

use strict;
use warnings;
use Exporter 'import';
use File::Spec ();
use File::Temp ();
use Test::More ();
use BonnieRun  qw(have);

our @EXPORT_OK = qw(filesystem is_root make_users may_mount private_mounts tmpfs);

sub is_root { return $> == 0 }

# True when this test may mount and unmount as it likes: it is root, with mounts of its own.
sub may_mount { return is_root() && ($ENV{BONNIE_TEST_MOUNTS} // q{}) eq 'private' }

# Starts this test program anew with mounts and semaphores of its own, if it may have such. Call it
# before anything else. It does nothing for other users than root.
sub private_mounts {
    return if !is_root() || $ENV{BONNIE_TEST_MOUNTS};
    my @apart = qw(unshare --mount --ipc --propagation private --);
    local $ENV{BONNIE_TEST_MOUNTS} = 'private';
    return if system("@apart true 2>/dev/null") != 0;
    exec @apart, $^X, (map {"-I$_"} @INC), $0, @ARGV or die "unshare: $!\n";
}

sub command {
    my (@words) = @_;
    my $log = File::Temp->new;
    my $pid = fork // die "fork: $!\n";
    if ($pid == 0) {
        open STDOUT, '>', "$log" or die "$log: $!\n";
        open STDERR, '>&', \*STDOUT or die "stderr: $!\n";
        exec { $words[0] } @words or die "$words[0]: $!\n";
    }
    waitpid $pid, 0;
    return if $? == 0;
    local $/ = undef;
    die "@words: ", readline $log;
}

# Mounts a tmpfs with these options on a new directory and returns that.
sub tmpfs {
    my ($options) = @_;
    my $dir = File::Temp->newdir('bonnie-test-XXXXXX', TMPDIR => 1);
    command('mount', '-t', 'tmpfs', '-o', "mode=0777,$options", 'bonnie-test', "$dir");
    return Mounted->new($dir);
}

my %MAKE = (
    ext4  => [qw(mkfs.ext4 -q -F -O ^has_journal)],
    xfs   => [qw(mkfs.xfs -q -f)],
    btrfs => [qw(mkfs.btrfs -q -f)],
);

# Makes a filesystem of so many MiB on a loop device and mounts it on a new directory, which is
# returned; undef when this system cannot make or mount such a one.
sub filesystem {
    my ($type, $mib, @options) = @_;
    my @make = @{ $MAKE{$type} };
    return if !have($make[0]) || !knows($type);
    my $image = File::Temp->new('bonnie-test-XXXXXX', DIR => BonnieRun::in_memory() // File::Spec->tmpdir);
    truncate $image, $mib << 20 or die "$image: $!\n";
    my $dir = File::Temp->newdir('bonnie-test-XXXXXX', TMPDIR => 1);
    command(@make, "$image");
    command('mount', '-t', $type, '-o', join(q{,}, 'loop', @options), "$image", "$dir");
    chmod oct(777), "$dir" or die "$dir: $!\n";
    return Mounted->new($dir, $image);
}

sub knows {
    my ($type) = @_;
    open my $known, '<', '/proc/filesystems' or return 0;
    return 1 if grep {/^\s*\Q$type\E$/} readline $known;
    return have('modprobe') && system("modprobe $type 2>/dev/null") == 0;
}

# Adds users, in this namespace only: make_users(NAME => UID, ...).
my $PASSWD;

sub make_users {
    my (%uid) = @_;
    $PASSWD = File::Temp->newdir('bonnie-test-XXXXXX', TMPDIR => 1);
    for my $file (qw(passwd group)) {
        open my $in,  '<', "/etc/$file"     or die "/etc/$file: $!\n";
        open my $out, '>', "$PASSWD/$file" or die "$PASSWD/$file: $!\n";
        print {$out} readline $in;
        for my $name (sort keys %uid) {
            my $rest = $file eq 'passwd' ? "$uid{$name}:$uid{$name}::/:/bin/false" : "$uid{$name}:";
            print {$out} "$name:x:$rest\n" if !getpwnam $name;
        }
        close $out or die "$PASSWD/$file: $!\n";
        chmod oct(644), "$PASSWD/$file";
        command('mount', '--bind', "$PASSWD/$file", "/etc/$file");
    }
    chmod oct(755), "$PASSWD";
    return;
}

# A mounted directory: its path as a text, unmounted when it goes or the test ends.
package Mounted;

use overload q{""} => sub { return "$_[0]{dir}" }, fallback => 1;

my %MOUNTED;

sub new {
    my ($class, $dir, $image) = @_;
    $MOUNTED{"$dir"} = $$;
    return bless { dir => $dir, image => $image }, $class;
}

sub unmount {
    my ($dir) = @_;
    local ($?, $!);
    system 'umount', $dir if ($MOUNTED{$dir} // 0) == $$;
    delete $MOUNTED{$dir};
    return;
}

sub DESTROY {
    my ($self) = @_;
    unmount("$self->{dir}") if $self->{dir};
    return;
}

END {
    unmount($_) for keys %MOUNTED;
}

1;
