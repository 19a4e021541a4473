#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Holds the cloud's own arithmetic against numbers that others published.

    check_vectors.py VECTOR-DIRECTORY

Prints a line a file; fails on the first file with a wrong number. The S3
cases go through the whole verifier, as if they had arrived by wire, and must
fail once a byte of them is changed.
"""
import base64
import json
import os
import posixpath
import sys
from urllib.parse import unquote_to_bytes

import azure
import azure_auth
import checksums
import clock as clocks
import oci_sign
import sigv4
from gcs_auth import GoogleVerifier
from wire import Request


def load(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as f:
        return json.load(f)["cases"]


def bytes_as_text(text):
    """UTF-8 as the wire module holds it: one character a byte."""
    return text.encode().decode("latin-1")


def normalized(path):
    """Dot segments folded, as services other than S3 want it."""
    folded = posixpath.normpath(path).replace("//", "/")
    return folded + "/" if path.endswith(("/", "/.", "/..")) \
        and folded != "/" else folded


def canonical_of_suite(case, expect):
    """The canonical request of a case of the general suite."""
    request = case["request"]
    path = bytes_as_text(request["path"])
    if case["options"]["normalize_path"]:
        path = normalized(path)
    headers = [(n, bytes_as_text(v)) for n, v in
               request["headers"] + expect.get("added_headers", [])]
    payload = expect["canonical_request"].rsplit("\n", 1)[1]
    signed = expect["canonical_request"].split("\n")[-2].split(";")
    text = sigv4.canonical_request(
        request["method"], sigv4.encode(path.encode("latin-1"), b"/"),
        sigv4.canonical_query(bytes_as_text(request["query_string"])),
        headers, signed, payload)
    return text


def check_suite(case):
    """Each stage of the general suite's header signing."""
    expect = case["expect_header"]
    canonical = canonical_of_suite(case, expect)
    assert canonical == expect["canonical_request"], canonical
    day = case["date"][:8]
    scope = "%s/%s/%s/aws4_request" % (day, case["region"], case["service"])
    text = sigv4.string_to_sign(canonical, case["date"], scope)
    assert text == expect["string_to_sign"], text
    got = sigv4.signature(case["credentials"]["secret_access_key"], day,
                          case["region"], case["service"], text)
    assert got == expect["signature"], got


def s3_request(case, spoil=None):
    """The request of an S3 case as it would arrive, and its query."""
    expect, asked = case["expect"], case["request"]
    query = asked["query_string"]
    headers = [("Host", asked["host"])]
    headers += [tuple(h) for h in asked["headers"]]
    if "url" in expect:
        query = expect["url"].partition("?")[2]
    else:
        headers += [("x-amz-date", case["date"]),
                    ("X-Amz-Content-Sha256", expect["x_amz_content_sha256"]),
                    ("Authorization", expect["authorization"])]
        if case["credentials"].get("session_token"):
            headers.append(("x-amz-security-token",
                            case["credentials"]["session_token"]))
    path = asked["path"] + ("x" if spoil == "path" else "")
    if spoil == "query":
        query += "&uploadId=x"
    target = path + ("?" + query if query else "")
    lines = ["%s %s HTTP/1.1" % (asked["method"], target)]
    lines += ["%s: %s" % h for h in headers]
    return Request("\r\n".join(lines).encode()), path, query


def verify(case, spoil=None):
    """The verifier's word on an S3 case."""
    given = case["credentials"]
    known = {"secret": given["secret_access_key"]}
    if given.get("session_token"):
        known["token"] = given["session_token"]
    clock = clocks.Clock({"now": clocks.parse_amz_date(case["date"])})
    verifier = sigv4.Verifier({given["access_key_id"]: known},
                              lambda bucket: case["region"], clock)
    request, path, query = s3_request(case, spoil)
    return verifier.check(request, path, query, case["bucket"])


def sends_unsignable(case):
    """The vector holds headers only a bad client leaves unsigned."""
    return {n.lower() for n, _ in case["request"]["headers"]
            if n.lower().startswith("x-amz-")} \
        - set(case["expect"]["signed_headers"].split(";"))


def check_s3(case):
    """Accepted as it is, refused when changed."""
    verdict = verify(case)
    if sends_unsignable(case):
        assert verdict.name == "AccessDenied", verdict
        return
    assert verdict.name == "ok", verdict
    for place in ("path", "query"):
        assert verify(case, place).name == "SignatureDoesNotMatch", place
    key = case.get("key")
    if key and case["request"]["path"].endswith("/" + sigv4.encode(
            key.encode(), b"/")):
        got = unquote_to_bytes(case["request"]["path"])
        assert got.endswith(key.encode()), got


