# SPDX-License-Identifier: MIT
"""The fake cloud of a round of rounds.py, and who asks it."""
import base64
import hashlib
import json
import os
import subprocess
import sys
import time
import zlib

TOP = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
NOW = 1700000000000
OBJECT = hashlib.sha256(b"bucket/k").hexdigest()
URLS = {"s3": "s3://bucket/k", "gcs": "gs://bucket/k",
        "azure": "az://ankacct/bucket/k", "oci": "oci://anknamespace/bucket/k"}
KEY, SECRET = "AKIDANKTEST", "ank/test+SECRET/key0123456789abcdefghijk"


class Cloud:
    """A fake cloud for one round."""

    def __init__(self, where, settings):
        self.dir = where
        os.makedirs(where)
        with open(where + "/scenario.json", "w", encoding="utf-8") as file:
            json.dump(settings, file)
        self.process = subprocess.Popen(
            [sys.executable, TOP + "/tests/cloud/cloud.py", "--dir", where,
             "--scenario", where + "/scenario.json", "--fake", "--fake-now",
             str(NOW), "--fake-log", where + "/sleeps"],
            stdin=subprocess.DEVNULL)
        while not os.path.exists(where + "/port"):
            if self.process.poll() is not None:
                raise OSError("the cloud did not start")
            time.sleep(0.01)
        with open(where + "/port", encoding="ascii") as file:
            self.url = "http://127.0.0.1:" + file.read().strip()

    def seed(self, data, summed):
        """An object that is there from the beginning."""
        path = "%s/objects/%s" % (self.dir, OBJECT)
        with open(path, "wb") as file:
            file.write(data)
        if summed:
            crc = base64.b64encode(zlib.crc32(data).to_bytes(4, "big"))
            with open(path + ".json", "w", encoding="ascii") as file:
                json.dump({"etag": '"%s"' % hashlib.md5(data).hexdigest(),
                           "modified": int(time.time()), "headers": {},
                           "checksums": {"crc32": crc.decode()}}, file)

    def stored(self):
        """The object's bytes, or None."""
        try:
            with open("%s/objects/%s" % (self.dir, OBJECT), "rb") as file:
                return file.read()
        except FileNotFoundError:
            return None

    def checksums(self):
        """Those that are kept with the object."""
        with open("%s/objects/%s.json" % (self.dir, OBJECT),
                  encoding="utf-8") as file:
            return json.load(file)["checksums"]

    def uploads(self):
        """How many are neither completed nor aborted."""
        return sum(os.path.exists("%s/uploads/%s/upload.json" %
                                  (self.dir, name))
                   for name in os.listdir(self.dir + "/uploads"))

    def stop(self):
        """Ends it."""
        self.process.terminate()
        self.process.wait()

    def seen(self):
        """How many requests are logged by now."""
        try:
            with open(self.dir + "/log.ndjson", "rb") as file:
                return file.read().count(b"\n")
        except FileNotFoundError:
            return 0

    def log(self):
        """All requests, once none is under way."""
        for _ in range(300):
            if not os.path.exists(self.dir + "/busy"):
                break
            time.sleep(0.01)
        try:
            with open(self.dir + "/log.ndjson", encoding="utf-8") as file:
                return [json.loads(line) for line in file]
        except FileNotFoundError:
            return []


def oci_config(home):
    """~/.oci/config, with the key that the fake cloud knows."""
    with open(TOP + "/tests/vectors/oci_signature_sdk.json",
              encoding="utf-8") as file:
        key = json.load(file)["keys"]["fake-2048-a"]
    os.makedirs(home + "/.oci", exist_ok=True)
    with open(home + "/.oci/key.pem", "w", encoding="ascii") as file:
        file.write(key["pem_pkcs1"])
    with open(home + "/.oci/config", "w", encoding="ascii") as file:
        file.write("[DEFAULT]\ntenancy=ocid1.tenancy.oc1..ank\n"
                   "user=ocid1.user.oc1..ank\nfingerprint=%s\n"
                   "key_file=~/.oci/key.pem\nregion=eu-frankfurt-1\n"
                   % key["fingerprint_md5_of_public_der"])


def credentials(service, home, by_key):
    """What each service is asked with."""
    if service == "s3":
        return {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET,
                "AWS_REGION": "us-east-1"}
    if service == "azure":
        return {"AZURE_STORAGE_ACCOUNT": "ankacct", "AZURE_STORAGE_KEY":
                "YW5rIHRlc3QgYWNjb3VudCBrZXkgMDEyMzQ1Njc4OQ=="}
    if service == "gcs" and by_key:
        return {"GS_ACCESS_KEY_ID": KEY, "GS_SECRET_ACCESS_KEY": SECRET}
    if service == "gcs":
        return {"CLOUDSDK_AUTH_ACCESS_TOKEN": "ya29.ank-test-token"}
    oci_config(home)
    return {}


def environment(where, cloud, r):
    """As the harness has it for a program of virtual time."""
    account = "/ankacct" if r.service == "azure" else ""
    return {"PATH": os.environ["PATH"], "HOME": where, "LC_ALL": "C.UTF-8",
            "ANK_NO_STATE": "1", "ANK_ENDPOINT": cloud.url + account,
            "ANK_FAKE_NOW": str(NOW), "ANK_FAKE_LOG": cloud.dir + "/sleeps",
            "ANK_FAKE_SEED": str(r.number), "ANK_FAKE_HANG":
            cloud.dir + "/hang", "AZURE_TOKEN_CREDENTIALS":
            "EnvironmentCredential", "METADATA_SERVER_DETECTION": "none",
            "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "exitcode=99"),
            } | credentials(r.service, where, r.by_key)
