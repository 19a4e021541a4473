#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""OpenStack Swift with its S3 interface, all of it in this one process.

    swift_s3api.py DIR

The account, container and object servers and two proxies in front of them
share one event loop; objects live in memory, the rest in DIR. Each listens on a
port that the system chose. Those of the proxies are printed once all of them
do: the one of the S3 interface, which checks signatures, and that of Swift's
own interface, which asks nobody who he is and so shows what is stored. There is
one container, "round".
"""
import eventlet

eventlet.monkey_patch()

import os  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402

from eventlet import wsgi  # noqa: E402
from swift.common.ring import RingBuilder  # noqa: E402
from swift.common.swob import Request  # noqa: E402
from swift.common.utils import NullLogger, set_swift_dir  # noqa: E402
from swift.common.wsgi import SwiftHttpProtocol, loadapp  # noqa: E402

S3_PIPELINE = "catch_errors s3api tempauth copy slo dlo proxy-server"
OWN_PIPELINE = "catch_errors slo dlo proxy-server"
BACKENDS = {"account": "account", "container": "container",
            "object": "mem_object"}

SWIFT_CONF = """
[swift-hash]
swift_hash_path_prefix = ank
swift_hash_path_suffix = ank
"""

BACKEND_CONF = """
[DEFAULT]
swift_dir = {dir}
devices = {dir}/srv
mount_check = false
disable_fallocate = true
log_address = {dir}/nolog
[pipeline:main]
pipeline = server
[app:server]
use = egg:swift#{app}
"""

# An account is made when it is first used. Without the ACLs of S3 a bucket is
# the account's, whoever made it.
PROXY_CONF = """
[DEFAULT]
swift_dir = {dir}
log_address = {dir}/nolog
[pipeline:main]
pipeline = {pipeline}
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:s3api]
use = egg:swift#s3api
location = {region}
s3_acl = false
[filter:tempauth]
use = egg:swift#tempauth
user_{account}_{user} = {secret} .admin
[filter:copy]
use = egg:swift#copy
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
"""


class NoCache:
    """Stands where memcached would: tempauth wants one, but not for S3."""

    def get(self, *_, **__):
        return None

    def set(self, *_, **__):
        pass

    delete = set


def with_cache(app):
    """The proxy as the pipeline made it, with a cache that forgets."""
    cache = NoCache()

    def call(environ, start_response):
        environ["swift.cache"] = cache
        return app(environ, start_response)
    return call


def write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    return path


def make_ring(folder, name, port):
    """One device, one copy of everything."""
    builder = RingBuilder(1, 1, 1)
    builder.add_dev({"region": 1, "zone": 1, "ip": "127.0.0.1", "port": port,
                     "device": "d1", "weight": 1.0})
    builder.rebalance()
    builder.get_ring().save(os.path.join(folder, name + ".ring.gz"))


def serve(socket, app):
    eventlet.spawn(wsgi.server, socket, app, NullLogger(),
                   protocol=SwiftHttpProtocol, socket_timeout=60,
                   capitalize_response_headers=False)


def start_backends(folder):
    for name, app in BACKENDS.items():
        socket = eventlet.listen(("127.0.0.1", 0))
        make_ring(folder, name, socket.getsockname()[1])
        conf = write(os.path.join(folder, name + ".conf"),
                     BACKEND_CONF.format(dir=folder, app=app))
        serve(socket, loadapp(conf))


def start_proxy(folder, name, pipeline):
    """Returns the port and, without what stands before it, the proxy."""
    account, user = os.environ["SWIFT_ACCESS"].split(":")
    conf = write(os.path.join(folder, name + ".conf"), PROXY_CONF.format(
        dir=folder, pipeline=pipeline, region=os.environ["SWIFT_REGION"],
        account=account, user=user, secret=os.environ["SWIFT_SECRET"]))
    app = loadapp(conf)
    socket = eventlet.listen(("127.0.0.1", 0))
    serve(socket, with_cache(app))
    return socket.getsockname()[1], app


def make_container(app):
    account = os.environ["SWIFT_ACCESS"].split(":")[0]
    made = Request.blank(f"/v1/AUTH_{account}/round",
                         environ={"REQUEST_METHOD": "PUT"}).get_response(app)
    if made.status_int != 201:
        sys.exit(f"no container: {made.status}")


def start(folder):
    """Returns the two ports."""
    os.makedirs(os.path.join(folder, "srv", "d1"))
    write(os.path.join(folder, "swift.conf"), SWIFT_CONF)
    set_swift_dir(folder)
    start_backends(folder)
    own, app = start_proxy(folder, "own", OWN_PIPELINE)
    make_container(app)
    return start_proxy(folder, "s3", S3_PIPELINE)[0], own


def main():
    # Swift reads the zone of its time stamps from the environment.
    os.environ["TZ"] = "UTC+0"
    time.tzset()
    print(*start(os.path.abspath(sys.argv[1])), flush=True)
    while True:
        eventlet.sleep(3600)


if __name__ == "__main__":
    main()
