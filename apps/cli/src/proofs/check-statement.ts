import { createHash } from 'node:crypto';
import { statementDigest, statementFileFormat, statementProblems } from '@switchyard/ledger';
import { canonicalJson, isJsonObject, parseStrictJson, type JsonObject } from '@switchyard/values';
import type { FindSigner } from './find-signer.js';
import type { JudgedHead } from './judge-chain.js';
import type { Proof, Signer } from './verdict.js';
import { payloadOf } from './verify-jws.js';

/** A statement that was checked, with its contents where the file has them. */
export interface StatementProof extends Proof {
  readonly statement?: JsonObject;
  /** Where the ledger's chain stood, as the statement says. */
  readonly head?: JudgedHead;
}

/** Checks a statement with its signature inside. Makes no network call but those of `find`. */
export async function checkStatement(
  file: string,
  document: JsonObject,
  find: FindSigner,
): Promise<StatementProof> {
  const { statement, digest, jws, key } = document;
  if (!isJsonObject(statement) || typeof jws !== 'string' || !isJsonObject(key))
    return broken(file, 'The file has no statement, signature and key.');
  const faults: string[] = [];
  const sums = statementProblems(statement);
  if (sums.ok) faults.push(...sums.value);
  else faults.push(`The statement cannot be read, at ${sums.error}.`);
  if (digest !== statementDigest(statement)) faults.push('The digest is not that of the statement.');
  if ((await payloadOf(jws, key, 'switchyard-statement+jws')) !== canonicalJson(statement))
    faults.push('The signature is not valid.');
  const { organization } = statement;
  const signer = await find(key, typeof organization === 'string' ? organization : '');
  const head = headIn(statement, signer);
  return {
    kind: 'statement',
    file,
    faults,
    holds: ['Its signature is valid and its sums are right.'],
    signer,
    statement,
    ...(head !== undefined && { head }),
  };
}

/**
 * Checks a statement that is a CSV, XLSX or PDF file. `signature` is the separate JWS, flattened (RFC 7515, 7.2.2) with its
 * public key in the unprotected header.
 */
export async function checkStatementFile(
  file: string,
  bytes: Uint8Array,
  signature: JsonObject,
  find: FindSigner,
): Promise<StatementProof> {
  const { payload, protected: head, signature: signed, header } = signature;
  const key = isJsonObject(header) ? header['jwk'] : undefined;
  if (
    typeof payload !== 'string' ||
    typeof head !== 'string' ||
    typeof signed !== 'string' ||
    !isJsonObject(key)
  )
    return broken(file, 'The file beside it is no signature of a statement.');
  const faults: string[] = [];
  const text = await payloadOf(`${head}.${payload}.${signed}`, key, 'switchyard-statement-file+jws');
  const parsed = text === undefined ? undefined : parseStrictJson(Buffer.from(text));
  const read = parsed?.ok === true && isJsonObject(parsed.value.value) ? parsed.value.value : undefined;
  if (read === undefined) faults.push('The signature is not valid.');
  else if (read['format'] !== statementFileFormat) faults.push('The signature is for another document.');
  else if (
    read['sha256'] !== createHash('sha256').update(bytes).digest('hex') ||
    read['bytes'] !== bytes.length
  )
    faults.push('The file is not the signed one: its digest differs.');
  const { organization } = read ?? {};
  const signer = await find(key, typeof organization === 'string' ? organization : undefined);
  const holds = ['Its signature is valid and the file is the one that was signed.'];
  return { kind: 'statement', file, faults, holds, signer };
}

const broken = (file: string, fault: string): StatementProof => ({
  kind: 'statement',
  file,
  faults: [fault],
  holds: [],
});

function headIn({ ledger_head: head }: JsonObject, signer: Signer): JudgedHead | undefined {
  const { number, hash } = isJsonObject(head) ? head : {};
  if (typeof number !== 'string' || !/^\d{1,18}$/.test(number) || typeof hash !== 'string') return undefined;
  return { number: BigInt(number), hash, signer };
}
