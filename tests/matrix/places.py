# SPDX-License-Identifier: MIT
"""Where the scenarios are played: each provider's address and credentials."""
import hashlib
import json
import os
import random
import re
import sys
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("ANK_BUILD", TOP)

sys.path.insert(0, os.path.join(TOP, "tests/lib"))
import check_report  # noqa: E402  pylint: disable=wrong-import-position

with open(os.path.join(TOP, "man/ank-report.schema.json"),
          encoding="utf-8") as schema:
    VALIDATOR = check_report.Validator(json.load(schema))


class Place:
    """A provider."""

    def __init__(self, service, url, part, env, base=""):
        self.service, self.url, self.part = service, url, part
        self.env, self.base = env, base

    def secrets(self, env):
        """What nobody may be told."""
        words = ("KEY", "TOKEN", "SECRET")
        given = [v for n, v in env.items() if v and not n.startswith("ANK_")
                 and not n.endswith("_ID") and any(w in n for w in words)]
        parts = [p.partition("sig=")[2] for v in given for p in v.split("&")]
        return given + [p for p in parts if p] \
            + [urllib.parse.unquote(p) for p in parts if p]

    def prepare(self, home):
        """Its files below HOME."""
        if self.service == "oci":
            prepare_oci(home)


def prepare_oci(home):
    """The configuration file and key of OCI's own tools."""
    with open(os.path.join(TOP, "tests/vectors/oci_signature_sdk.json"),
              encoding="utf-8") as f:
        key = json.load(f)["keys"]["fake-2048-a"]
    folder = os.path.join(home, ".oci")
    os.makedirs(folder)
    with open(os.path.join(folder, "key.pem"), "w", encoding="ascii") as f:
        f.write(key["pem_pkcs1"])
    with open(os.path.join(folder, "config"), "w", encoding="ascii") as f:
        f.write("[DEFAULT]\ntenancy=ocid1.tenancy.oc1..ank\n"
                "user=ocid1.user.oc1..ank\nfingerprint=%s\n"
                "key_file=~/.oci/key.pem\nregion=eu-frankfurt-1\n"
                % key["fingerprint_md5_of_public_der"])


MIB = 1 << 20
# What must never be seen of them.
SECRETS = {
    "s3": "ank/test+SECRET/key0123456789abcdefghijk",
    "gcs": "ya29.ank-test-token",
    "azure": "YW5rIHRlc3QgYWNjb3VudCBrZXkgMDEyMzQ1Njc4OQ==",
}
PLACES = {
    "s3": Place("s3", "s3://bucket/", 5 * MIB, {
        "AWS_ACCESS_KEY_ID": "AKIDANKTEST", "AWS_REGION": "us-east-1",
        "AWS_SECRET_ACCESS_KEY": SECRETS["s3"]}),
    "gcs": Place("gcs", "gs://bucket/", 5 * MIB, {
        "CLOUDSDK_AUTH_ACCESS_TOKEN": SECRETS["gcs"]}),
    "azure": Place("azure", "az://ankacct/bucket/", MIB, {
        "AZURE_STORAGE_ACCOUNT": "ankacct",
        "AZURE_STORAGE_KEY": SECRETS["azure"]}, "/ankacct"),
    "oci": Place("oci", "oci://anknamespace/bucket/", 5 * MIB, {}),
}


def shown_by(request):
    """What a request shows that a report may not: its signature, the address of
    a session."""
    for name, value in request["headers"]:
        if name.lower() == "authorization":
            yield re.search("[^=: ]{16,}=*\"?$", value).group().strip('"')
        if name.lower() in ("x-amz-security-token", "x-amz-signature"):
            yield value
    if "uploadType=resumable" in request["target"] and request["upload_id"]:
        yield request["upload_id"]


def size_of(place, text):
    """Bytes: terms of numbers and P, a provider's part, with + and -."""
    total = 0
    for sign, count, unit in re.findall(r"([+-]?)(\d*)(P?)", text):
        if not count and not unit:
            continue
        value = int(count or 1) * (place.part if unit else 1)
        total += -value if sign == "-" else value
    return total


def bytes_of(place, spec):
    """Always the same bytes of a spec, SIZE or SIZE:SEED."""
    size, _, seed = spec.partition(":")
    return random.Random(seed or "1").randbytes(size_of(place, size))


def object_id(key):
    """An object's file in the store of the fake cloud."""
    return hashlib.sha256(("bucket/" + key).encode()).hexdigest()


def checked(lines, status):
    """The lines of a report, and what is wrong with them."""
    if not lines:
        return [], []
    objects, wrong = check_report.check_lines(
        VALIDATOR, b"".join(line + b"\n" for line in lines))
    wrong += check_report.check_together(objects, status == 137, status)
    return objects, wrong
