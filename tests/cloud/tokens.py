#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The places that give credentials, on loopback: STS, the SSO portal, the
metadata services of instances and containers, OAuth's token endpoints.

    tokens.py --dir DIR [--fake-now MS]

Reads DIR/tokens.json anew for each request:

    "give":  what is given, by place: {"sts": {"id", "secret", "token", "lasts"}}
    "rules": [{"place": "sts", "nth": 1, "status": 503, "headers": {...},
               "body": "...", "hang": true, "close": true}]
    "keys":  {ID: {"secret", "token"}}: who may ask STS
    "want":  {"sso": TOKEN, "web": TOKEN, "container": TOKEN, ...}
    "date_offset": seconds by which its clock is ahead

Writes DIR/port and DIR/tokens.ndjson, a line a request: place, method, path,
query, headers, form, why (what was wrong with it; absent: nothing) and status.
Each thing that a request must show is checked with code of its own; an
assertion by openssl(1).
"""
import argparse
import base64
import email.utils
import hashlib
import hmac
import json
import os
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

import oci_instance
import sigv4

SESSION = "imds-SESSION-token/0123456789=="
ROLE = "the-role"
STS = "https://sts.amazonaws.com/doc/2011-06-15/"


class Wrong(Exception):
    """A request that lacks what it must show: status and why."""

    def __init__(self, status, why, code="AccessDenied"):
        super().__init__(why)
        self.status, self.why, self.code = status, why, code


def need(condition, status, why, code="AccessDenied"):
    """Refuse unless CONDITION."""
    if not condition:
        raise Wrong(status, why, code)


def place_of(path, form):
    """Which of the services a path belongs to."""
    if path == "/latest/api/token":
        return "imds-session"
    if path == "/latest/meta-data/iam/security-credentials/":
        return "imds-role"
    if path.startswith("/latest/meta-data/iam/security-credentials/"):
        return "imds-keys"
    if path == "/federation/credentials":
        return "sso"
    if path.startswith("/container"):
        return "container"
    if form.get("Action") == "AssumeRole":
        return "sts"
    if form.get("Action") == "AssumeRoleWithWebIdentity":
        return "web"
    return {"/token": "google", "/exchange": "google-sts",
            "/subject": "subject",
            "/computeMetadata/v1/instance/service-accounts/default/token":
            "gce", "/metadata/identity/oauth2/token": "azure-imds",
            "/msi/token": "azure-app", **oci_instance.PLACES}.get(path) or (
                "impersonate" if path.endswith(":generateAccessToken")
                else "entra" if path.endswith("/oauth2/v2.0/token")
                else "unknown")


def check_sigv4(ask, keys):
    """The signature of a request to STS."""
    headers = ask["headers"]
    auth = sigv4.parse_header(headers.get("authorization", ""),
                              headers.get("x-amz-date"))
    need(auth, 403, "no signature", "MissingAuthenticationToken")
    need(auth.service == "sts" and auth.terminator == "aws4_request", 403,
         "scope of %s" % auth.service, "SignatureDoesNotMatch")
    known = keys.get(auth.key)
    need(known, 403, "unknown key %s" % auth.key, "InvalidClientTokenId")
    need(known.get("token") == headers.get("x-amz-security-token"), 403,
         "wrong session token", "InvalidClientTokenId")
    need(not known.get("expired"), 403, "expired", "ExpiredToken")
    need(set(auth.signed) >= {"host", "x-amz-date", "content-type"} |
         ({"x-amz-security-token"} if known.get("token") else set()), 403,
         "not all is signed", "SignatureDoesNotMatch")
    claimed = time.mktime(time.strptime(auth.amz_date, "%Y%m%dT%H%M%SZ")) \
        - time.timezone
    if abs(claimed - ask["now"]) > 300:
        raise Wrong(403, "Signature expired: %s is now earlier than what I "
                    "like" % auth.amz_date, "SignatureDoesNotMatch")
    canonical = sigv4.canonical_request(
        ask["method"], ask["path"], sigv4.canonical_query(ask["query_text"]),
        ask["pairs"], auth.signed, hashlib.sha256(ask["body"]).hexdigest())
    scope = "/".join((auth.date, auth.region, auth.service, auth.terminator))
    text = sigv4.string_to_sign(canonical, auth.amz_date, scope)
    want = sigv4.signature(known["secret"], auth.date, auth.region,
                           auth.service, text)
    need(hmac.compare_digest(want, auth.signature), 403, "bad signature",
         "SignatureDoesNotMatch")
    ask["signed_by"], ask["region"] = auth.key, auth.region


def unbase64(text):
    """base64url without padding."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def check_jwt(ask, want, folder):
    """An assertion of Google's kind, verified by openssl(1)."""
    parts = ask["form"].get("assertion", "").split(".")
    need(len(parts) == 3, 400, "no assertion", "invalid_grant")
    head, claims = (json.loads(unbase64(p)) for p in parts[:2])
    ask["claims"], ask["jwt_head"] = claims, head
    need(head.get("alg") == "RS256" and head.get("typ", "JWT") == "JWT", 400,
         "bad head", "invalid_grant")
    name = os.path.join(folder, "assertion-%d" % threading.get_ident())
    with open(name, "wb") as f:
        f.write(unbase64(parts[2]))
    done = subprocess.run(
        ["openssl", "dgst", "-sha256", "-verify", want["public_key"],
         "-signature", name], input=".".join(parts[:2]).encode(),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    os.unlink(name)
    need(done.returncode == 0, 400, "bad signature", "invalid_grant")
    need(claims.get("iss") == want["email"], 400, "iss", "invalid_grant")
    need(claims["exp"] - claims["iat"] <= 3600, 400, "exp", "invalid_grant")
    if not claims["iat"] - 300 <= ask["now"] <= claims["exp"]:
        raise Wrong(400, "Invalid JWT: Token must be a short-lived token "
                    "(60 minutes) and in a reasonable timeframe.",
                    "invalid_grant")


def check(place, ask, conf, folder):
    """What each place wants to be shown."""
    headers, form, query = ask["headers"], ask["form"], ask["query"]
    want = conf.get("want", {})
    if place == "unknown":
        raise Wrong(404, "no such place: %s" % ask["path"], "NotFound")
    if place == "imds-session":
        need(ask["method"] == "PUT", 405, "not PUT")
        need(headers.get("x-aws-ec2-metadata-token-ttl-seconds", "").isdigit(),
             400, "no ttl")
        need("x-forwarded-for" not in headers, 403, "forwarded")
    elif place.startswith("imds-"):
        token = headers.get("x-aws-ec2-metadata-token")
        need(token == SESSION or (token is None and conf.get("v1")), 401,
             "session token %s" % token)
    elif place == "sso":
        need(headers.get("x-amz-sso_bearer_token") == want["sso"], 401,
             "bearer", "UnauthorizedException")
        need(set(query) == {"role_name", "account_id"}, 400, "query")
    elif place == "container":
        need(headers.get("authorization") == want.get("container"), 401,
             "authorization %s" % headers.get("authorization"))
    elif place == "sts":
        check_sigv4(ask, conf.get("keys", {}))
    elif place == "web":
        need("authorization" not in headers, 400, "signed")
        need(form.get("WebIdentityToken") == want["web"], 400, "token",
             "InvalidIdentityToken")
    elif place == "google":
        if form.get("grant_type") == "refresh_token":
            need({n: form.get(n) for n in want["refresh"]} == want["refresh"],
                 400, "Token has been expired or revoked.", "invalid_grant")
        else:
            need(form.get("grant_type") ==
                 "urn:ietf:params:oauth:grant-type:jwt-bearer", 400,
                 "grant_type", "unsupported_grant_type")
            check_jwt(ask, want["jwt"], folder)
    elif place == "subject":
        need(headers.get("x-subject") == want.get("subject_header"), 401,
             "header")
    elif place in ("google-sts", "entra"):
        need({n: form.get(n) for n in want[place]} == want[place], 400,
             "form %s" % form, "invalid_client")
    elif place == "impersonate":
        need(headers.get("authorization") == "Bearer " + want["impersonate"],
             401, "bearer", "UNAUTHENTICATED")
        ask["body_json"] = json.loads(ask["body"])
        need(ask["body_json"].get("lifetime") == want.get("lifetime", "3600s"),
             400, "body")
    elif place == "gce":
        need(headers.get("metadata-flavor") == "Google", 403, "flavor")
    elif place == "oci-x509":
        why = oci_instance.trouble(ask, want["oci"], folder)
        need(not why, 401, why, "NotAuthenticated")
    elif place.startswith("oci-"):
        need(headers.get("authorization") == "Bearer Oracle", 401, "bearer")
    elif place == "azure-imds":
        need(headers.get("metadata") == "true", 400, "Metadata")
        need(query.get("api-version") == "2018-02-01" and
             query.get("resource") == "https://storage.azure.com", 400, "query")
        need(query.get("client_id") == want.get("client_id"), 400, "client")
    elif place == "azure-app":
        need(headers.get("x-identity-header") == want["identity_header"], 401,
             "header")
        need(query.get("api-version") == "2019-08-01", 400, "query")


def iso(seconds):
    """A moment as AWS writes it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def sts_xml(action, keys, ends):
    """What STS answers."""
    return ('<%sResponse xmlns="%s"><%sResult><AssumedRoleUser><Arn>arn</Arn>'
            '</AssumedRoleUser><Credentials><AccessKeyId>%s</AccessKeyId>'
            '<SecretAccessKey>%s</SecretAccessKey><SessionToken>%s'
            '</SessionToken><Expiration>%s</Expiration></Credentials></%sResult>'
            '</%sResponse>' % (action, STS, action, keys["id"], keys["secret"],
                               keys["token"], iso(ends), action, action))


def give(place, ask, conf, folder):
    """Content type and text of what is asked for."""
    if place == "imds-session":
        return "text/plain", SESSION
    if place == "imds-role":
        return "text/plain", ROLE
    if place.startswith("oci-"):
        return oci_instance.give(place, folder, conf, ask["now"])
    name = "imds" if place == "imds-keys" else place
    keys = conf["give"][name]
    if isinstance(keys, list):          # one after the other
        keys = keys[min(ask["nth"], len(keys)) - 1]
    if isinstance(keys, str):
        return "text/plain", keys
    lasts = keys.get("lasts", 3600)
    ends = ask["now"] + lasts
    if place == "sts":
        return "text/xml", sts_xml("AssumeRole", keys, ends)
    if place == "web":
        return "text/xml", sts_xml("AssumeRoleWithWebIdentity", keys, ends)
    if place == "sso":
        return "application/json", json.dumps({"roleCredentials": {
            "accessKeyId": keys["id"], "secretAccessKey": keys["secret"],
            "sessionToken": keys["token"], "expiration": int(ends * 1000)}})
    if place in ("container", "imds-keys"):
        return "application/json", json.dumps({
            "Code": "Success", "Type": "AWS-HMAC", "AccessKeyId": keys["id"],
            "SecretAccessKey": keys["secret"], "Token": keys["token"],
            "Expiration": iso(ends)})
    if place == "impersonate":
        return "application/json", json.dumps(
            {"accessToken": keys["token"], "expireTime": iso(ends)})
    return "application/json", json.dumps(dict(
        {"access_token": keys["token"], "token_type": "Bearer",
         "expires_in": str(lasts) if place.startswith("azure") else lasts},
        **keys.get("more", {})))


def refusal(place, wrong):
    """How the place says no."""
    if place in ("sts", "web"):
        return "text/xml", (
            '<ErrorResponse xmlns="%s"><Error><Type>Sender</Type><Code>%s'
            '</Code><Message>%s</Message></Error><RequestId>r-1</RequestId>'
            '</ErrorResponse>' % (STS, wrong.code, wrong.why))
    if place in ("google", "google-sts", "entra"):
        return "application/json", json.dumps(
            {"error": wrong.code, "error_description": wrong.why})
    return "application/json", json.dumps(
        {"code": wrong.code, "message": wrong.why})


class Handler(BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"
    server_version = "tokens"

    def log_message(self, *_):
        """The log is ours."""

    def _conf(self):
        with open(os.path.join(self.server.folder, "tokens.json"),
                  encoding="utf-8") as f:
            return json.load(f)

    def _ask(self, conf):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        url = urlsplit(self.path)
        kind = self.headers.get("content-type", "")
        return {"method": self.command, "path": url.path, "body": body,
                "query_text": url.query, "query": dict(parse_qsl(url.query)),
                "pairs": list(self.headers.items()),
                "headers": {n.lower(): v for n, v in self.headers.items()},
                "form": dict(parse_qsl(body.decode()))
                if kind == "application/x-www-form-urlencoded" else {},
                "now": self.server.now() + conf.get("date_offset", 0)}

    def _rule(self, conf, place, nth):
        for rule in conf.get("rules", []):
            low, _, high = str(rule.get("nth", "1-999")).partition("-")
            if rule["place"] == place and int(low) <= nth <= int(high or low):
                return rule
        return {}

    def _serve(self):
        conf = self._conf()
        ask = self._ask(conf)
        place = place_of(ask["path"], ask["form"])
        nth = ask["nth"] = self.server.count(place)
        rule = self._rule(conf, place, nth)
        why, status = None, 200
        try:
            check(place, ask, conf, self.server.folder)
        except Wrong as wrong:
            why, status = wrong.why, wrong.status
            kind, text = refusal(place, wrong)
        time.sleep(rule.get("delay_ms", 0) / 1000)
        if rule.get("status"):
            status = rule["status"]
            kind, text = rule.get("type", "application/json"), \
                rule.get("body", "")
        elif status == 200:
            kind, text = give(place, ask, conf, self.server.folder)
        self.server.note(dict(
            place=place, nth=nth, method=self.command, path=ask["path"],
            query=ask["query"], headers=ask["headers"], form=ask["form"],
            body_len=len(ask["body"]), why=why, status=status,
            **{n: ask[n] for n in ("signed_by", "region", "claims", "jwt_head",
                             "body_json")
               if n in ask}))
        if rule.get("hang"):
            self._hang()
        if rule.get("close") or rule.get("hang"):
            self.close_connection = True
            return
        self._answer(status, kind, text, rule, place, ask["now"])

    def _hang(self):
        mark = os.path.join(self.server.folder, "hang")
        with open(mark, "w", encoding="ascii"):
            pass
        self.connection.recv(1)
        os.unlink(mark)

    def _answer(self, status, kind, text, rule, place, now):
        data = text.encode()
        self.send_response_only(status)
        headers = {"Date": email.utils.formatdate(now, usegmt=True),
                   "Content-Type": kind, "Content-Length": str(len(data))}
        if place == "gce":
            headers["Metadata-Flavor"] = "Google"
        headers.update(rule.get("headers", {}))
        for name, value in headers.items():
            if value is not None:
                self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    do_GET = do_PUT = do_POST = _serve  # pylint: disable=invalid-name


class Server(ThreadingHTTPServer):
    """Counts and logs."""

    daemon_threads = True

    def __init__(self, folder, fake_now_ms):
        super().__init__(("127.0.0.1", 0), Handler)
        self.folder, self.fake_now_ms = folder, fake_now_ms
        self.lock = threading.Lock()
        self.counts = {}

    def now(self):
        """The moment, by the client's virtual clock where it has one."""
        return self.fake_now_ms / 1000 if self.fake_now_ms else time.time()

    def count(self, place):
        """How many requests came to PLACE, this one included."""
        with self.lock:
            self.counts[place] = self.counts.get(place, 0) + 1
            return self.counts[place]

    def note(self, line):
        """One line of the log."""
        with self.lock, open(os.path.join(self.folder, "tokens.ndjson"), "a",
                             encoding="utf-8") as f:
            f.write(json.dumps(line) + "\n")

    def handle_error(self, request, client_address):
        """A client that went is no error; anything else is told."""
        import sys
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


def main():
    """Listen until the parent has ended."""
    p = argparse.ArgumentParser()
    p.add_argument("--dir", required=True)
    p.add_argument("--fake-now", type=int)
    p.add_argument("--tls", nargs=2, metavar=("CERT", "KEY"))
    args = p.parse_args()
    server = Server(args.dir, args.fake_now)
    if args.tls:
        import ssl
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*args.tls)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    path = os.path.join(args.dir, "port")
    with open(path + ".tmp", "w", encoding="ascii") as f:
        f.write("%d\n" % server.server_address[1])
    os.replace(path + ".tmp", path)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(0.5)


if __name__ == "__main__":
    main()
