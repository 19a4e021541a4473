#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The fake cloud: an object store on loopback that fails on request.

    cloud.py --dir DIR [--scenario FILE] [--port N] [--tls CERT KEY]

Writes DIR/port (and port2, port6, tls_port, blackhole_port) once it
listens, and DIR/log.ndjson. Ends on a signal, or when its parent has ended.
Python's standard library only. README.md explains scenarios.
"""
import argparse
import os
import socket
import ssl
import sys
import threading
import time

import scenario as scenarios
from server import Cloud


def options():
    """The command line."""
    p = argparse.ArgumentParser(description="a fake object store on loopback")
    p.add_argument("--dir", required=True)
    p.add_argument("--scenario", help="JSON file; - reads standard input")
    p.add_argument("--port", type=int, default=0)
    p.add_argument("--tls", nargs=2, metavar=("CERT", "KEY"))
    p.add_argument("--tls-port", type=int, default=0)
    p.add_argument("--client-ca", help="ask for a client certificate of it")
    p.add_argument("--anonymous", action="store_true",
                   help="unsigned requests are welcome")
    p.add_argument("--fake", action="store_true",
                   help="the client lives in virtual time")
    p.add_argument("--fake-now", type=int, metavar="MS",
                   help="where the client's virtual clock starts")
    p.add_argument("--fake-log", help="where the client logs its sleeps")
    return p.parse_args()


def read_scenario(name):
    """The text of the scenario file."""
    if name is None:
        return ""
    if name == "-":
        return sys.stdin.read()
    with open(name, encoding="utf-8") as f:
        return f.read()


def tls_context(pair, client_ca):
    """A server context with one certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*pair)
    context.set_alpn_protocols(["http/1.1"])
    if client_ca:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(client_ca)
    return context


def blackhole():
    """A port whose queue is full: connecting to it never ends.

    Returns the sockets that must stay open, the listener first.
    """
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(0)
    held = [listener]
    for _ in range(4):
        s = socket.socket()
        s.setblocking(False)
        s.connect_ex(listener.getsockname())
        held.append(s)
    return held


def publish(folder, ports):
    """Port files, each whole when it appears; DIR/port is the last one."""
    for name in sorted(ports, key=lambda n: n == "port"):
        path = os.path.join(folder, name)
        with open(path + ".tmp", "w", encoding="ascii") as f:
            f.write("%d\n" % ports[name])
        os.replace(path + ".tmp", path)


def main():
    """Start, then wait."""
    threading.stack_size(512 * 1024)
    args = options()
    os.makedirs(args.dir, exist_ok=True)
    try:
        scenario = scenarios.Scenario(read_scenario(args.scenario))
    except scenarios.Bad as problem:
        sys.exit("cloud.py: %s" % problem)
    if args.fake:
        scenario.settings["clock"]["fake"] = True
    if args.anonymous:
        scenario.settings["anonymous"] = True
    cloud = Cloud(args.dir, scenario, args.fake_now, args.fake_log)
    cloud.listen("port", args.port)
    cloud.listen("port2")
    try:
        cloud.listen("port6", cloud.ports["port"], host="::1")
    except OSError:
        pass                            # a machine without IPv6
    if args.tls:
        cloud.listen("tls_port", args.tls_port,
                     tls_context(args.tls, args.client_ca))
    held = blackhole() if scenario.settings["blackhole"] else []
    if held:
        cloud.ports["blackhole_port"] = held[0].getsockname()[1]
    publish(args.dir, cloud.ports)
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(0.5)


if __name__ == "__main__":
    main()
