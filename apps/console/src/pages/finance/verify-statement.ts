import type { JsonObject, JsonValue } from '../../api/client.js';
import { decimal, micros } from '../../parts/money.js';

/** One check of a document. `undefined`: it could not be made, or, of the signer, it is unknown. */
export interface Check {
  readonly name: string;
  readonly holds: boolean | undefined;
  readonly says: string;
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * What the checks of a document prove, in the words of the command line. `consistent`: it is whole, and anybody may have
 * made it.
 */
export function verdictOf(checks: readonly Check[]): 'valid' | 'consistent' | 'invalid' {
  if (checks.some(({ holds }) => holds === false)) return 'invalid';
  return checks.some(({ name, holds }) => name === 'Signer' && holds === true) ? 'valid' : 'consistent';
}

/** The canonical text of RFC 8785: members sorted by UTF-16 code units, no white space. */
export function canonical(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).sort((a, b) => (a < b ? -1 : 1));
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical(value[name] ?? null)}`).join(',')}}`;
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/**
 * Checks a statement file with only the file and the browser's own cryptography: the signature (RFC 7515, Ed25519 or
 * ES256) over the statement's canonical text, the digest, and that each total is the sum of its lines. The signer is known
 * only if the published key set says that the key is the organization's.
 */
export async function verifyStatement(text: string, published?: JsonValue): Promise<readonly Check[]> {
  needsCryptography('npx switchyard statement verify FILE');
  const file = parse(text);
  const { statement, digest, jws, key } = isObject(file) ? file : {};
  if (!isObject(statement) || typeof jws !== 'string' || !isObject(key))
    return [{ name: 'File', holds: false, says: 'It has no statement, signature and key.' }];
  const signed = canonical(statement);
  const hex = await sha256(new TextEncoder().encode(signed));
  const wrong = sumsThatDiffer(statement);
  return [
    await signatureCheck(jws, key, 'switchyard-statement+jws', (payload) =>
      payload === signed ? undefined : 'The statement was changed after it was signed.',
    ),
    {
      name: 'Digest',
      holds: digest === hex,
      says: digest === hex ? `SHA-256 is ${hex}.` : 'The digest is not that of the statement.',
    },
    {
      name: 'Sums',
      holds: wrong.length === 0,
      says: wrong.length === 0 ? 'Each total is the sum of its lines.' : wrong.join(' '),
    },
    signerCheck(key, statement['organization'], published),
  ];
}

/**
 * Checks a statement that is a PDF, XLSX or CSV file with the signature beside it: a flattened JWS (RFC 7515, 7.2.2) with
 * the public key in its header, whose payload names the digest and the length of the file.
 */
export async function verifyStatementFile(
  bytes: Uint8Array<ArrayBuffer>,
  signature: string,
  published?: JsonValue,
): Promise<readonly Check[]> {
  needsCryptography('npx switchyard statement verify FILE');
  const beside = parse(signature);
  const { payload, protected: head, signature: signed, header } = isObject(beside) ? beside : {};
  const key = isObject(header) ? header['jwk'] : undefined;
  if (![payload, head, signed].every((part) => typeof part === 'string') || !isObject(key))
    return [{ name: 'Signature', holds: false, says: 'The file beside it is no signature of a statement.' }];
  const hex = await sha256(bytes);
  const jws = [head, payload, signed].map(textOf).join('.');
  const claims = typeof payload === 'string' ? parse(decoded(payload)) : undefined;
  return [
    await signatureCheck(jws, key, 'switchyard-statement-file+jws', (text) => {
      const signed = parse(text);
      if (!isObject(signed) || signed['format'] !== 'switchyard.statement-file.1')
        return 'The signature is for another document.';
      return signed['sha256'] === hex && signed['bytes'] === bytes.length
        ? undefined
        : 'The file is not the signed one: its digest differs.';
    }),
    signerCheck(key, isObject(claims) ? claims['organization'] : undefined, published),
  ];
}

/** The text in base64url; empty if it is none. */
function decoded(text: string): string {
  try {
    return new TextDecoder().decode(bytesOf(text));
  } catch {
    return '';
  }
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', bytes);
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Throws if the browser offers no cryptography, and names the command that does the same. */
export function needsCryptography(command: string): void {
  if ((crypto as Partial<Crypto>).subtle === undefined)
    throw new Error(
      `This browser offers no cryptography at a plain http address. Use https, or: ${command}.`,
    );
}

/** A text unchanged, and any other value as JSON. */
const textOf = (value: JsonValue | undefined): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? null);

