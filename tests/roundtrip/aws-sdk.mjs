// SPDX-License-Identifier: MIT
// Amazon's client of S3, for tests/roundtrip/aws_sdk.bats:
//
//   node aws-sdk.mjs NODE-DIR ENDPOINT COMMAND ARG...
//
// NODE-DIR holds node_modules; the environment holds the credentials. All that
// the client does by default, checksums among it, it does here as well.
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

const [, , nodeDir, endpoint, command, ...args] = process.argv;
const load = createRequire(`${nodeDir}/`);
const {
  GetObjectCommand, HeadObjectCommand, PutObjectCommand, S3Client,
} = load('@aws-sdk/client-s3');
const { Upload } = load('@aws-sdk/lib-storage');

const Bucket = 'round';
const client = new S3Client({ endpoint, forcePathStyle: true });

async function put(Key, file, more) {
  await client.send(new PutObjectCommand(
    { Bucket, Key, Body: await readFile(file), ...more }));
}

async function get(Key, file) {
  const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
  await writeFile(file, await Body.transformToByteArray());
}

// The lines of a file: a name that holds an end of line is not among them.
async function lines(file) {
  return (await readFile(file, 'utf8')).split('\n').slice(0, -1);
}

const commands = {
  put,
  get,
  async 'put-facts'(key, file) {
    await put(key, file, {
      ContentType: 'text/x-sdk', CacheControl: 'no-cache',
      ContentDisposition: 'attachment; filename="a b"',
      ContentEncoding: 'x-none', ContentLanguage: 'de',
      Metadata: { color: 'blue', 'two-words': 'a  b' },
    });
  },
  async 'put-parts'(Key, file, partSize) {
    await new Upload({
      client, partSize: Number(partSize), queueSize: 2,
      params: {
        Bucket, Key, Body: await readFile(file), ContentType: 'text/x-sdk',
      },
    }).done();
  },
  // Each key of the list as DIR/0, DIR/1, ...
  async 'put-each'(list, dir) {
    for (const [n, key] of (await lines(list)).entries()) {
      await put(key, `${dir}/${n}`);
    }
  },
  async 'get-each'(list, dir) {
    for (const [n, key] of (await lines(list)).entries()) {
      await get(key, `${dir}/${n}`);
    }
  },
  async facts(Key) {
    const facts = await client.send(new HeadObjectCommand({ Bucket, Key }));
    console.log(JSON.stringify({
      length: facts.ContentLength, etag: facts.ETag, type: facts.ContentType,
      cache: facts.CacheControl, disposition: facts.ContentDisposition,
      encoding: facts.ContentEncoding, language: facts.ContentLanguage,
      metadata: facts.Metadata,
    }));
  },
};

await commands[command](...args);
