#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""single.py BUILD: what one request costs beside curl, against radosgw.

Whole processes, run in turn so that both see the same machine; medians of the
paired runs.  Needs the variables that tests/servers/radosgw.bash exports and a
bucket named bench.  Prints one line a measurement.

Rows: 1 KiB PUT and GET (wall time beside `curl --aws-sigv4`), 256 MiB PUT and
GET (CPU beside curl without a signature plus one pass of sha256), peak memory.
"""
import hashlib
import os
import statistics
import subprocess
import sys
import tempfile
import time

SMALL, LARGE = 1024, 256 << 20


def run(argv, env):
    """(wall s, CPU s) of one process that has to succeed."""
    begun = time.perf_counter()
    child = subprocess.Popen(argv, env=env, stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - begun
    if status != 0:
        sys.exit(f'failed ({status}): {" ".join(argv)}')
    return wall, usage.ru_utime + usage.ru_stime


def peak(argv, env):
    """Peak KiB, by GNU time: our own size would count in a child of ours."""
    out = subprocess.run(['/usr/bin/time', '-f', '%M', *argv], env=env,
                         stderr=subprocess.PIPE, check=True, text=True)
    return int(out.stderr.split()[-1])


def pairs(times, *commands):
    """Medians of (wall, CPU) for each command, run in turn."""
    seen = [[] for _ in commands]
    for _ in range(times):
        for at, (argv, env) in enumerate(commands):
            seen[at].append(run(argv, env))
    return [tuple(statistics.median(column) for column in zip(*runs))
            for runs in seen]


class Bench:
    def __init__(self, build, work):
        self.build, self.work = build, work
        self.endpoint = os.environ['RADOSGW_HTTP']
        self.keys = (os.environ['RADOSGW_ACCESS'],
                     os.environ['RADOSGW_SECRET'])
        self.env = {'PATH': os.environ['PATH'], 'HOME': work,
                    'AWS_ACCESS_KEY_ID': self.keys[0],
                    'AWS_SECRET_ACCESS_KEY': self.keys[1],
                    'AWS_REGION': 'us-east-1', 'ANK_ENDPOINT': self.endpoint}

    def file(self, name, size):
        path = os.path.join(self.work, name)
        with open(path, 'wb') as out:
            for _ in range(size >> 20):
                out.write(os.urandom(1 << 20))
            out.write(os.urandom(size & ((1 << 20) - 1)))
        return path

    def ank(self, *argv):
        return [os.path.join(self.build, argv[0]), '--report', 'none',
                *argv[1:]], self.env

    def curl(self, body, *argv):
        """This curl signs, but leaves hashing an upload to its user."""
        digest = hashlib.sha256(body).hexdigest()
        return ['/usr/bin/curl', '-q', '-sS', '--fail', '--aws-sigv4',
                'aws:amz:us-east-1:s3', '--user', ':'.join(self.keys),
                '-H', f'x-amz-content-sha256: {digest}', *argv], self.env

    def url(self, key):
        return f'{self.endpoint}/bench/{key}'

    def small(self):
        src, dst = self.file('small', SMALL), os.path.join(self.work, 'out')
        rows = [('PUT', self.ank('ankput', src, 's3://bench/s'),
                 self.curl(open(src, 'rb').read(), '-T', src, self.url('s'))),
                ('GET', self.ank('ankget', 's3://bench/s', dst),
                 self.curl(b'', '-o', dst, self.url('s')))]
        for name, ours, theirs in rows:
            (wall, _), (other, _) = pairs(61, ours, theirs)
            print(f'1 KiB {name}: ank {wall * 1e3:.1f} ms, curl --aws-sigv4 '
                  f'{other * 1e3:.1f} ms, ratio {wall / other:.2f}, '
                  f'peak {peak(*ours) / 1024:.1f} MiB')

    def large(self):
        src, dst = self.file('large', LARGE), os.path.join(self.work, 'out')
        sha = ['openssl', 'dgst', '-sha256', src], self.env
        unsigned = ['/usr/bin/curl', '-q', '-sS', '--fail']
        rows = [('PUT', self.ank('ankput', src, 's3://bench/l'),
                 (unsigned + ['-T', src, self.url('l2')], self.env)),
                ('GET', self.ank('ankget', 's3://bench/l', dst),
                 (unsigned + ['-o', dst, self.url('l')], self.env))]
        for name, ours, theirs in rows:
            (wall, cpu), (cwall, ccpu), (_, hcpu) = pairs(
                7, ours, theirs, sha)
            print(f'256 MiB {name}: ank {wall:.2f} s wall, {cpu:.2f} s CPU; '
                  f'curl unsigned {cwall:.2f} s wall, {ccpu:.2f} s CPU; sha256 '
                  f'{hcpu:.2f} s CPU; CPU ratio {cpu / (ccpu + hcpu):.2f}; '
                  f'peak {peak(*ours) / 1024:.1f} MiB')


def main(build):
    with tempfile.TemporaryDirectory() as work:
        bench = Bench(build, work)
        bench.small()
        bench.large()


if __name__ == '__main__':
    main(sys.argv[1])
