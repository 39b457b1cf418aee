/**
 * `node tools/vectors/generate.mjs`: writes our own signing vectors, in the `ads` dialect and in the shape of the public
 * ones, to `libs/domain/signing/vectors`. Running it again changes nothing; `--check` fails if it would.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { requestNegatives, requestPositives } from './request-cases.mjs';
import { now, signedRequest } from './sign-case.mjs';
import { testKeys } from './test-keys.mjs';
import { legacyNegatives, legacyPositives, webhookNegatives, webhookPositives } from './webhook-cases.mjs';

const target = fileURLToPath(new URL('../../libs/domain/signing/vectors', import.meta.url));
const isCheck = process.argv.includes('--check');
const read = (path) => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined);
const keys = testKeys(read(join(target, 'keys.json'))?.keys);
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
    files.set(path, vectorOf(kind, name, given, code, step, read(join(target, path))?.request));
  });
}

function vectorOf(kind, name, given, code, step, before) {
  const { registration, state, version = '3.1', capability = {}, keyid, jwk, jwksByName, jwksRef } = given;
  const changed = jwk === undefined ? undefined : publicHalf({ ...keyOf(keyid), ...jwk });
  const key = jwksByName ? { [changed.kid]: changed } : { keys: [changed] };
  return {
    name,
    signing_profile_version: version,
    reference_now: now,
    request: requestOf(kind, given, before),
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

/** Signs what the case says, then does to the signed message what the case says. */
function requestOf(kind, given, before) {
  const signer = given.signerid === undefined ? undefined : keyOf(given.signerid);
  const request = given.unsigned
    ? {
        method: 'POST',
        url: given.url,
        headers: { 'Content-Type': 'application/json', ...given.headers },
        body: given.body,
      }
    : signedRequest({ ...given, kind, key: keyOf(given.keyid), before, ...(signer ? { signer } : {}) });
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

const options = { ...(await resolveConfig(join(target, 'keys.json'))), parser: 'json' };
let differences = 0;
for (const [path, content] of files) {
  const text = await format(JSON.stringify(content), options);
  const whole = join(target, path);
  if (existsSync(whole) && readFileSync(whole, 'utf8') === text) continue;
  differences += 1;
  if (isCheck) console.error(`would change: ${path}`);
  else {
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, text);
  }
}
for (const path of existsSync(target) ? readdirSync(target, { recursive: true }) : []) {
  if (!path.endsWith('.json') || files.has(path)) continue;
  differences += 1;
  if (isCheck) console.error(`would go: ${path}`);
  else rmSync(join(target, path));
}
console.log(`${files.size - 1} vectors, ${differences} ${isCheck ? 'would change' : 'changed'}`);
process.exitCode = isCheck && differences > 0 ? 1 : 0;
