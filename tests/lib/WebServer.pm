# SPDX-License-Identifier: GPL-2.0-or-later
# A small web server for the tests, which stores what is put, and misbehaves on request. It is
# one process with any number of connections, on a free port of the loopback interface.
package WebServer;

use strict;
use warnings;
use Compress::Zlib ();
use Errno qw(EAGAIN);
use Exporter 'import';
use IO::Select ();
use IO::Socket::INET ();
use POSIX  ();
use Socket qw(SOL_SOCKET SO_LINGER);
use Time::HiRes ();

our @EXPORT_OK = qw(web_server free_port);

my $HEADERS_END = "\r\n\r\n";

# Answers with a body that was encoded on the way, which nobody has asked for.
sub gz      { my ($text) = @_; return Compress::Zlib::memGzip($text) }
sub encoded { my ($c, $how, $body) = @_; $c->{out} .= "HTTP/1.1 200 OK\r\nTransfer-Encoding: $how\r\nConnection: close\r\n\r\n$body"; $c->{ends} = 1; return }

# What special paths do wrong: each sub gets the connection, and may add to what that sends.
my %MISBEHAVES = (
    '/garbage' => sub { $_[0]{out} .= "\0\1this is no HTTP at all\n" x 20; $_[0]{ends} = 1 },
    '/nothing' => sub { $_[0]{ends} = 1 },
    '/reset'   => sub { setsockopt $_[0]{socket}, SOL_SOCKET, SO_LINGER, pack 'ii', 1, 0; $_[0]{ends} = 1 },
    '/half'    => sub { $_[0]{out} .= "HTTP/1.1 200 OK\r\nContent-Le"; $_[0]{ends} = 1 },
    '/short'   => sub { $_[0]{out} .= "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" . 'x' x 100; $_[0]{ends} = 1 },
    '/lying'   => sub { $_[0]{out} .= "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n12345"; $_[0]{ends} = 1 },
    '/once'    => sub { $_[0]{out} .= "HTTP/1.1 200 OK\r\n\r\nends with the connection"; $_[0]{ends} = 1 },
    '/chunks'  => sub { $_[0]{out} .= "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzzzz\r\nxx"; $_[0]{ends} = 1 },
    '/gzip'    => sub { encoded($_[0], 'gzip', gz('x' x (1 << 20))) },
    '/gzip2'   => sub { encoded($_[0], 'gzip, gzip', gz(gz('x' x (16 << 20)))) },
    '/gzip3'   => sub { encoded($_[0], "gzip\r\nTransfer-Encoding: chunked", sprintf "%x\r\n%s\r\n0\r\n\r\n", length gz('x' x 999), gz('x' x 999)) },
    '/loop'    => sub { $_[0]{out} .= "HTTP/1.1 302 Found\r\nLocation: /loop\r\nContent-Length: 0\r\n\r\n" },
    '/silent'  => sub { $_[0]{is_silent} = 1 },
    '/late'    => sub { Time::HiRes::sleep(.2998 + rand .0010); $_[0]{out} .= "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n" },
    '/headers' => sub { endless($_[0], "HTTP/1.1 200 OK\r\n", sub { 'X-Header-' . $_[0]{number}++ . ': ' . 'x' x 200 . "\r\n" }) },
    '/header'  => sub { endless($_[0], "HTTP/1.1 200 OK\r\nX: ", sub { 'x' x 4096 }) },
    '/interim' => sub { endless($_[0], q{}, sub {"HTTP/1.1 102 Processing\r\n\r\n"}) },
    '/body'    => sub { endless($_[0], "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", sub { "1000\r\n" . 'x' x 4096 . "\r\n" }) },
    '/chunk'   => sub { endless($_[0], "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;", sub { 'x' x 4096 }) },
    '/loris'   => sub { endless($_[0], "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", sub {'x'}); $_[0]{is_slow} = 1 },
    '/tell'    => sub { answer($_[0], 403, '<Error><Code>Denied</Code><Message>' . ($_[0]{head} =~ /^X-Token: *(.*?) *\r?$/m)[0] . '</Message></Error>') },
    '/echo'    => sub { answer($_[0], 403, "<Error><Code>Denied</Code><Message>$_[0]{head}</Message></Error>") },
);

sub endless {
    my ($c, $first, $more) = @_;
    $c->{out} .= $first;
    $c->{more} = $more;
    return;
}

# A port on which nobody listens, below those that the kernel gives to connections of others.
# Never the same one twice; other tests try other ports.
my $next_port = $$ * 16;

sub free_port {
    for my $try (1 .. 100) {
        my $port = 10_000 + $next_port++ % 20_000;
        return $port if IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $port, Listen => 1);
    }
    die "no free port: $!\n";
}

# web_server(port => PORT, log => FILE, greets => TEXT): starts a server, which ends with the test or
# with `stop`; it answers a greeting in TLS with this text, again and again.
sub web_server {
    my (%how) = @_;
    my $socket = IO::Socket::INET->new(
        LocalAddr => '127.0.0.1',
        LocalPort => $how{port} // 0,
        Listen    => 1000,
        ReuseAddr => 1,
    ) or die "listen: $!\n";
    my $self = bless { port => $socket->sockport, url => 'http://127.0.0.1:' . $socket->sockport, parent => $$ }, __PACKAGE__;
    $self->{pid} = fork // die "fork: $!\n";
    if ($self->{pid} == 0) {
        local $SIG{PIPE} = 'IGNORE';
        local $SIG{TERM} = 'DEFAULT';
        eval { serve($socket, @how{qw(log greets)}); 1 } or print {*STDERR} $@;
        POSIX::_exit(0);
    }
    return $self;
}

