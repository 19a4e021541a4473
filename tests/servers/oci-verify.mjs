// SPDX-License-Identifier: MIT
// A small OCI Object Storage whose signatures are checked by http-signature,
// the reference library of the scheme that Oracle's is made of:
//
//   node oci-verify.mjs NODE_FOLDER PUBLIC_KEY.pem KEY_ID
//
// NODE_FOLDER holds node_modules. Prints the port it listens on. Objects live
// in memory: put, get (with a range), head, and uploads in parts. Each request
// is a line of its log, standard error: method, status, why it was refused.
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';

const [, , folder, keyFile, keyId] = process.argv;
const signature = createRequire(`${folder}/x.js`)('http-signature');
const publicKey = readFileSync(keyFile, 'utf8');
const objects = new Map();
const uploads = new Map();
const hash = (name, bytes) => createHash(name).update(bytes).digest('base64');

class Refused extends Error {
  constructor(status, code, why) {
    super(why ?? code);
    Object.assign(this, { status, code });
  }
}

function checkSignature(req) {
  const date = req.headers['x-date'] ? 'x-date' : 'date';
  const headers = ['(request-target)', 'host', date];
  if (req.method === 'POST')
    headers.push('content-length', 'content-type', 'x-content-sha256');
  let parsed;
  try {
    parsed = signature.parseRequest(req, { clockSkew: 300, headers });
  } catch (problem) {
    throw new Refused(401, 'NotAuthenticated', problem.message);
  }
  if (parsed.params.version !== '1' || parsed.algorithm !== 'RSA-SHA256' ||
      parsed.keyId !== keyId || !signature.verifySignature(parsed, publicKey))
    throw new Refused(401, 'NotAuthenticated',
      `not a signature over ${JSON.stringify(parsed.signingString)}`);
}

function checkBody(req, body) {
  const sha256 = req.headers['x-content-sha256'];
  const md5 = req.headers['content-md5'];
  if (sha256 && sha256 !== hash('sha256', body))
    throw new Refused(401, 'NotAuthenticated', 'x-content-sha256');
  if (md5 && md5 !== hash('md5', body))
    throw new Refused(400, 'UnmatchedContentMD5');
}

function checkCondition(req, key) {
  if (req.headers['if-none-match'] === '*' && objects.has(key))
    throw new Refused(412, 'IfNoneMatchFailed');
}

function store(key, bytes, headers) {
  objects.set(key, { bytes, headers: { etag: randomUUID(), ...headers } });
  return objects.get(key).headers;
}

function kept(req) {
  return Object.fromEntries(Object.entries(req.headers).filter(
    ([name]) => name === 'content-type' || name.startsWith('opc-meta-')));
}

function put(req, key, body) {
  checkCondition(req, key);
  const { etag } = store(key, body,
    { ...kept(req), 'content-md5': hash('md5', body) });
  return [200, { etag, 'opc-content-md5': hash('md5', body) }];
}

function get(req, key) {
  const object = objects.get(key);
  if (!object)
    throw new Refused(404, 'ObjectNotFound');
  const range = /^bytes=(\d+)-(\d*)$/.exec(req.headers.range ?? '');
  if (!range)
    return [200, object.headers, object.bytes];
  const { length } = object.bytes;
  const last = Math.min(Number(range[2] || length), length - 1);
  return [206, {
    ...object.headers, 'content-range': `bytes ${range[1]}-${last}/${length}`,
  }, object.bytes.subarray(Number(range[1]), last + 1)];
}

const json = value =>
  [200, { 'content-type': 'application/json' }, Buffer.from(
    JSON.stringify(value))];

function create(req, bucket, body) {
  const { object, contentType, metadata } = JSON.parse(body);
  const uploadId = randomUUID();
  checkCondition(req, `${bucket}/${object}`);
  uploads.set(uploadId, { parts: new Map(), headers: {
    ...(contentType && { 'content-type': contentType }), ...metadata } });
  return json({ object, bucket, uploadId });
}

function part(upload, number, body) {
  const etag = randomUUID();
  upload.parts.set(number, { etag, body });
  return [200, { etag, 'opc-content-md5': hash('md5', body) }];
}

function commit(req, key, id, body) {
  const { parts, headers } = uploads.get(id);
  const chosen = JSON.parse(body).partsToCommit.map(({ partNum, etag }) => {
    if (parts.get(partNum)?.etag !== etag)
      throw new Refused(400, 'InvalidUploadPart');
    return parts.get(partNum).body;
  });
  checkCondition(req, key);
  const sums = Buffer.concat(chosen.map(
    one => createHash('md5').update(one).digest()));
  const sum = `${hash('md5', sums)}-${chosen.length}`;
  const { etag } = store(key, Buffer.concat(chosen),
    { ...headers, 'opc-multipart-md5': sum });
  uploads.delete(id);
  return [200, { etag, 'opc-multipart-md5': sum }];
}

function answer(req, body) {
  checkSignature(req);
  checkBody(req, body);
  const url = new URL(req.url, 'http://h');
  if (url.pathname === '/n')
    return json('anknamespace');
  const [, bucket, kind, name] =
    /^\/n\/anknamespace\/b\/([^/]+)\/(o|u)\/?(.*)$/.exec(
      req.url.split('?')[0]) ?? [];
  const key = `${bucket}/${decodeURIComponent(name ?? '')}`;
  const id = url.searchParams.get('uploadId');
  if (kind === 'o')
    return req.method === 'PUT' ? put(req, key, body) : get(req, key);
  if (kind === 'u' && req.method === 'POST' && !id)
    return create(req, bucket, body);
  if (!uploads.has(id))
    throw new Refused(404, 'UploadNotFound');
  if (req.method === 'PUT')
    return part(uploads.get(id), Number(url.searchParams.get('uploadPartNum')),
      body);
  return req.method === 'POST' ? commit(req, key, id, body)
    : [204, {}, uploads.delete(id) && undefined];
}

function respond(req, res, body) {
  let status, headers, bytes;
  try {
    [status, headers, bytes] = answer(req, body);
    console.error(req.method, status, req.url);
  } catch (problem) {
    status = problem.status ?? 500;
    headers = { 'content-type': 'application/json' };
    bytes = Buffer.from(JSON.stringify({
      code: problem.code ?? 'InternalServerError', message: problem.message }));
    console.error(req.method, status, req.url, problem.message);
  }
  res.writeHead(status, { ...headers, 'opc-request-id': randomUUID(),
    ...(status !== 204 && { 'content-length': bytes?.length ?? 0 }) });
  res.end(req.method === 'HEAD' ? undefined : bytes);
}

const server = createServer((req, res) => {
  const pieces = [];
  req.on('data', piece => pieces.push(piece));
  req.on('end', () => respond(req, res, Buffer.concat(pieces)));
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
