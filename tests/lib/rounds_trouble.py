# SPDX-License-Identifier: MIT
"""The trouble of rounds.py: rules for the fake cloud, at random.

What only S3's documents have is not asked of another service.
"""

PUT_OPS = ("put", "create", "part", "part", "part", "complete", "complete",
           "head", "abort", "list_parts", "status")
READ_OPS = ("head", "get")


def common(dice, size):
    """What may happen to any request."""
    return dice.choice([
        {"status": 503},
        {"status": 503, "headers": {"Retry-After": "2"}},
        {"status": 500},
        {"status": 429},
        {"s3_error": "SlowDown"},
        {"s3_error": "InternalError"},
        {"s3_error": "AccessDenied"},
        {"close_at": "status", "store": dice.random() < 0.5},
        {"rst_at": "status", "store": dice.random() < 0.5},
        {"close_at": "headers"},
        {"hang_at": "status", "store": dice.random() < 0.5},
        {"then": "close"},
        {"then": dice.choice(["stale-close", "stale-rst"])},
        {"delay_ms": dice.randrange(100)},
        {"close_at": "request:%d" % dice.randrange(size + 1)},
        {"rst_at": "request:%d" % dice.randrange(size + 1)},
        {"when": "headers", "status": 503, "then": "rst"},
        {"when": dice.randrange(size + 1), "s3_error": "SlowDown",
         "then": dice.choice(["finish", "rst", "read"])},
    ])


def of_get(dice, size):
    """What may happen to an answer with an object's bytes."""
    if dice.random() < 0.4:
        return common(dice, size)
    return dice.choice([
        {"close_at": dice.randrange(size + 1)},
        {"rst_at": dice.randrange(size + 1)},
        {"hang_at": dice.randrange(size + 1)},
        {"range": "ignore"},
        {"range": {"shift": dice.choice([-700, -1, 5])}},
        {"length": dice.choice(["chunked", "chunked-cut", "+10", "-10"])},
        {"headers": {"ETag": dice.choice([None, '"other"', 'W/"x"'])}},
        {"headers": {"Content-Range": None}},
        {"replace_object": {dice.choice(["flip", "touch"]): True}},
        {"s3_error": "NoSuchKey"},
        {"dribble_ms": 1, "dribble_bytes": 100000},
    ])


def of_upload(dice, service, op, size):
    """What may happen to a request of an upload in parts."""
    if dice.random() < 0.5:
        return common(dice, size)
    choices = [{"s3_error": "NoSuchUpload"}, {"abort_upload": True},
               {"s3_error": "RequestTimeout"}]
    if op == "complete" and service == "s3":
        choices += [{"early_200": True}, {"truncated_200": True},
                    {"empty_200": True}, {"error_in_200": "InternalError"},
                    {"error_in_200": "InternalError", "store": True},
                    {"early_200": True, "hang_at": 40}]
    return dice.choice(choices)


def lost(dice):
    """An answer that does not come, the work being done."""
    how = dice.choice([{"close_at": "status"}, {"rst_at": "status"},
                       {"hang_at": "status"}, {"status": 503},
                       {"close_at": "headers"}])
    return dict(how, store=True)


def rule(dice, r):
    """One rule of a scenario, for the round R."""
    if r.direction == "get":
        fault = of_get(dice, r.part)
        where = {"op": "get"}
    else:
        op = dice.choice(PUT_OPS + (READ_OPS if r.clobber else ()))
        where = {"op": op}
        if r.clobber and op in ("put", "complete") and dice.random() < 0.6:
            fault = lost(dice)
        elif op in ("part", "complete"):
            fault = of_upload(dice, r.service, op, r.part)
        else:
            fault = common(dice, r.part)
    # One change of the object, or there would be too many to compare with.
    late = 7 if where["op"] in ("get", "part") else 3
    first = dice.randrange(1, late)
    if dice.random() < 0.85 or "replace_object" in fault:
        nth = first
    else:
        nth = "%d-%s" % (first, first + 3 if r.again else "")
    return dict(where, nth=nth, **fault)


def overtaken(dice):
    """Somebody else's object comes to be while ours is on its way."""
    return {"op": dice.choice(["put", "complete"]), "nth": dice.choice([1, 2]),
            "replace_object": {"text": "theirs"}}


def rules(dice, r):
    """Those of the round R; at most one changes the object."""
    many = dice.choice([0, 1, 2, 3, 4, 6])
    found = [rule(dice, r) for _ in range(many)]
    if r.clobber and dice.random() < 0.2:
        found.insert(0, overtaken(dice))
    changes = [x for x in found if "replace_object" in x]
    for extra in changes[1:]:
        found.remove(extra)
    return found


def endings(dice, r):
    """How the first runs of a continued transfer are ended."""
    many = dice.randrange(1, 4) if r.again else 0
    return [dice.choice([("KILL", dice.randrange(8)), ("KILL", dice.randrange(4)),
                         ("TERM", dice.randrange(8)), ("INT", dice.randrange(6)),
                         ("deadline", dice.choice([1, 100, 1000, 40000])),
                         ("trouble", 0)]) for _ in range(many)]


def permanent(dice, r):
    """What ends a run for good."""
    op = "get" if r.direction == "get" else dice.choice(
        ["part", "part", "complete", "put", "create"])
    return {"op": op, "nth": dice.randrange(1, 5), "s3_error": "AccessDenied"}


def slowness(dice, r):
    """Some time for a signal to come in the middle of something."""
    op = "get" if r.direction == "get" else "part"
    slow = {"dribble_ms": 5, "dribble_bytes": 100000} if op == "get" else \
        {"delay_ms": 20}
    return [dict(slow, op=op)] if r.again and dice.random() < 0.6 else []
