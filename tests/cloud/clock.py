# SPDX-License-Identifier: MIT
"""The fake cloud's clock, and the text templates that speak of it.

Why not time.time(): a scenario may set the clock wrong on purpose, and the
client under test may live in virtual time. Three ways to tell the time:

real     the machine's clock + offset (or a fixed "now" that goes on from there)
fake     the client's virtual clock: its start and the sleeps it logged
         (--fake-now, --fake-log); without these, the first x-amz-date seen
"""
import calendar
import os
import re
import time
import uuid

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
LONG_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday",
             "Saturday", "Sunday")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep",
          "Oct", "Nov", "Dec")


def imf_fixdate(epoch):
    """Sun, 06 Nov 1994 08:49:37 GMT, whatever the locale says."""
    t = time.gmtime(int(epoch))
    return "%s, %02d %s %04d %02d:%02d:%02d GMT" % (
        DAYS[t.tm_wday], t.tm_mday, MONTHS[t.tm_mon - 1], t.tm_year,
        t.tm_hour, t.tm_min, t.tm_sec)


def rfc850(epoch):
    """Sunday, 06-Nov-94 08:49:37 GMT, the obsolete form."""
    t = time.gmtime(int(epoch))
    return "%s, %02d-%s-%02d %02d:%02d:%02d GMT" % (
        LONG_DAYS[t.tm_wday], t.tm_mday, MONTHS[t.tm_mon - 1],
        t.tm_year % 100, t.tm_hour, t.tm_min, t.tm_sec)


def asctime(epoch):
    """Sun Nov  6 08:49:37 1994, C's form."""
    t = time.gmtime(int(epoch))
    return "%s %s %2d %02d:%02d:%02d %04d" % (
        DAYS[t.tm_wday], MONTHS[t.tm_mon - 1], t.tm_mday, t.tm_hour,
        t.tm_min, t.tm_sec, t.tm_year)


def iso8601(epoch):
    """2013-05-24T00:00:00.000Z, the form inside S3's XML."""
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(int(epoch)))


def parse_amz_date(text):
    """Epoch seconds of 20130524T000000Z, None when it is not one."""
    if not re.fullmatch(r"\d{8}T\d{6}Z", text or ""):
        return None
    try:
        return calendar.timegm(time.strptime(text, "%Y%m%dT%H%M%SZ"))
    except ValueError:
        return None


def parse_http_date(text):
    """Epoch seconds of an IMF-fixdate, None for anything else."""
    m = re.fullmatch(r"\w{3}, (\d\d) (\w{3}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT",
                     text or "")
    if not m or m.group(2) not in MONTHS:
        return None
    day, month, year, h, mi, s = m.groups()
    return calendar.timegm((int(year), MONTHS.index(month) + 1, int(day),
                            int(h), int(mi), int(s)))


class Clock:
    """What time the server believes it is."""

    def __init__(self, spec, fake_now_ms=None, fake_log=None):
        self.fake = spec.get("fake", False)
        self.offset = spec.get("offset", 0)
        self.date_offset = spec.get("date_offset", 0)
        self.fixed = spec.get("now")
        self.fake_now_ms = fake_now_ms
        self.fake_log = fake_log
        self.started = time.time()
        self.first_seen = None
        self.last_seen = None

    def saw(self, date):
        """Learn the client's virtual time from a request's own date."""
        epoch = parse_amz_date(date) or parse_http_date(date)
        if epoch is not None:
            self.first_seen = self.first_seen or epoch
            self.last_seen = epoch

    def now(self):
        """Epoch seconds by the server's own clock."""
        return self._base() + self.offset

    def date(self):
        """What the Date header says: now, plus the lie told to all."""
        return self.now() + self.date_offset

    def _base(self):
        if self.fake:
            return self._virtual()
        if self.fixed is not None:
            return self.fixed + (time.time() - self.started)
        return time.time()

    def _virtual(self):
        if self.fake_now_ms is not None:
            return (self.fake_now_ms + self._slept_ms()) / 1000
        # A client that corrects its clock must not drag ours along.
        seen = self.first_seen if self.offset else self.last_seen
        return time.time() if seen is None else seen

    def _slept_ms(self):
        if not self.fake_log or not os.path.exists(self.fake_log):
            return 0
        with open(self.fake_log, encoding="ascii", errors="replace") as f:
            words = (line.split() for line in f)
            return sum(int(w[1]) for w in words
                       if len(w) == 2 and w[0] == "sleep" and w[1].isdigit())


TEMPLATE = re.compile(r"\{(date|rfc850|asctime|epoch)([+-]\d+)?\}|\{(\w+)\}")
FORMS = {"date": imf_fixdate, "rfc850": rfc850, "asctime": asctime,
         "epoch": lambda t: str(int(t))}


def fill(text, clock, names):
    """Replace {date+3}, {hex32} and the given names in a header or body."""
    def one(match):
        form, plus, name = match.groups()
        if form:
            return FORMS[form](clock.now() + int(plus or 0))
        if name == "hex32":
            return uuid.uuid4().hex
        return str(names[name]) if name in names else match.group(0)
    return TEMPLATE.sub(one, text)
