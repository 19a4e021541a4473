// SPDX-License-Identifier: MIT
// Google's own client against the fake cloud: google.mjs URL TOKEN DO FILE [KEY]
//
//   put, resume, get, head, once (create only), drop; prints what it learns.
// It retries only what has a precondition.
import { createRequire } from 'node:module';

const require = createRequire(process.env.GOOGLE_MODULES + '/');
const { Storage } = require('@google-cloud/storage');
const { OAuth2Client } = require('google-auth-library');

const [apiEndpoint, token, what, file, key = 'k'] = process.argv.slice(2);
const authClient = new OAuth2Client();
authClient.setCredentials({ access_token: token });
const storage = new Storage({
  apiEndpoint, authClient, projectId: 'ank', useAuthWithCustomEndpoint: true,
  retryOptions: { maxRetries: 2, retryDelayMultiplier: 1, maxRetryDelay: 1 },
});
const bucket = storage.bucket('bucket');
const object = bucket.file(key);
const chunk = 262144;

const deeds = {
  put: () => bucket.upload(file, {
    destination: key, resumable: false, validation: 'crc32c',
    metadata: { contentType: 'text/x', metadata: { a: 'b' } } }),
  resume: () => bucket.upload(file, {
    destination: key, resumable: true, validation: 'crc32c' }),
  chunks: () => bucket.upload(file, {
    destination: key, resumable: true, chunkSize: chunk, validation: 'crc32c',
    preconditionOpts: { ifGenerationMatch: 0 } }),
  once: () => bucket.upload(file, {
    destination: key, preconditionOpts: { ifGenerationMatch: 0 } }),
  get: () => object.download({ destination: file, validation: 'crc32c' }),
  part: () => object.download({ destination: file, start: 5, end: 9 }),
  head: async () => console.log(JSON.stringify((await object.getMetadata())[0])),
  drop: () => object.delete(),
};

try {
  await deeds[what]();
} catch (e) {
  console.log(`${e.code} ${e.errors?.[0]?.reason ?? ''} ${e.message}`);
  process.exit(1);
}
