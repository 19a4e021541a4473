#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""large.py BUILD [MIB]: one large object put and fetched, beside other clients.

Each client in turn, whole processes, against radosgw (tests/servers, started
with RADOSGW_BYTES large enough for one object a client and a bucket named
bench that everybody may write); those that are not installed are left out.
Prints one line a client: wall, CPU and peak memory of both ways.
"""
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile


def timed(argv, env):
    """(wall s, CPU s, peak MiB), by GNU time; None when it failed."""
    out = subprocess.run(['/usr/bin/time', '-f', '%e %U %S %M', *argv],
                         env=env, stdin=subprocess.DEVNULL,
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                         text=True)
    if out.returncode != 0:
        return None
    wall, user, system, peak = map(float, out.stderr.split()[-4:])
    return wall, user + system, peak / 1024


def clients(build, src, dst):
    """name: (environment, command to put, command to get)."""
    url = os.environ['RADOSGW_HTTP']
    host = url.split('//')[1]
    key, secret = os.environ['RADOSGW_ACCESS'], os.environ['RADOSGW_SECRET']
    env = {'PATH': os.environ['PATH'], 'HOME': os.path.dirname(src),
           'AWS_ACCESS_KEY_ID': key, 'AWS_SECRET_ACCESS_KEY': secret,
           'AWS_REGION': 'us-east-1', 'AWS_DEFAULT_REGION': 'us-east-1',
           'ANK_ENDPOINT': url, 'ANK_NO_STATE': '1', 'ANK_REPORT': 'none',
           'S3_ACCESS_KEY_ID': key, 'S3_SECRET_ACCESS_KEY': secret,
           'S3_HOSTNAME': host, 'RCLONE_S3_PROVIDER': 'Ceph',
           'RCLONE_S3_ENDPOINT': url, 'RCLONE_S3_ACCESS_KEY_ID': key,
           'RCLONE_S3_SECRET_ACCESS_KEY': secret}
    ankput, ankget = (os.path.join(build, p) for p in ('ankput', 'ankget'))
    aws = ['aws', '--endpoint-url', url, 's3', 'cp', '--quiet']
    s3cmd = ['s3cmd', '-q', '--no-ssl', f'--host={host}',
             f'--host-bucket={host}', f'--access_key={key}',
             f'--secret_key={secret}', '--force']
    curl = ['curl', '-q', '-sS', '--fail']
    signed = ['--aws-sigv4', 'aws:amz:us-east-1:s3', '--user',
              f'{key}:{secret}', '-H',
              f'x-amz-content-sha256: {hashlib.sha256().hexdigest()}']
    return {
        'ank': (env, [ankput, src, 's3://bench/ank'],
                [ankget, 's3://bench/ank', dst]),
        'ank -P 1': (env, [ankput, '-P', '1', src, 's3://bench/one'],
                     [ankget, '-P', '1', 's3://bench/one', dst]),
        'curl, PUT unsigned': (env, curl + ['-T', src, f'{url}/bench/curl'],
                               curl + signed + ['-o', dst,
                                                f'{url}/bench/ank']),
        'awscli': (env, aws + [src, 's3://bench/aws'],
                   aws + ['s3://bench/aws', dst]),
        'rclone': (env, ['rclone', 'copyto', src, ':s3:bench/rclone'],
                   ['rclone', 'copyto', ':s3:bench/rclone', dst]),
        's3cmd': (env, s3cmd + ['put', src, 's3://bench/s3cmd'],
                  s3cmd + ['get', 's3://bench/s3cmd', dst]),
        'libs3': (env, ['s3', '-u', 'put', 'bench/libs3', f'filename={src}'],
                  ['s3', '-u', 'get', 'bench/libs3', f'filename={dst}']),
    }


def tell(way, cost):
    if cost is None:
        return f'{way} failed'
    return f'{way} {cost[0]:.2f} s, CPU {cost[1]:.2f} s, {cost[2]:.0f} MiB'


def main(build, mib):
    with tempfile.TemporaryDirectory() as work:
        src, dst = os.path.join(work, 'src'), os.path.join(work, 'dst')
        with open(src, 'wb') as out:
            for _ in range(mib):
                out.write(os.urandom(1 << 20))
        for name, (env, put, get) in clients(build, src, dst).items():
            if not shutil.which(put[0]):
                continue
            costs = tell('PUT', timed(put, env)), tell('GET', timed(get, env))
            if os.path.exists(dst):
                os.remove(dst)
            print(f'{mib} MiB, {name}: {"; ".join(costs)}', flush=True)


if __name__ == '__main__':
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1024)
