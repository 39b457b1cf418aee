/**
 * `node tools/vectors/generate.mjs FOLDER`: writes our own signing vectors, in the `ads` dialect and in the shape of the
 * public ones, to that folder. Every run writes the same cases.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { requestNegatives, requestPositives } from './request-cases.mjs';
import { now, signedRequest } from './sign-case.mjs';
import { testKeys } from './test-keys.mjs';
import { legacyNegatives, legacyPositives, webhookNegatives, webhookPositives } from './webhook-cases.mjs';

const target = process.argv[2];
if (target === undefined) throw new Error('Name the folder: node tools/vectors/generate.mjs FOLDER');
const keys = testKeys();
const keyOf = (kid) => keys.find((key) => key.kid === kid);

const groups = [
  ['request-signing/positive', 'request', requestPositives],
  ['request-signing/negative', 'request', requestNegatives],
  ['webhook-signing/positive', 'webhook', webhookPositives],
  ['webhook-signing/negative', 'webhook', webhookNegatives],
  ['webhook-legacy/positive', 'webhook', legacyPositives],
  ['webhook-legacy/negative', 'webhook', legacyNegatives],
];

const files = new Map([
  [
    'keys.json',
    {
      $comment: 'Key pairs of our own vectors. Public, both halves: never to be trusted outside of tests.',
      keys,
    },
  ],
]);
for (const [folder, kind, cases] of groups) {
  cases.forEach(([name, given, code, step], index) => {
    const slug = name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '');
    const path = `${folder}/${String(index + 1).padStart(3, '0')}-${slug}.json`;
    files.set(path, vectorOf(kind, name, given, code, step));
  });
}

function vectorOf(kind, name, given, code, step) {
  const { registration, state, version = '3.1', capability = {}, keyid, jwk, jwksByName, jwksRef } = given;
  const changed = jwk === undefined ? undefined : publicHalf({ ...keyOf(keyid), ...jwk });
  const key = jwksByName ? { [changed.kid]: changed } : { keys: [changed] };
  return {
    name,
    signing_profile_version: version,
    reference_now: now,
    request: requestOf(kind, given),
    ...(registration === undefined ? {} : { registration }),
    ...(kind === 'request'
      ? {
          verifier_capability: {
            supported: true,
            covers_content_digest: 'required',
            required_for: [],
            ...capability,
          },
        }
      : {}),
    ...(keyid === undefined
      ? {}
      : changed === undefined
        ? { jwks_ref: jwksRef ?? [keyid] }
        : { jwks_override: key }),
    ...(state === undefined ? {} : { test_harness_state: state }),
    expected_outcome:
      code === undefined ? { success: true } : { success: false, error_code: code, failed_step: step },
  };
}

function publicHalf(jwk) {
  return Object.fromEntries(Object.entries(jwk).filter(([member]) => !member.startsWith('_private')));
}

/** Signs the request of the case, then changes the signed message as the case defines. */
function requestOf(kind, given) {
  const signer = given.signerid === undefined ? undefined : keyOf(given.signerid);
  const request = given.unsigned
    ? {
        method: 'POST',
        url: given.url,
        headers: { 'Content-Type': 'application/json', ...given.headers },
        body: given.body,
      }
    : signedRequest({ ...given, kind, key: keyOf(given.keyid), ...(signer ? { signer } : {}) });
  const { headers } = request;
  const input = headers['Signature-Input'];
  if (given.rewritten !== undefined) {
    const other = signedRequest({ ...given, kind, key: keyOf(given.keyid), body: given.rewritten });
    headers['Content-Digest'] = other.headers['Content-Digest'];
    request.body = given.rewritten;
  }
  if (given.beside) {
    headers['Signature-Input'] = `other=("@path");created=1, ${input}`;
    headers['Signature'] = `other=:AAAA:, ${headers['Signature']}`;
  }
  if (given.double) headers[given.double] = `${headers[given.double]}, ${headers[given.double]}`;
  if (given.twoLines) headers[given.twoLines] = [headers[given.twoLines], 'sig1=()'];
  if (given.relabel) {
    for (const name of ['Signature-Input', 'Signature'])
      headers[name] = headers[name].replace('sig1', given.relabel);
  }
  if (given.unquote)
    headers['Signature-Input'] = input.replace(
      new RegExp(`${given.unquote}="([^"]*)"`),
      `${given.unquote}=$1`,
    );
  if (given.doubleParam) headers['Signature-Input'] = `${input};${given.doubleParam}="again"`;
  if (given.secondDigest) headers['Content-Digest'] = `${headers['Content-Digest']}, sha-512=:AAAA:`;
  for (const name of given.drop ?? []) delete headers[name];
  Object.assign(headers, given.replace);
  if (given.sentBody !== undefined) request.body = given.sentBody;
  if (given.sentMethod !== undefined) request.method = given.sentMethod;
  return request;
}

for (const [path, content] of files) {
  const whole = join(target, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, JSON.stringify(content, null, 2));
}
