# SPDX-License-Identifier: MIT
"""The cloud as an HTTP proxy: CONNECT to loopback, and its refusals.

GET http://host/path (absolute form) needs nothing here: it is routed like any
other request. Every host name leads to 127.0.0.1, so a test may use the real
names of a cloud.
"""
import base64
import select
import socket
import time

import clock as clocks
from answers import Answer


def connect(connection, request):
    """Answer a CONNECT; the tunnel lasts until one side ends it."""
    cloud = connection.cloud
    host, _, port = request.target.rpartition(":")
    rule = cloud.scenario.find("connect", "CONNECT", path=request.target)
    status = rule.status or _permission(cloud, request)
    upstream = None
    if status == 200 and rule.at != "status":
        upstream = _dial(port)
        status = 200 if upstream else 502
    cloud.log.end({
        "time": time.time(), "op": "connect", "method": "CONNECT",
        "target": request.target, "host": host, "headers": request.headers,
        "conn": connection.number, "rule": rule.number, "status": status,
        "listener": connection.listener, "ending": rule.how or "tunnel"})
    if upstream is None:
        return _refuse(connection, rule, status)
    connection.wire.send(b"HTTP/1.1 200 Connection established\r\n\r\n")
    _pump(connection.wire.sock, upstream, bytes(connection.wire.buf))
    return False


def _permission(cloud, request):
    want = cloud.settings["proxy_auth"]
    if want is None:
        return 200
    token = base64.b64encode(want.encode()).decode()
    return 200 if request.get("proxy-authorization") == "Basic " + token \
        else 407


def _dial(port):
    try:
        return socket.create_connection(("127.0.0.1", int(port)), 5)
    except (OSError, ValueError):
        return None


def _refuse(connection, rule, status):
    """No tunnel: a status of the proxy's own."""
    answer = Answer(status, [("Content-Type", "text/plain")],
                    (rule.body or "the proxy says no\n").encode())
    if status == 407:
        answer.set("Proxy-Authenticate", 'Basic realm="proxy"')
    for name, value in rule.headers.items():
        answer.set(name, clocks.fill(value, connection.cloud.clock,
                                     connection.cloud.names()))
    return connection.player.play(answer, rule, False)


def _pump(one, other, first):
    """Copy both ways until either side ends."""
    if first:
        other.sendall(first)
    pair = {one: other, other: one}
    while True:
        for ready in select.select([one, other], [], [])[0]:
            try:
                data = ready.recv(65536)
                if not data:
                    raise OSError
                pair[ready].sendall(data)
            except OSError:
                one.close()
                other.close()
                return
