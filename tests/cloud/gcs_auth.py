# SPDX-License-Identifier: MIT
"""Who may ask Google's store: bearer tokens and HMAC keys.

The HMAC is checked in both of its dialects, GOOG4 and AWS4; Google does not
take its own headers under an AWS signature.
"""
import sigv4
from sigv4 import AWS4, GOOG4, ok, refuse


class GoogleVerifier:
    """Checks requests against the tokens, the keys and the clock."""

    def __init__(self, settings, clock):
        age = settings["clock"].get("max_age", 900)
        self.tokens = settings["tokens"]
        self.anonymous = settings["anonymous"]
        self.dialects = {d.algorithm: sigv4.Verifier(
            settings["keys"], lambda bucket: None, clock, age,
            settings["anonymous"], d) for d in (AWS4, GOOG4)}

    @staticmethod
    def session():
        """A resumable session needs no more than its address."""
        return ok("session")

    def check(self, request, path, query, bucket):
        """The verdict on one request, body unseen."""
        given = request.get("authorization")
        word, _, rest = (given or "").partition(" ")
        if word.lower() == "bearer":
            return self._bearer(rest.strip())
        if given and word not in self.dialects:
            return refuse("InvalidSecurity", 403, "The provided security "
                          "credentials are not valid.")
        if not given:
            return ok("anonymous") if self.anonymous else \
                refuse("AccessDenied", 403, "Access denied.")
        if word == AWS4.algorithm and any(
                n.lower().startswith("x-goog-") for n, _ in request.headers):
            return refuse("InvalidArgument", 400, "x-goog-* headers do not "
                          "go with an AWS signature.")
        return self.dialects[word].check(request, path, query, bucket)

    def _bearer(self, token):
        known = self.tokens.get(token)
        if known is None or known.get("expired"):
            return refuse("AuthenticationRequired", 401,
                          "Authentication required.")
        return ok()

    @staticmethod
    def unsigned(request):
        """Headers a careful signer would have covered."""
        word = (request.get("authorization") or "").partition(" ")[0]
        return [] if word.lower() == "bearer" else sigv4.unsigned_headers(
            request, GOOG4 if word == GOOG4.algorithm else AWS4)
