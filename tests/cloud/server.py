# SPDX-License-Identifier: MIT
"""Connections: reads requests, finds their rule, logs them, has them answered.

One thread a connection; the log is written before the first byte of an answer,
so a test may read it as soon as its client has ended. Where that cannot be
(an answer sent before the body was read), the file DIR/busy exists until the
line is written.
"""
import json
import os
import socket
import ssl
import threading
import time

import clock as clocks
import proxy
from answers import Answer
from azure import Azure
from dress import Dress
from gcs import Gcs
from oci import Oci
from play import Hangs, Player
from s3 import S3
from store import Store
from wire import BadRequest, Body, Gone, Request, Spool, Wire

SERVICES = {"s3": S3, "gcs": Gcs, "azure": Azure, "oci": Oci}


class Log:
    """DIR/log.ndjson, a line a request; DIR/connections.ndjson."""

    def __init__(self, folder):
        self.file = open(os.path.join(folder, "log.ndjson"), "a",
                         encoding="utf-8")
        self.ended = open(os.path.join(folder, "connections.ndjson"), "a",
                          encoding="utf-8")
        self.busy_path = os.path.join(folder, "busy")
        self.lock = threading.Lock()
        self.number = 0
        self.busy = 0

    def begin(self):
        """A request has arrived whose line is not written yet."""
        with self.lock:
            self.busy += 1
            if self.busy == 1:
                with open(self.busy_path, "w", encoding="ascii"):
                    pass

    def end(self, line=None):
        """Write its line."""
        with self.lock:
            if line is not None:
                self.number += 1
                self.file.write(json.dumps(dict(n=self.number, **line)) + "\n")
                self.file.flush()
            self.busy -= 1
            if self.busy == 0:
                os.unlink(self.busy_path)

    def connection(self, number, acked):
        """A connection is over; ACKED bytes had reached the client."""
        with self.lock:
            self.ended.write(json.dumps({"conn": number, "acked": acked})
                             + "\n")
            self.ended.flush()


class Cloud:
    """All that the connections share."""

    def __init__(self, folder, scenario, fake_now_ms=None, fake_log=None):
        self.folder = folder
        self.scenario = scenario
        settings = scenario.settings
        self.settings = settings
        self.clock = clocks.Clock(settings["clock"], fake_now_ms, fake_log)
        self.store = Store(folder, self.clock, settings)
        self.service = SERVICES[settings["service"]](
            settings, self.store, self.clock)
        self.log = Log(folder)
        self.hangs = Hangs(os.path.join(folder, "hang"),
                           settings["blackhole"])
        self.ports = {}
        self.lock = threading.Lock()
        self.connections = 0

    def listen(self, name, port=0, tls=None, host="127.0.0.1"):
        """Open a listener; its port goes to DIR/NAME when all is ready."""
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.socket(family)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if self.scenario.cuts_requests() or self.scenario.reads_slowly():
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 32768)
        listener.bind((host, port))
        listener.listen(512)
        self.ports[name] = listener.getsockname()[1]
        threading.Thread(target=self._accept, args=(listener, name, tls),
                         daemon=True).start()

    def _accept(self, listener, name, tls):
        while True:
            sock, _ = listener.accept()
            with self.lock:
                self.connections += 1
                number = self.connections
            connection = Connection(self, Wire(sock), number, name)
            threading.Thread(target=connection.run, args=(tls,),
                             daemon=True).start()

    def names(self, request=None, route=None):
        """The words a template may use."""
        names = dict(self.ports, region=self.settings["region"])
        if route:
            names.update(bucket=route.bucket, path=route.path)
        if request:
            names.update(target=request.target, host=request.get("host"))
        return names


