#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""state.py BUILD: what sharing the state costs, and how a hold-off is left.

Asking (guard_look) and telling of a failure (guard_tell), in microseconds,
with 1 and 256 scopes: by one process without a pause; by fifty that each do it
twenty times a second or so; and by fifty that begin at the same moment, once
each.  Then thirty `ankput` started together while a Retry-After is kept: when
their first requests arrive after it.  Prints one line a measurement.
"""
import collections
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

CLOUD = os.path.join(os.path.dirname(__file__), '..', 'cloud', 'cloud.py')
MANY = 50


def figures(times):
    """Median and p95."""
    times.sort()
    return (f'median {statistics.median(times):.0f}, p95 '
            f'{times[int(len(times) * .95)]:.0f}, most {times[-1]:.0f} us')


class Cost:
    def __init__(self, build, work):
        self.tool = os.path.join(build, 'ank-cost')
        self.work = work

    def file(self, scopes):
        path = os.path.join(self.work, f'cost-{scopes}', 'state.ndjson')
        if not os.path.exists(path):
            os.mkdir(os.path.dirname(path))
            subprocess.run([self.tool, 'fill', path, str(scopes)], check=True)
        return path

    def together(self, what, scopes, processes, times, pause):
        """Each one's times; scopes are shared when there are too few."""
        path, took, said = self.file(scopes), [], []
        children = [subprocess.Popen(
            [self.tool, what, path, str(times), str(i % scopes), str(pause)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True) for i in range(processes)]
        time.sleep(.1)
        for child in children:
            child.stdin.write('\n')
            child.stdin.flush()
        for child in children:
            out, err = child.communicate()
            took += [float(line) for line in out.split()]
            said += err.splitlines()
        return took, said

    def row(self, what, scopes, processes, times, pause, rounds):
        took, said = [], []
        for _ in range(rounds):
            more, words = self.together(what, scopes, processes, times, pause)
            took += more
            said += words
        how = ('one' if processes == 1 else f'{processes} at once' if not pause
               else f'{processes}, each every {pause / 2} ms')
        print(f'{what}, {scopes} scopes, {how}: {figures(took)}'
              f', {len(said)} dropped of {len(took)}')

    def table(self):
        for what in 'ask', 'tell':
            for scopes in 1, 256:
                self.row(what, scopes, 1, 2000, 0, 1)
                self.row(what, scopes, MANY, 50, 100, 1)
                self.row(what, scopes, MANY, 1, 0, 20)


class Spread:
    """Thirty runs behind one hold-off."""
    SECONDS, RUNS = 3, 30

    def __init__(self, build, work):
        self.dir = os.path.join(work, 'cloud')
        os.mkdir(self.dir)
        self.source = os.path.join(work, 'source')
        with open(self.source, 'w', encoding='ascii') as out:
            out.write('x' * 1000)
        scenario = os.path.join(work, 'scenario')
        with open(scenario, 'w', encoding='ascii') as out:
            json.dump({'rules': [{'op': 'put', 'nth': 1, 'status': 503,
                                  'headers': {'Retry-After': str(self.SECONDS)}
                                  }]}, out)
        self.cloud = subprocess.Popen(
            ['/usr/bin/python3', CLOUD, '--dir', self.dir, '--scenario',
             scenario])
        self.program = os.path.join(build, 'ankput')
        self.env = {'PATH': os.environ['PATH'], 'HOME': work,
                    'AWS_ACCESS_KEY_ID': 'AKIDANKTEST',
                    'AWS_SECRET_ACCESS_KEY':
                        'ank/test+SECRET/key0123456789abcdefghijk',
                    'AWS_REGION': 'us-east-1',
                    'ANK_ENDPOINT': f'http://127.0.0.1:{self.port()}'}

    def port(self):
        path = os.path.join(self.dir, 'port')
        while not os.path.exists(path):
            time.sleep(.01)
        with open(path, encoding='ascii') as file:
            return file.read().strip()

    def put(self, name, *options):
        return subprocess.Popen(
            [self.program, *options, self.source, f's3://bucket/{name}'],
            env=self.env, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)

    def log(self):
        with open(os.path.join(self.dir, 'log.ndjson'), encoding='utf-8') as f:
            return [json.loads(line) for line in f]

    def measure(self):
        first = self.put('first', '--retries', '0')
        first.wait()
        runs = [self.put(str(i)) for i in range(self.RUNS)]
        ends = [run.wait() for run in runs]
        begin, *rest = [line['time'] for line in self.log()]
        after = sorted(t - begin - self.SECONDS for t in rest)
        tenths = collections.Counter(int(t * 10) for t in after)
        print(f'{len(runs)} runs behind a Retry-After of {self.SECONDS} s: '
              f'{ends.count(0)} ended well with {len(rest)} requests, from '
              f'{after[0]:.3f} to {after[-1]:.3f} s after it; by tenths: '
              + ' '.join(str(tenths[i]) for i in range(max(tenths) + 1)))

    def end(self):
        self.cloud.terminate()
        self.cloud.wait()


def main(build):
    with tempfile.TemporaryDirectory() as work:
        Cost(build, work).table()
        spread = Spread(build, work)
        try:
            spread.measure()
        finally:
            spread.end()


if __name__ == '__main__':
    main(sys.argv[1])