def google_request(case, spoil=None):
    """The request of a case with a Google HMAC key as it would arrive."""
    asked, expect = case["request"], case["expect"]
    vendor = "goog" if case["algorithm"].startswith("GOOG") else "amz"
    payload = expect["canonical_request"].rsplit("\n", 1)[1]
    query = asked["query_string"]
    lines = ["%s %s%s%s HTTP/1.1" % (asked["method"], asked["path"],
                                     "x" if spoil == "path" else "",
                                     "?" + query if query else ""),
             "Host: " + asked["host"]]
    lines += ["%s: %s" % tuple(h) for h in asked["headers"]]
    lines += ["x-%s-date: %s" % (vendor, case["date"]),
              "x-%s-content-sha256: %s" % (vendor, payload),
              "Authorization: " + expect["authorization"]]
    return Request("\r\n".join(lines).encode())


def check_google(case):
    """Accepted as it is, refused when changed."""
    given = case["credentials"]
    clock = clocks.Clock({"now": clocks.parse_amz_date(case["date"])})
    verifier = GoogleVerifier({
        "keys": {given["access_id"]: {"secret": given["secret"]}},
        "tokens": {}, "anonymous": False, "clock": {}}, clock)
    for spoil, want in ((None, "ok"), ("path", "SignatureDoesNotMatch")):
        request = google_request(case, spoil)
        path, _, query = request.target.partition("?")
        got = verifier.check(request, path, query, case["bucket"])
        assert got.name == want, got


def azure_verdict(case, spoil=""):
    """The verifier's word on a request of Azure's."""
    asked, account = case["request"], case["account"]
    host = asked["url"].split("/")[2]
    headers = [("Host", host)] + [tuple(h) for h in asked["headers"]]
    headers += [("x-ms-date", case["date_header"]),
                ("Authorization", case["expect"]["authorization"])]
    target = asked["path"] + spoil
    if asked["query_string"]:
        target += "?" + asked["query_string"]
    lines = ["%s %s HTTP/1.1" % (asked["method"], target)]
    lines += ["%s: %s" % h for h in headers]
    request = Request("\r\n".join(lines).encode())
    clock = clocks.Clock({"now": clocks.parse_http_date(case["date_header"])})
    settings = {"accounts": {account: case["account_key_b64"]}, "clock": {}}
    route = azure.Route("any", account, "", b"", asked["path"] + spoil,
                        asked["query_string"], {})
    return azure_auth.Verifier(settings, clock).check(request, route)


def check_azure(case):
    """Accepted as it is, refused when changed."""
    if "request" not in case:
        assert azure_auth.mac(case["account_key_b64"], case["expect"][
            "string_to_sign"]) == case["expect"]["signature"]
        return
    verdict = azure_verdict(case)
    assert verdict.name == "ok", verdict
    assert azure_verdict(case, "x").name == azure_auth.BAD


def check_checksums(case):
    """Every CRC and hash of the table."""
    if "input_b64" in case:
        data = base64.b64decode(case["input_b64"])
    elif case["name"].startswith("a-"):
        data = b"a" * case["length"]
    else:
        data = bytes((i * 7 + 3) & 255 for i in range(case["length"]))
    for name in ("crc32", "crc32c", "crc64nvme", "sha1", "sha256", "md5"):
        got = checksums.of_bytes(name, data)
        assert got == case[name + "_b64"], (name, got)


def check_oci(case):
    """A request as it arrives, and its signature by arithmetic alone."""
    given, expect = case["request"], case["expect"]
    headers = dict(given["headers"] + expect["added_headers"],
                   host=given["host"], authorization=expect["authorization"])
    headers.setdefault(case["date_header"], case["date"])
    target = given["request_target"].partition(" ")[2]
    head = "%s %s HTTP/1.1" % (given["method"], target)
    request = Request("\r\n".join(
        [head] + ["%s: %s" % h for h in headers.items()]).encode())
    fields = oci_sign.parse(request.get("authorization"))
    text = oci_sign.signing_string(request,
                                   fields["headers"].lower().split(" "))
    assert text == bytes_as_text(expect["signing_string"]), text
    public = oci_sign.vector_key(case["key"])[0]
    raw = base64.b64decode(fields["signature"])
    assert oci_sign.verifies(public, text.encode("latin-1"), raw)
    assert not oci_sign.verifies(public, text.encode("latin-1") + b" ", raw)


FILES = {"aws_sigv4_suite.json": check_suite,
         "s3_doc_examples.json": check_s3,
         "s3_sigv4_sdk.json": check_s3,
         "gcs_hmac.json": check_google,
         "azure_sharedkey_sdk.json": check_azure,
         "azure_sharedkey_rules.json": check_azure,
         "oci_signature_docs.json": check_oci,
         "oci_signature_sdk.json": check_oci,
         "checksums.json": check_checksums}


def main():
    """All files; the number of bad cases is the exit status."""
    bad = 0
    for name, check in FILES.items():
        cases = load(sys.argv[1], name)
        for case in cases:
            try:
                check(case)
            except AssertionError as problem:
                bad += 1
                print("%s: %s: %s" % (name, case["name"], problem))
        print("%s: %d cases" % (name, len(cases)))
    return min(bad, 100)


if __name__ == "__main__":
    sys.exit(main())
