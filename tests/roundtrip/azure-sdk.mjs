// SPDX-License-Identifier: MIT
// Microsoft's client of its blob service, for tests/roundtrip/azure.bats:
//
//   node azure-sdk.mjs ENDPOINT COMMAND ARG...
//
// ACCOUNT and KEY name the account. Lies beside node_modules when it runs.
import { webcrypto } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import {
  AccountSASPermissions, BlobSASPermissions, BlobServiceClient,
  StorageSharedKeyCredential, generateAccountSASQueryParameters,
  generateBlobSASQueryParameters,
} from '@azure/storage-blob';

// Node 18, that of Debian 12 and Ubuntu 24.04, has it under no global name.
globalThis.crypto ??= webcrypto;

const [, , endpoint, command, ...args] = process.argv;
const { ACCOUNT, KEY } = process.env;
const credential = new StorageSharedKeyCredential(ACCOUNT, KEY);
const service = new BlobServiceClient(endpoint, credential);
const soon = () => new Date(Date.now() + 3600e3);

function blob(container, key) {
  return service.getContainerClient(container).getBlockBlobClient(key);
}

const commands = {
  async create(container) {
    await service.getContainerClient(container).createIfNotExists();
  },
  async put(container, key, file) {
    const bytes = await readFile(file);
    await blob(container, key).upload(bytes, bytes.length);
  },
  async 'put-blocks'(container, key, file, size) {
    await blob(container, key).uploadFile(file, {
      blockSize: Number(size), maxSingleShotSize: 1,
    });
  },
  async get(container, key, file) {
    const one = blob(container, key);
    const { contentLength } = await one.getProperties();
    await writeFile(file,
      contentLength ? await one.downloadToBuffer() : Buffer.alloc(0));
  },
  async blocks(container, key) {
    const list = await blob(container, key).getBlockList('committed');
    console.log(list.committedBlocks?.length ?? 0);
  },
  async facts(container, key) {
    const p = await blob(container, key).getProperties();
    console.log(p.contentType, p.cacheControl, p.accessTier,
      Buffer.from(p.contentMD5 ?? '').toString('base64'),
      p.metadata.i0, p.metadata.i_);
  },
  async sas(containerName, blobName, permissions) {
    console.log(generateBlobSASQueryParameters({
      containerName, blobName, expiresOn: soon(),
      permissions: BlobSASPermissions.parse(permissions),
    }, credential).toString());
  },
  async 'account-sas'(permissions) {
    console.log(generateAccountSASQueryParameters({
      permissions: AccountSASPermissions.parse(permissions), services: 'b',
      resourceTypes: 'o', expiresOn: soon(),
    }, credential).toString());
  },
  // Signed by nobody: the emulator only reads it.
  async token(seconds) {
    const now = Math.floor(Date.now() / 1000);
    const part = (o) => Buffer.from(JSON.stringify(o)).toString('base64url');
    console.log([part({ alg: 'RS256', typ: 'JWT' }), part({
      aud: 'https://storage.azure.com', iss: 'https://sts.windows.net/ank/',
      iat: now - 7200, nbf: now - 7200, exp: now + Number(seconds),
      oid: 'ank', sub: 'ank', tid: 'ank',
    }), 'c2ln'].join('.'));
  },
};

await commands[command](...args);
