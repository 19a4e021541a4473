#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""ranges.py BUILD [MIB]: a large GET in ranges and by one request, beside others.

Whole processes, run in turn so that all see the same machine; medians.  Needs
the variables that tests/servers/radosgw.bash exports and a bucket named bench;
with FAKE_CLOUD=URL the object is fetched from there instead (it has to be there
as bench/large).  Prints one line a program: wall time, CPU, rate, peak memory.
awscli is left out when it is not installed.
"""
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

from single import Bench, peak, run

TIMES = 3


class Ranges(Bench):
    def programs(self, dst):
        """(name, (argv, environment)) of each way to fetch bench/large."""
        for n in (1, 4):
            yield f'ank -P {n}', self.ank('ankget', '--no-state', '-P', str(n),
                                          's3://bench/large', dst)
        yield 'curl --aws-sigv4', self.curl(b'', '-o', dst, self.url('large'))
        if shutil.which('aws'):
            env = dict(self.env, HOME=os.environ['HOME'],
                       AWS_DEFAULT_REGION='us-east-1')
            yield 'awscli', (['aws', '--endpoint-url', self.endpoint, 's3',
                              'cp', '--quiet', 's3://bench/large', dst], env)

    def measure(self, size):
        dst = os.path.join(self.work, 'out')
        rows = list(self.programs(dst))
        seen = {name: [] for name, _ in rows}
        for _ in range(TIMES):
            for name, (argv, env) in rows:
                seen[name].append(run(argv, env))
                os.unlink(dst)
        for name, (argv, env) in rows:
            wall, cpu = (statistics.median(c) for c in zip(*seen[name]))
            print(f'{size} MiB GET: {name}: {wall:.2f} s wall, {cpu:.2f} s '
                  f'CPU, {size / wall:.0f} MiB/s, '
                  f'peak {peak(argv, env) / 1024:.0f} MiB', flush=True)


def main(build, size='1024'):
    os.environ.setdefault('RADOSGW_ACCESS', 'AKIDANKTEST')
    os.environ.setdefault('RADOSGW_SECRET',
                          'ank/test+SECRET/key0123456789abcdefghijk')
    os.environ.setdefault('RADOSGW_HTTP', os.environ.get('FAKE_CLOUD', ''))
    with tempfile.TemporaryDirectory() as work:
        bench = Ranges(os.path.abspath(build), work)
        if not os.environ.get('FAKE_CLOUD'):
            src = bench.file('large', int(size) << 20)
            subprocess.run(bench.curl(b'', '-X', 'PUT', bench.url(''))[0],
                           stdout=subprocess.DEVNULL, check=False)
            run(*bench.ank('ankput', '--no-state', src, 's3://bench/large'))
            os.unlink(src)
        bench.measure(int(size))


if __name__ == '__main__':
    main(*sys.argv[1:])
