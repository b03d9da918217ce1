# SPDX-License-Identifier: GPL-2.0-or-later
# nginx for the tests: WebDAV below a directory, with and without TLS, and locations that give the
# answers that a test needs. Its files are in a directory that is removed with the object.
package Nginx;

use strict;
use warnings;
use BonnieRun  qw(have scratch wait_until);
use Exporter 'import';
use HTTP::Tiny ();
use IO::Socket::INET ();
use RunProgram qw(slurp spew);
use WebServer  qw(free_port);

our @EXPORT_OK = qw(no_nginx nginx);

my $MODULES = '/usr/lib/nginx/modules';

# Why nginx cannot be used; undef: it can.
sub no_nginx {
    my ($missing) = grep { !have($_) } qw(nginx openssl);
    return "there is no $missing" if $missing;
    return 'nginx has no WebDAV with directories' if qx(nginx -V 2>&1) !~ /http_dav_module/;
    return;
}

sub nginx {
    my $dir = scratch(oct 755);
    my ($plain, $tls, $strict, $short) = map { free_port() } 1 .. 4;
    mkdir "$dir/$_" for qw(www tmp);
    make_certificate($dir);
    spew("$dir/conf", configuration($dir, $plain, $tls, $strict, $short));
    my $pid = fork // die "fork: $!\n";
    if ($pid == 0) {
        open STDERR, '>', "$dir/stderr" or die;
        exec 'nginx', '-c', "$dir/conf", '-p', "$dir" or die "nginx: $!\n";
    }
    my $self = bless { dir => $dir, pid => $pid, parent => $$,
        http => "http://127.0.0.1:$plain", https => "https://localhost:$tls", strict => "https://localhost:$strict", short => "https://localhost:$short" }, __PACKAGE__;
    wait_until('nginx', sub { IO::Socket::INET->new("127.0.0.1:$plain") });
    return $self;
}

# Makes a self-signed certificate.
sub make_certificate {
    my ($dir) = @_;
    my @command = (qw(openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost),
        '-keyout', "$dir/key", '-out', "$dir/certificate");
    my $child = fork // die "fork: $!\n";
    if ($child == 0) {
        open STDERR, '>', '/dev/null' or die;
        exec @command or die;
    }
    waitpid $child, 0;
    die "openssl: no certificate\n" if $? != 0;
    return;
}

sub configuration {
    my ($dir, $plain, $tls, $strict, $short) = @_;
    my $user = $> == 0 ? 'user root;' : q{};
    return <<"END";
daemon off; worker_processes 1; pid $dir/pid; error_log $dir/error.log; $user
events { worker_connections 2048; }
http {
    log_format short '\$request_method \$server_protocol \$status \$connection \$uri';
    access_log $dir/log short;
    client_body_temp_path $dir/tmp/body; proxy_temp_path $dir/tmp/proxy; fastcgi_temp_path $dir/tmp/fast;
    uwsgi_temp_path $dir/tmp/uwsgi; scgi_temp_path $dir/tmp/scgi;
    client_max_body_size 0; keepalive_requests 1000000;
    server {
        listen 127.0.0.1:$plain; listen 127.0.0.1:$tls ssl http2;
        ssl_certificate $dir/certificate; ssl_certificate_key $dir/key;
        root $dir/www; dav_methods PUT DELETE; create_full_put_path on;
        location /busy { return 503; }
        location /slow/ { limit_rate 200k; }
    }
    server { # ends its connections soon
        listen 127.0.0.1:$short ssl http2; keepalive_requests 50;
        ssl_certificate $dir/certificate; ssl_certificate_key $dir/key;
        root $dir/www; dav_methods PUT DELETE; create_full_put_path on;
    }
    server { # only clients with a certificate
        listen 127.0.0.1:$strict ssl http2;
        ssl_certificate $dir/certificate; ssl_certificate_key $dir/key;
        ssl_client_certificate $dir/certificate; ssl_verify_client on;
        root $dir/www;
    }
}
END
}

# The requests that nginx got: lines of method, protocol, status, connection, path.
sub asked {
    my ($self) = @_;
    $self->log_all;
    return grep { !m{ /logged/} } split /\n/, slurp("$self->{dir}/log");
}

sub forget { my ($self) = @_; $self->log_all; truncate "$self->{dir}/log", 0; return }

# nginx logs a request after its last byte is sent. It has one worker: when a later request is in
# the log, so are all that were answered before.
sub log_all {
    my ($self) = @_;
    my $path = '/logged/' . ++$self->{logged};
    HTTP::Tiny->new->get("$self->{http}$path");
    return wait_until('the log', sub { slurp("$self->{dir}/log") =~ m{ $path$}m });
}

sub DESTROY {
    my ($self) = @_;
    return if $self->{parent} != $$;
    local ($?, $!);
    kill TERM => $self->{pid};
    waitpid $self->{pid}, 0;
    return;
}

1;
