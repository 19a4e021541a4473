# SPDX-License-Identifier: MIT
"""What a rule makes of an answer: its own one, its headers, its lies."""
import os

import clock as clocks
from answers import Answer


class Dress:
    """One rule at work on the answer to one request."""

    def __init__(self, cloud, rule, request, route):
        self.cloud, self.rule = cloud, rule
        self.request, self.route = request, route

    def canned(self):
        """The answer the rule brings."""
        rule = self.rule
        answer = Answer(rule.status or 200)
        code = rule.s3_error or rule.error_in_200
        if code:
            status = 200 if rule.error_in_200 else rule.status
            answer = self.cloud.service.error(
                self.route, code, rule.message, status,
                **self._filled(rule.fields))
        if rule.body is not None:
            answer.body = self._fill(rule.body).encode("utf-8")
        if rule.body_file is not None:
            with open(rule.body_file, "rb") as f:
                answer.body = f.read()
        if rule.body_size is not None:
            answer.body = b"x" * rule.body_size
        answer.length = len(answer.body)
        return answer

    def spoil(self, answer):
        """Another range than the one asked for, or less of a 200."""
        if answer.status == 206 and isinstance(self.rule.range, dict):
            self._shift(answer, self.rule.range)
        if answer.status == 200 and self.rule.truncated_200:
            answer.body = answer.body[:len(answer.body) // 2]
            answer.length = len(answer.body)
        if answer.status == 200 and self.rule.empty_200:
            answer.body, answer.length = b"", 0
        return answer

    @staticmethod
    def _shift(answer, lie):
        size = os.path.getsize(answer.file)
        answer.start = max(0, min(size - 1,
                                  answer.start + lie.get("shift", 0)))
        answer.length = min(answer.length, size - answer.start)
        answer.set("Content-Range", "bytes %d-%d/%d" % (
            answer.start, answer.start + answer.length - 1,
            lie.get("total", size)))

    def headers(self, answer):
        """Headers every answer has, then those of the rule."""
        answer.headers = self.cloud.service.greeting(
            self.cloud.log.number + 1) + [
                ("Date", clocks.imf_fixdate(self.cloud.clock.date()
                                            + self.rule.date_offset))
            ] + answer.headers
        for name, value in self.rule.headers.items():
            answer.set(name, None)
            for one in value if isinstance(value, list) else [value]:
                if one is not None:
                    answer.headers.append((name, self._fill(str(one))))
        return answer

    def _fill(self, text):
        return clocks.fill(text, self.cloud.clock,
                           self.cloud.names(self.request, self.route))

    def _filled(self, fields):
        return {n: self._fill(v) for n, v in fields.items()}