sub stop {
    my ($self) = @_;
    return if !$self->{pid} || $self->{parent} != $$;
    local ($?, $!);
    kill KILL => $self->{pid};
    kill CONT => $self->{pid};
    waitpid $self->{pid}, 0;
    $self->{pid} = 0;
    return;
}

sub DESTROY { $_[0]->stop; return }

# ---- the server's process ------------------------------------------------------------------------------

my (%connections, %objects, @held, $LOG, $GREETS);

sub serve {
    (my ($socket, $log), $GREETS) = @_;
    if (defined $log) {
        open $LOG, '>>', $log or die "$log: $!\n";
        $LOG->autoflush(1);
    }
    $socket->blocking(0);
    my $parent = getppid;
    while (getppid == $parent) {
        my $readers = IO::Select->new($socket, map { $_->{socket} } values %connections);
        my @writers = map { $_->{socket} } grep { length $_->{out} || ($_->{more} && !$_->{is_slow}) } values %connections;
        my ($read, $write) = IO::Select->select($readers, IO::Select->new(@writers), undef, .1);
        accept_all($socket);
        receive($_) for grep {defined} map { $connections{ fileno($_) // -1 } } @{ $read // [] };
        push_out($_) for grep { defined && (length $_->{out} || $_->{ends} || $_->{more}) } values %connections;
    }
    return;
}

sub accept_all {
    my ($socket) = @_;
    while (my $new = $socket->accept) {
        $new->blocking(0);
        $connections{ fileno $new } = { socket => $new, in => q{}, out => q{}, number => 0 };
    }
    return;
}

sub drop {
    my ($c) = @_;
    delete $connections{ fileno $c->{socket} };
    close $c->{socket};
    return;
}

sub receive {
    my ($c) = @_;
    my $got = sysread $c->{socket}, $c->{in}, 1 << 20, length $c->{in};
    return if !defined $got && $! == EAGAIN;
    return drop($c) if !$got;
    take_requests($c);
    return;
}

sub take_requests {
    my ($c) = @_;
    if ($c->{in} =~ /\A\x16/) { # a greeting in TLS
        return endless($c, q{}, sub {$GREETS}) if $GREETS;
        $c->{head} = q{};
        $c->{ends} = 1;
        return answer($c, 400, q{});
    }
    while ((my $end = index $c->{in}, $HEADERS_END) >= 0) {
        $c->{head} = substr $c->{in}, 0, $end;
        my ($length) = $c->{head} =~ /^content-length:\s*(\d+)/mi;
        last if length $c->{in} < $end + 4 + ($length // 0);
        my $body = substr $c->{in}, $end + 4, $length // 0;
        substr $c->{in}, 0, $end + 4 + ($length // 0), q{};
        print {$LOG} "$c->{socket} $c->{head}$HEADERS_END" if $LOG;
        handle($c, $body);
    }
    return;
}

sub handle {
    my ($c,      $body) = @_;
    my ($method, $path) = $c->{head} =~ m{\A(\S+) (/[^ ?]*)} or return answer($c, 400, q{});
    my ($first) = $path =~ m{\A(/\w*)};
    return $MISBEHAVES{$first}->($c) if $MISBEHAVES{$first};
    return answer($c, $1, 'as you like it') if $path =~ m{\A/status/(\d+)};
    return if $first eq '/both' && is_held($c, $method, $body);
    if ($method eq 'PUT') {
        my $status = exists $objects{$path} ? 204 : 201;
        $objects{$path} = $body;
        return answer($c, $status, q{});
    }
    if ($method eq 'POST') {
        $objects{$path} = $body;
        return answer($c, 202, 'taken');
    }
    return answer($c, 404, 'there is no such thing') if !exists $objects{$path};
    if ($method eq 'DELETE') {
        delete $objects{$path};
        return answer($c, 204, q{});
    }
    if ($method eq 'PATCH') {
        $objects{$path} .= $body;
        return answer($c, 200, q{});
    }
    return answer($c, 200, $objects{$path}, $method eq 'HEAD');
}

# Under /both/, no connection gets an answer to its second write before one connection has read:
# a run of few requests then has reads and writes, no matter which of its threads start first.
sub is_held {
    my ($c, $method, $body) = @_;
    if ($method eq 'GET') {
        $c->{has_read} = 1;
        handle(@{$_}) for splice @held;
    }
    return 0 if $method ne 'PUT' || !$c->{has_written}++ || grep { $_->{has_read} } values %connections;
    push @held, [ $c, $body ];
    return 1;
}

sub answer {
    my ($c, $status, $body, $is_head) = @_;
    my $length = $status == 204 ? q{} : 'Content-Length: ' . length($body) . "\r\n";
    $c->{out} .= "HTTP/1.1 $status Word\r\n$length\r\n";
    $c->{out} .= $body if !$is_head && $c->{head} !~ /\AHEAD/ && $status != 204;
    return;
}

sub push_out {
    my ($c) = @_;
    if ($c->{more}) {
        return if $c->{is_slow} && Time::HiRes::time() < ($c->{next} // 0);
        $c->{next} = Time::HiRes::time() + .05;
        $c->{out} .= $c->{more}->($c) while length $c->{out} < ($c->{is_slow} ? 1 : 1 << 16);
    }
    my $sent = syswrite $c->{socket}, $c->{out};
    return drop($c) if !defined $sent && $! != EAGAIN;
    substr $c->{out}, 0, $sent // 0, q{};
    return drop($c) if $c->{ends} && !length $c->{out};
    return;
}

1;
