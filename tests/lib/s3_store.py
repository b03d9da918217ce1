#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A small object store for the tests, in memory: it checks every signature with botocore.

s3_store.py PORT ACCESS SECRET REGION BUCKET[,BUCKET...] DOMAIN LOG [TOKEN]: prints its port, then serves
until its standard input ends. A bucket is in the path, or precedes the domain in the name of the host. The
log gets a line "METHOD BUCKET KEY" for each request that is not a read, also for those that are refused.
The bucket "versioned" adds delete markers. The buckets "unlisted" and "public" do not let anybody list them, so a HEAD of them is refused; "public"
needs no signature.
"""
import base64
import hashlib
import hmac
import itertools
import os
import socketserver
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qsl, unquote_to_bytes, urlsplit
from xml.sax.saxutils import escape

from botocore.auth import HmacV1Auth, S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.utils import percent_encode

PORT, ACCESS, SECRET, REGION, BUCKETS, DOMAIN, LOG = sys.argv[1:8]
BUCKETS = BUCKETS.split(",")
TOKEN = sys.argv[8] if len(sys.argv) > 8 else None
CREDENTIALS = Credentials(ACCESS, SECRET)
WORDS = {
    "SignatureDoesNotMatch": (403, "The signature is not that of this request and your key"),
    "InvalidAccessKeyId": (403, "There is no such key"),
    "InvalidToken": (400, "The token is not valid"),
    "AccessDenied": (403, "The request is not signed"),
    "XAmzContentSHA256Mismatch": (400, "The body is not what was signed"),
    "NoSuchKey": (404, "There is no such object"),
    "NoSuchBucket": (404, "There is no such bucket"),
    "NoSuchUpload": (404, "There is no such upload"),
    "InvalidPart": (400, "A part is not there"),
    "SlowDown": (503, "Please come more slowly, key " + SECRET),
}
lock = threading.Lock()
objects, uploads = {}, {}
upload_numbers = itertools.count()


class Refused(Exception):
    """What the store answers instead of success."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", headers=()):
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def act(self):
        # http.server turns "//" at the start into one slash; the first line has the original.
        target = self.requestline.split(" ")[1]
        path, _, self.query = target.partition("?")
        self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.parameters = dict(parse_qsl(self.query, keep_blank_values=True))
        try:
            self.find(path)
            self.check()
            self.serve()
        except Refused as refused:
            status, message = WORDS[str(refused)]
            text = f"<Error><Code>{refused}</Code><Message>{escape(message)}</Message><Secret>{SECRET}</Secret></Error>"
            self.answer(status, text.encode(), [("Content-Type", "application/xml")])

    do_GET = do_PUT = do_HEAD = do_DELETE = do_POST = act

    def find(self, path):
        """Bucket and key; the path is made anew from the key, as botocore encodes it."""
        host = self.headers["Host"].split(":")[0]
        plain = unquote_to_bytes(path)
        self.is_virtual = host.endswith("." + DOMAIN)
        bucket, _, key = (host[: -len(DOMAIN) - 1].encode(), b"", plain[1:]) if self.is_virtual else plain[1:].partition(b"/")
        self.bucket, self.key = bucket.decode(errors="replace"), key
        self.place = (self.bucket, key)
        if self.command not in ("GET", "HEAD"):
            with lock, open(LOG, "a") as log:
                print(self.command, self.bucket, key.decode(errors="replace"), file=log)
        front = "/" if self.is_virtual else "/" + percent_encode(self.bucket, safe="") + "/"
        self.path_by_botocore = front + percent_encode(key, safe="/~")
        if path.endswith("?") or not self.bucket or not path.startswith(front[:-1]):
            self.path_by_botocore = path

    def check(self):
        given = self.headers.get("Authorization") or ""
        if TOKEN and self.headers.get("x-amz-security-token") != TOKEN:
            raise Refused("InvalidToken")
        if given.startswith("AWS4-HMAC-SHA256 "):
            self.check_version4(given)
        elif given.startswith("AWS "):
            self.check_version2(given)
        elif self.bucket != "public":
            raise Refused("AccessDenied")

    def asked(self, names):
        url = f"http://{self.headers['Host']}{self.path_by_botocore}"
        headers = {name: self.headers[name] for name in names if self.headers[name] is not None}
        # botocore parses the query of a URL itself.
        return AWSRequest(method=self.command, url=url + ("?" + self.query if self.query else ""), headers=headers)

    def check_version4(self, given):
        fields = dict(field.strip().split("=", 1) for field in given.split(" ", 1)[1].split(","))
        access, day, region, service, _ = fields["Credential"].split("/")
        names = fields["SignedHeaders"].split(";")
        if access != ACCESS:
            raise Refused("InvalidAccessKeyId")
        signed = set(names) | {"host", "x-amz-date", "x-amz-content-sha256"}
        must = {name.lower() for name in self.headers if name.lower().startswith("x-amz-")} | {"host"}
        if must - set(names) or signed - set(names):
            raise Refused("AccessDenied")
        if hashlib.sha256(self.body).hexdigest() != self.headers["x-amz-content-sha256"]:
            raise Refused("XAmzContentSHA256Mismatch")
        request = self.asked(names)
        request.context["timestamp"] = self.headers["x-amz-date"]
        auth = S3SigV4Auth(CREDENTIALS, service, region)
        text = auth.string_to_sign(request, auth.canonical_request(request))
        if region != REGION or auth.signature(text, request) != fields["Signature"]:
            raise Refused("SignatureDoesNotMatch")

    def check_version2(self, given):
        access, _, signature = given[4:].partition(":")
        if access != ACCESS:
            raise Refused("InvalidAccessKeyId")
        request = self.asked(self.headers.keys())
        auth = HmacV1Auth(CREDENTIALS)
        auth._get_date = lambda: self.headers["Date"]  # otherwise it would sign the present time
        resource = f"/{self.bucket}{self.path_by_botocore}" if self.is_virtual else None
        text = auth.canonical_string(self.command, urlsplit(request.url), request.headers, auth_path=resource)
        right = base64.b64encode(hmac.new(SECRET.encode(), text.encode(), hashlib.sha1).digest()).decode()
        if signature != right:
            raise Refused("SignatureDoesNotMatch")

    def serve(self):
        if not self.bucket and self.command in ("GET", "HEAD"):
            return self.answer(200, b"<ListAllMyBucketsResult/>")
        if self.bucket not in BUCKETS:
            raise Refused("NoSuchBucket")
        if self.bucket in ("unlisted", "public") and not self.key:
            raise Refused("AccessDenied")
        if self.key.startswith(b"slow"):
            raise Refused("SlowDown")
        with lock:
            if "uploads" in self.parameters:
                return self.begin_upload()
            if "uploadId" in self.parameters:
                return self.go_on_with_upload()
            return getattr(self, "serve_" + self.command)()

    def serve_PUT(self):
        objects[self.place] = self.body
        self.answer(200, headers=[("ETag", '"%s"' % hashlib.md5(self.body).hexdigest())])

    def serve_GET(self):
        if not self.key and "list-type" in self.parameters:
            prefix = self.parameters.get("prefix", "").encode()
            keys = sorted(key for bucket, key in objects
                if bucket == self.bucket and key.startswith(prefix))[: int(self.parameters["max-keys"])]
            text = "".join(f"<Contents><Key>{escape(key.decode(errors='replace'))}</Key></Contents>" for key in keys)
            return self.answer(200, f"<ListBucketResult><KeyCount>{len(keys)}</KeyCount>{text}</ListBucketResult>".encode())
        if self.key and self.place not in objects:
            raise Refused("NoSuchKey")
        body = objects.get(self.place, b"")
        return self.answer(200, body)

    serve_HEAD = serve_GET

    def serve_DELETE(self):
        if self.bucket == "versioned":
            return self.answer(204, headers=[("X-Amz-Delete-Marker", "true"), ("x-amz-version-id", "2")])
        objects.pop(self.place, None)
        self.answer(204)

    def serve_POST(self):
        raise Refused("AccessDenied")

    def begin_upload(self):
        name = f"upload+{next(upload_numbers)}/é=="
        uploads[name] = {}
        self.answer(200, f"<Result><Bucket>{self.bucket}</Bucket><UploadId>{escape(name)}</UploadId></Result>".encode())

    def go_on_with_upload(self):
        name = self.parameters["uploadId"]
        if name not in uploads:
            raise Refused("NoSuchUpload")
        parts = uploads[name]
        if self.command == "PUT":
            number = int(self.parameters["partNumber"])
            if self.key.startswith(b"bad") and number == 2:
                raise Refused("InvalidPart")
            if self.key.startswith(b"slow"):
                time.sleep(0.7)
            parts[number] = self.body
            return self.answer(200, headers=[("etag", f'"tag&{number}"')])
        del uploads[name]
        if self.command == "DELETE":
            return self.answer(204)
        right = "".join(f"<Part><PartNumber>{n}</PartNumber><ETag>&quot;tag&amp;{n}&quot;</ETag></Part>" for n in sorted(parts))
        if self.body.decode() != f"<CompleteMultipartUpload>{right}</CompleteMultipartUpload>" or self.key.startswith(b"late"):
            return self.answer(200, b"<Error><Code>InvalidPart</Code></Error>")
        objects[self.place] = b"".join(parts[n] for n in sorted(parts))
        return self.answer(200, b"<CompleteMultipartUploadResult/>")


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], ConnectionError):  # the client has closed the connection
            super().handle_error(request, client_address)
    allow_reuse_address = True
    request_queue_size = 1000


with Server(("127.0.0.1", int(PORT)), Handler) as server:
    print(server.server_address[1], flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()
    os._exit(0)