class Connection:
    """One client connection from accept to its end."""

    def __init__(self, cloud, wire, number, listener):
        self.cloud, self.wire = cloud, wire
        self.number, self.listener = number, listener
        self.player = Player(wire, cloud.hangs)
        self.stale = None
        self.tls = False

    def run(self, tls):
        """Serve until somebody ends it."""
        try:
            if not self._accepted():
                return
            if tls:
                self.wire.sock = tls.wrap_socket(self.wire.sock,
                                                 server_side=True)
                self.tls = True
            while self._one():
                pass
        except (Gone, ssl.SSLError, ConnectionError):
            pass
        except BadRequest as problem:
            self._bad(problem)
        finally:
            self.wire.close(notify=True)
            self.cloud.log.connection(self.number, self.wire.acked)

    def _accepted(self):
        """A rule for op accept ends the connection before a byte is read."""
        rule = self.cloud.scenario.find("accept")
        if rule.how is None:
            return True
        self.cloud.log.begin()
        self.cloud.log.end({"op": "accept", "conn": self.number,
                            "rule": rule.number, "ending": rule.how})
        if rule.how == "rst":
            self.wire.wait_talk(0.5)    # so that it is no failed connect
        return self.player.cut(rule)

    def _bad(self, problem):
        """Something that is not HTTP: log it, answer 400."""
        self.cloud.log.begin()
        self.cloud.log.end({"op": "bad", "conn": self.number,
                            "why": str(problem), "status": 400})
        try:
            self.wire.send(b"HTTP/1.1 400 Bad Request\r\n"
                           b"Connection: close\r\nContent-Length: 0\r\n\r\n")
        except Gone:
            pass

    def _one(self):
        """One request; True when another may follow."""
        head = self.wire.read_head()
        self.cloud.log.begin()
        try:
            request = Request(head)
        except BadRequest:
            self.cloud.log.end()
            raise
        if request.method == "CONNECT":
            return proxy.connect(self, request)
        return Exchange(self, request).run()


