# SPDX-License-Identifier: MIT
"""What an instance of Oracle's cloud shows to be given a token, verified by
openssl(1) and oci_sign."""
import base64
import json
import os
import subprocess

import clock as clocks
import oci_sign

PLACES = {"/opc/v2/instance/regionInfo": "oci-region",
          "/opc/v2/identity/cert.pem": "oci-cert",
          "/opc/v2/identity/intermediate.pem": "oci-between",
          "/opc/v2/identity/key.pem": "oci-key", "/v1/x509": "oci-x509"}


def openssl(*args, data=b""):
    """What openssl(1) prints."""
    return subprocess.run(["openssl", *args], input=data, check=True,
                          stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout


def der_of(path):
    """A certificate's bytes in base64."""
    return base64.b64encode(openssl("x509", "-in", path, "-outform", "DER")
                            ).decode()


def public_of(der):
    """Modulus and exponent of a public key."""
    return oci_sign.der_integers(openssl(
        "rsa", "-pubin", "-inform", "DER", "-RSAPublicKey_out", "-outform",
        "DER", data=der))


class Request:
    """As oci_sign looks at one."""

    def __init__(self, ask):
        self.method, self.target = ask["method"], ask["path"]
        self.pairs = ask["pairs"]

    def all(self, name):
        """The values of a header."""
        return [v for n, v in self.pairs if n.lower() == name]


def trouble(ask, want, folder):
    """Why a request for a token is refused, or None; its key is then in
    FOLDER/session.der."""
    headers, body = ask["headers"], json.loads(ask["body"])
    if ask["method"] != "POST" or set(body) != {
            "certificate", "intermediateCertificates", "publicKey", "purpose"}:
        return "members %s" % sorted(body)
    cert = os.path.join(folder, "cert.pem")
    if body["certificate"] != der_of(cert) or body["purpose"] != "DEFAULT" \
            or body["intermediateCertificates"] != [
                    der_of(os.path.join(folder, "between.pem"))]:
        return "certificates"
    sha1 = openssl("x509", "-in", cert, "-noout", "-fingerprint", "-sha1")
    key_id = "%s/fed-x509/%s" % (
        want["tenancy"], sha1.decode().strip().partition("=")[2].lower())
    fields = oci_sign.parse(headers.get("authorization"))
    if not fields or fields["keyId"] != key_id:
        return "keyId %s" % headers.get("authorization")
    names = fields["headers"].split(" ")
    if set(names) != oci_sign.PLAIN | oci_sign.BODY | {"date"}:
        return "signs %s" % names
    text = oci_sign.signing_string(Request(ask), names)
    public = public_of(openssl("pkey", "-pubin", "-outform", "DER",
                               data=openssl("x509", "-in", cert, "-pubkey",
                                            "-noout")))
    if not oci_sign.verifies(public, text.encode(),
                             base64.b64decode(fields["signature"])):
        return "bad signature"
    digest = base64.b64encode(openssl("dgst", "-sha256", "-binary",
                                      data=ask["body"])).decode()
    if headers["x-content-sha256"] != digest:
        return "digest"
    if abs(clocks.parse_http_date(headers["date"]) - ask["now"]) > 300:
        return "clock"
    with open(os.path.join(folder, "session.der"), "wb") as f:
        f.write(base64.b64decode(body["publicKey"]))
    return None


def give(place, folder, conf, now):
    """Content type and text of what is asked for."""
    if place == "oci-region":
        return "application/json", json.dumps(conf["give"]["oci-region"])
    if place == "oci-x509":
        def part(value):
            return base64.urlsafe_b64encode(json.dumps(value).encode()
                                            ).decode().rstrip("=")
        said = conf["give"]["oci-x509"]
        claims = {"exp": int(now) + said.get("lasts", 1200), "sub": "ÿ?>~"}
        return "application/json", json.dumps({"token": ".".join(
            (part({"alg": "RS256"}), part(claims), said["token"]))})
    name = {"oci-cert": "cert.pem", "oci-between": "between.pem",
            "oci-key": "key.pem"}[place]
    with open(os.path.join(folder, name), encoding="ascii") as f:
        return "text/plain", f.read()
