import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ok, type JsonObject, type Result } from '@switchyard/values';
import type { CliDeps } from '../deps.js';
import type { CliFailure, Outcome } from '../outcome.js';
import { checkCustody, type CustodyProof } from './check-custody.js';
import { checkLedger, type LedgerProof } from './check-ledger.js';
import { checkMessages } from './check-messages.js';
import { checkStatement, checkStatementFile, type StatementProof } from './check-statement.js';
import { withSigners, type FindSigner } from './find-signer.js';
import { readAnchors, type SignedHead } from './read-anchors.js';
import { readKind, type ProofFile } from './read-kind.js';
import type { SignerOptions } from './signer-options.js';
import { StatementSums } from './statement-sums.js';
import { outcomeOf, proofJson, verdictOf, worstOf, type Proof } from './verdict.js';

/** Files of one organization by kind, in the order in which they are checked: each is held against the ones before it. */
export interface Opened {
  readonly file: string;
  readonly is: ProofFile;
}

/**
 * Verifies statements, exports of ledgers, chains of custody and messages, and their connection: that the figures of a
 * statement are the sums of the ledger's entries until the head that it names, and which operations and messages the ledger
 * has entries of. Reads no network but for the key sets that the options name (docs/ledger.md#who-signed).
 */
export async function verifyFiles(
  deps: CliDeps,
  files: readonly string[],
  options: SignerOptions,
  also: readonly Opened[] = [],
): Promise<Outcome> {
  const proofs = await checkFiles(deps, files, options, also);
  if (!proofs.ok) return proofs;
  const rows = proofs.value.map(proofJson);
  const [only] = rows;
  const json =
    rows.length === 1 && only !== undefined
      ? only
      : { verdict: worstOf(proofs.value), ok: worstOf(proofs.value) === 'valid', files: rows };
  return outcomeOf(proofs.value, json);
}

async function checkFiles(
  deps: CliDeps,
  files: readonly string[],
  options: SignerOptions,
  also: readonly Opened[],
): Promise<Result<readonly Proof[], CliFailure>> {
  const folder = files.includes('-') ? mkdtempSync(join(tmpdir(), 'switchyard-verify-')) : undefined;
  try {
    const opened = [...also];
    for (const name of files) {
      const file = name === '-' && folder !== undefined ? join(folder, 'standard-input') : name;
      // It is read twice: to tell what it is, and to check it.
      if (file !== name) await pipeline(deps.stdin, createWriteStream(file));
      const is = await readKind(deps, file);
      if (!is.ok) return is;
      opened.push({ file, is: is.value });
    }
    return await withSigners(deps, options, (find) => checkAll(deps, opened, find));
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

async function checkAll(
  deps: CliDeps,
  opened: readonly Opened[],
  find: FindSigner,
): Promise<Result<readonly Proof[], CliFailure>> {
  const anchors: SignedHead[] = [];
  const proofs: Proof[] = [];
  for (const { file, is } of opened) {
    if (is.kind !== 'anchors') continue;
    const read = await readAnchors(is.document);
    anchors.push(...read.heads);
    if (read.faults.length > 0) proofs.push({ kind: 'anchors', file, faults: read.faults, holds: [] });
  }
  const statements: StatementProof[] = [];
  for (const { file, is } of opened) {
    if (is.kind === 'statement') statements.push(await checkStatement(file, is.document, find));
    if (is.kind === 'statement file')
      statements.push(await checkStatementFile(file, is.bytes, is.signature, find));
  }
  const of = (kind: ProofFile['kind']) => opened.filter(({ is }) => is.kind === kind);
  const ledgers: LedgerProof[] = [];
  for (const { file } of of('ledger')) {
    const ledger = await againstStatements(deps, file, { find, anchors, statements });
    if (!ledger.ok) return ledger;
    ledgers.push(ledger.value.ledger);
    statements.splice(0, statements.length, ...ledger.value.statements);
  }
  proofs.push(...statements, ...ledgers);
  const isAlone = ledgers.length === 0 && of('custody').length === 1;
  for (const { file } of of('custody')) {
    const custody = await checkCustody(deps, file, { find, anchors: isAlone ? anchors : [] });
    if (!custody.ok) return custody;
    proofs.push(ledgers.length === 0 ? custody.value : inLedgers(custody.value, ledgers));
  }
  for (const { file } of of('messages')) {
    const named = new Set(ledgers.flatMap(({ messages }) => [...messages]));
    const keys = new Map(ledgers.flatMap((ledger) => [...ledger.keys]));
    const isVouchedFor = ledgers.some((ledger) => verdictOf(ledger) === 'valid');
    const messages = await checkMessages(deps, file, { named, keys, isVouchedFor });
    if (!messages.ok) return messages;
    proofs.push(messages.value);
  }
  if (proofs.length === 0) proofs.push(...(await headsAlone(opened, find)));
  return ok(proofs);
}

interface LedgerContext {
  readonly find: FindSigner;
  readonly anchors: readonly SignedHead[];
  readonly statements: readonly StatementProof[];
}

/** One ledger with the statements that were made of it: each names the head that it was made at. */
async function againstStatements(
  deps: CliDeps,
  file: string,
  { find, anchors, statements }: LedgerContext,
): Promise<Result<{ ledger: LedgerProof; statements: readonly StatementProof[] }, CliFailure>> {
  const sums = statements.map(({ statement, head }) =>
    statement === undefined || head === undefined ? undefined : new StatementSums(statement, head.number),
  );
  const ledger = await checkLedger(deps, file, {
    find,
    anchors,
    // A statement that is broken says nothing about the ledger.
    heads: statements.flatMap(({ faults, head }) => (faults.length > 0 || head === undefined ? [] : [head])),
    watch: (entry, block) => {
      for (const sum of sums) sum?.add(entry, block);
    },
  });
  if (!ledger.ok) return ledger;
  return ok({
    ledger: ledger.value,
    statements: statements.map((proof, at) => {
      const sum = sums[at];
      if (sum === undefined) return proof;
      const wrong = sum.faults();
      if (wrong.length > 0) return { ...proof, faults: [...proof.faults, ...wrong] };
      return { ...proof, holds: [...proof.holds, `Its lines are the sums of the entries in ${file}.`] };
    }),
  });
}

/** Operations that book nothing, such as refused ones, have no entries: their number is told and proves no fault. */
function inLedgers(custody: CustodyProof, ledgers: readonly LedgerProof[]): CustodyProof {
  const booked = [...custody.operations].filter((id) => ledgers.some(({ operations }) => operations.has(id)));
  const connection = { named: custody.operations.size, in_ledger: booked.length };
  const says = `Its records name ${connection.named} operations; the ledger has entries of ${connection.in_ledger}.`;
  return {
    ...custody,
    holds: [...custody.holds, says],
    json: { ...custody.json, operations: connection } satisfies JsonObject,
  };
}

/** Signed heads without a chain: who signed them. */
async function headsAlone(opened: readonly Opened[], find: FindSigner): Promise<readonly Proof[]> {
  const proofs: Proof[] = [];
  for (const { file, is } of opened) {
    if (is.kind !== 'anchors') continue;
    const { heads, faults } = await readAnchors(is.document);
    const signers = await Promise.all(heads.map(({ key }) => find(key, undefined)));
    const signer = signers.find(({ found }) => found === undefined) ?? signers[0];
    proofs.push({
      kind: 'anchors',
      file,
      faults,
      holds: [`${heads.length} heads are signed. Give the export of the chain too.`],
      ...(signer !== undefined && { signer }),
    });
  }
  return proofs;
}