class Exchange:
    """One request and its answer."""

    def __init__(self, connection, request):
        self.connection, self.cloud = connection, connection.cloud
        self.wire, self.player = connection.wire, connection.player
        self.request = request
        self.route = self.cloud.service.route(request)
        self.verdict = self.cloud.service.check(request, self.route)
        self.spool = Spool(self.cloud.store.new_spool(),
                           *self.cloud.service.spooling(request, self.route))
        self.body = Body(self.wire, request, self.spool)
        self.logged = False
        self.status = None
        self.upload_id = self.route.args.get("uploadId")
        self.bodyless = request.method == "HEAD"

    def run(self):
        """True when the connection may carry another request."""
        try:
            if self.connection.stale:
                return self._stale()
            self.rule = self._find_rule()
            self.dress = Dress(self.cloud, self.rule, self.request,
                               self.route)
            return self._serve()
        finally:
            self.spool.discard()
            self._log("gone")

    def _find_rule(self):
        route = self.route
        return self.cloud.scenario.find(
            route.op, self.request.method, route.bucket,
            route.key.decode("utf-8", "surrogateescape"), route.path,
            {n.lower() for n, _ in self.request.headers}, route.part)

    def _stale(self):
        """The connection was kept only to break under the next request."""
        rule, self.rule = self.connection.stale, self.cloud.scenario.default
        self._log("stale")
        if rule.then == "stale-rst":
            self.wire.reset()
        else:
            self.wire.close(notify=False)
        return False

    def _serve(self):
        rule = self.rule
        self._disturb()
        stop = rule.request_cut()
        if stop is not None:
            return self._cut_request(stop)
        early = self._early()
        if early is None:
            self._continue()
        self._read(early)
        answer = self._answer(early)
        self.status = answer.status
        if not (rule.then == "read" and not self.body.complete):
            self._log(rule.how or rule.then)
        keep = self.player.play(answer, rule, self.bodyless
                                or answer.status in (204, 304))
        return keep and self._next(answer)

    def _read(self, upto):
        """Read the body, as slowly as the rule says."""
        if self.rule.read_ms:
            self.wire.block = self.rule.read_bytes
        while self.rule.read_ms and not self.body.complete:
            at = self.spool.length + self.rule.read_bytes
            if upto is not None and at > upto:
                break
            self.body.read(at)
            time.sleep(self.rule.read_ms / 1000)
        self.body.read(upto)

    def _next(self, answer):
        """The answer is out and the connection stands."""
        if self.rule.then == "read":
            self.body.read()
            self._log("read")
        if self.rule.then.startswith("stale"):
            self.connection.stale = self.rule
        if not self.body.complete or answer.get("connection") == "close" \
                or self.request.get("connection", "").lower() == "close":
            self.wire.finish()
            return False
        return True

    def _disturb(self):
        """What somebody else does to the object just before."""
        route, store = self.route, self.cloud.store
        if self.rule.replace_object is not None:
            store.replace(route.bucket, route.key, self.rule.replace_object)
        if self.rule.delete_object:
            store.delete(route.bucket, route.key)
        if self.rule.abort_upload:
            self.cloud.service.forget(route)

    def _cut_request(self, stop):
        """Read STOP bytes of the body, then end, answer nothing."""
        self._continue()
        self.body.read(stop)
        if self.rule.does_work():
            self._work()
        self._log(self.rule.how)
        return self.player.cut(self.rule, reading_stopped=True)

    def _early(self):
        """Body bytes to read before answering; None for all of them."""
        if self.rule.before_body is not None:
            return self.rule.before_body
        if self.request.expects_continue():
            if self.rule.expect == 417:
                return 0
            if not self.rule.canned() and self._refusal():
                return 0
        return None

    def _refusal(self):
        return self.cloud.service.refusal(self.verdict, self.request,
                                          self.route)

    def _continue(self):
        """Answer an Expect header as the rule says."""
        expect = self.rule.expect
        if not self.request.expects_continue() or expect == "ignore":
            return
        if isinstance(expect, dict):
            time.sleep(expect.get("delay_ms", 0) / 1000)
        self.wire.send(b"HTTP/1.1 100 Continue\r\n\r\n")

    def _work(self):
        """What the service itself does and answers."""
        self.request.keeps = self.rule.persist
        answer = self._refusal() or self.cloud.service.answer(
            self.request, self.route, self.spool)
        self.upload_id = answer.upload_id or self.upload_id
        return answer

    def _answer(self, early):
        rule = self.rule
        if rule.range == "ignore":
            self.request.headers = [h for h in self.request.headers
                                    if h[0].lower() not in
                                    ("range", "x-ms-range")]
        if rule.expect == 417 and self.request.expects_continue():
            return self.dress.headers(Answer(417))
        worked = None
        if early is not None and not rule.canned():
            worked = self._refusal()
        if worked is None and rule.does_work() and self.body.complete:
            worked = self._work()
        if rule.canned() or worked is None:
            worked = self.dress.canned()
        return self.dress.headers(self.dress.spoil(worked))

    def _log(self, ending):
        """The request's line; only the first call counts."""
        if self.logged:
            return
        self.logged = True
        request, route = self.request, self.route
        self.cloud.log.end({
            "time": time.time(), "op": route.op, "method": request.method,
            "target": request.target, "version": request.version,
            "bucket": route.bucket,
            "key": route.key.decode("utf-8", "replace"),
            "part": route.part, "upload_id": self.upload_id,
            "headers": request.headers, "body_len": self.spool.length,
            "body_sha256": self.spool.sha256.hexdigest(),
            "body_complete": self.body.complete,
            "conn": self.connection.number,
            "listener": self.connection.listener,
            "tls": self.connection.tls,
            "signature": self.verdict.name,
            "signature_why": self.verdict.message,
            "unsigned": self.cloud.service.unsigned(request),
            "canonical": self.cloud.service.canonical(route),
            "rule": self.rule.number, "status": self.status,
            "ending": ending})
