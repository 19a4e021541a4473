// SPDX-License-Identifier: MIT
// The clouds' own libraries ask for a token: identity.mjs MODULES KIND PLACES
//
// What they send to Google's token endpoint goes to PLACES instead; prints the
// token that they were given.
import { webcrypto } from 'node:crypto';
import { createRequire } from 'node:module';

// Node 18, that of Debian 12 and Ubuntu 24.04, has it under no global name.
globalThis.crypto ??= webcrypto;

const [modules, kind, places, file] = process.argv.slice(2);
const require = createRequire(modules + '/');

async function google() {
  const gaxios = require('gaxios');
  gaxios.instance.defaults.adapter = (options, usual) => {
    options.url = new URL(String(options.url).replace(
      /^https:\/\/(www\.googleapis\.com\/oauth2\/v4|oauth2\.googleapis\.com)/,
      places));
    return usual(options);
  };
  const { GoogleAuth } = require('google-auth-library');
  const scopes = 'https://www.googleapis.com/auth/devstorage.read_write';
  const auth = new GoogleAuth({ keyFilename: file, scopes });
  const client = await auth.getClient();
  client.transporter = gaxios.instance;
  return (await client.getAccessToken()).token;
}

async function azure() {
  const { ManagedIdentityCredential } = require('@azure/identity');
  const credential = new ManagedIdentityCredential();
  return (await credential.getToken('https://storage.azure.com/.default')).token;
}

console.log(await { google, azure }[kind]());
