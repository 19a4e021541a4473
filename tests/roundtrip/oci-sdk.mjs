// SPDX-License-Identifier: MIT
// Oracle's client of its Object Storage, for tests/roundtrip/oci.bats:
//
//   node oci-sdk.mjs NODE_FOLDER ENDPOINT COMMAND ARG...
//
// HOME has .oci/config; NODE_FOLDER holds node_modules.
import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const [, , folder, endpoint, command, ...args] = process.argv;
const require = createRequire(`${folder}/x.js`);
const { ConfigFileAuthenticationDetailsProvider } = require('oci-common');
const { ObjectStorageClient } = require('oci-objectstorage');

const client = new ObjectStorageClient({
  authenticationDetailsProvider: new ConfigFileAuthenticationDetailsProvider(),
});
client.endpoint = endpoint;
const place = { namespaceName: 'anknamespace', bucketName: 'bucket' };

async function putParts(objectName, file, size) {
  const { multipartUpload: { uploadId } } = await client.createMultipartUpload({
    ...place, createMultipartUploadDetails: { object: objectName },
  });
  const { size: total } = statSync(file);
  const partsToCommit = [];
  for (let start = 0; start < total; start += size) {
    const end = Math.min(start + size, total);
    const partNum = partsToCommit.length + 1;
    const { eTag } = await client.uploadPart({
      ...place, objectName, uploadId, uploadPartNum: partNum,
      contentLength: end - start,
      uploadPartBody: createReadStream(file, { start, end: end - 1 }),
    });
    partsToCommit.push({ partNum, etag: eTag });
  }
  await client.commitMultipartUpload({
    ...place, objectName, uploadId,
    commitMultipartUploadDetails: { partsToCommit },
  });
}

const commands = {
  async put(objectName, file) {
    await client.putObject({
      ...place, objectName, contentLength: statSync(file).size,
      putObjectBody: createReadStream(file),
    });
  },
  async 'put-parts'(objectName, file, size) {
    await putParts(objectName, file, Number(size));
  },
  async get(objectName, file) {
    const { value } = await client.getObject({ ...place, objectName });
    const body = value instanceof Readable ? value : Readable.fromWeb(value);
    await pipeline(body, createWriteStream(file));
  },
  async facts(objectName) {
    const o = await client.headObject({ ...place, objectName });
    console.log(o.contentLength, o.contentType, o.opcMultipartMd5 ??
      o.contentMd5, JSON.stringify(o.opcMeta ?? {}));
  },
  async namespace() {
    console.log((await client.getNamespace({})).value);
  },
};

try {
  await commands[command](...args);
} catch (problem) {
  console.error(problem.statusCode ?? '', problem.serviceCode ?? '',
    problem.message ?? problem);
  process.exit(1);
}
process.exit(0);