/** The value of a JSON text; undefined if it is none. */
export function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** `faultOf` says what is wrong with the signed payload, if anything. */
export async function signatureCheck(
  jws: string,
  key: JsonObject,
  typ: string,
  faultOf: (payload: string) => string | undefined,
): Promise<Check> {
  const name = 'Signature';
  try {
    const [head = '', payload = '', signature = '', ...more] = jws.split('.');
    const header = parse(new TextDecoder().decode(bytesOf(head)));
    const isEd25519 = key['kty'] === 'OKP';
    const alg = isEd25519 ? 'EdDSA' : 'ES256';
    if (!isObject(header) || header['alg'] !== alg || header['kid'] !== key['kid'] || more.length > 0)
      return { name, holds: false, says: 'The signature names another key or algorithm.' };
    if (header['typ'] !== typ)
      return { name, holds: false, says: 'The signature is not for such a document.' };
    const fault = faultOf(new TextDecoder().decode(bytesOf(payload)));
    if (fault !== undefined) return { name, holds: false, says: fault };
    const algorithm = isEd25519
      ? { name: 'Ed25519' }
      : { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
    const members = ['kty', 'crv', 'x', 'y'].filter((text) => typeof key[text] === 'string');
    const jwk = Object.fromEntries(members.map((member) => [member, key[member]])) as JsonWebKey;
    const imported = await crypto.subtle.importKey('jwk', jwk, algorithm, false, ['verify']);
    const signed = new TextEncoder().encode(`${head}.${payload}`);
    const holds = await crypto.subtle.verify(algorithm, imported, bytesOf(signature), signed);
    return { name, holds, says: holds ? `Signed by the key ${textOf(key['kid'])}.` : 'It does not hold.' };
  } catch {
    return { name, holds: false, says: 'The signature or the key cannot be read.' };
  }
}

/** Whether the published key set says that the key is this organization's, for statements and heads of chains. */
export function signerCheck(
  key: JsonObject,
  organization: JsonValue | undefined,
  published: JsonValue | undefined,
): Check {
  const name = 'Signer';
  const unknown = (says: string): Check => ({ name, holds: undefined, says });
  const keys =
    isObject(published) && Array.isArray(published['keys']) ? published['keys'].filter(isObject) : undefined;
  if (keys === undefined)
    return unknown('Signature is right, but we did not check whose key it is: anybody can make a key.');
  const found = keys.find((item) =>
    ['kid', 'kty', 'crv', 'x', 'y'].every((part) => item[part] === key[part]),
  );
  if (found === undefined) return unknown('The key is not in the published key set.');
  const { organization: owner, signs } = isObject(found['switchyard']) ? found['switchyard'] : {};
  if (!Array.isArray(signs) || !signs.includes('proofs'))
    return unknown('The key is not one for statements and heads.');
  if (typeof owner !== 'string')
    return unknown('The key set does not say whose the key is: the organization has not proved its domain.');
  if (typeof organization === 'string' && organization !== owner)
    return unknown(`The key belongs to ${owner}, and not to ${organization}.`);
  return { name, holds: true, says: `The published key set says that the key belongs to ${owner}.` };
}

function sumsThatDiffer(statement: JsonObject): readonly string[] {
  const lines = Array.isArray(statement['lines']) ? statement['lines'].filter(isObject) : undefined;
  const totals = Array.isArray(statement['totals']) ? statement['totals'].filter(isObject) : undefined;
  if (lines === undefined || totals === undefined) return ['It has no lines or no totals.'];
  const sums = new Map<string, bigint>();
  for (const { currency, spend } of lines) {
    const amount = micros(textOf(spend));
    if (amount === undefined) return [`The amount ${textOf(spend)} is none.`];
    sums.set(textOf(currency), (sums.get(textOf(currency)) ?? 0n) + amount);
  }
  const wrong = totals
    .filter(({ currency, spend }) => {
      const sum = sums.get(textOf(currency));
      sums.delete(textOf(currency));
      return sum === undefined || decimal(sum) !== spend;
    })
    .map(({ currency }) => `The total in ${textOf(currency)} is not the sum of its lines.`);
  return [...wrong, ...[...sums.keys()].map((currency) => `The lines in ${currency} have no total.`)];
}
