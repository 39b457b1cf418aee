import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { custodyFormat } from '@switchyard/relay';
import { ledgerFormat } from '@switchyard/ledger';
import { err, isJsonObject, ok, type JsonObject, type JsonValue, type Result } from '@switchyard/values';
import type { CliDeps } from '../deps.js';
import type { CliFailure } from '../outcome.js';
import { linesOf, readJsonFile, unreadable } from '../read-input.js';

/** What a file is, with its contents where they were read to tell. */
export type ProofFile =
  | { readonly kind: 'ledger' | 'custody' | 'messages' }
  | { readonly kind: 'statement'; readonly document: JsonObject }
  | { readonly kind: 'statement file'; readonly bytes: Buffer; readonly signature: JsonObject }
  | { readonly kind: 'anchors'; readonly document: JsonValue };

const chains = [
  { kind: 'ledger', format: ledgerFormat },
  { kind: 'custody', format: custodyFormat },
] as const;

/** Recognizes a file by its contents. Standard input is copied to a file first: it can be read once. */
export async function readKind(deps: CliDeps, file: string): Promise<Result<ProofFile, CliFailure>> {
  const start = await startOf(deps, file);
  if (!start.ok) return start;
  const text = start.value.trimStart();
  if (!text.startsWith('{') && !text.startsWith('[')) return statementFile(deps, file);
  if (text.startsWith('{"messages":[')) return ok({ kind: 'messages' });
  const chain = chains.find(({ format }) => text.includes(`"${format}"`));
  if (chain !== undefined) return ok({ kind: chain.kind });
  const read = await readJsonFile(deps, file);
  if (!read.ok) return read;
  const { value: document } = read.value;
  // An export that somebody formatted anew: its first line does not say what it is.
  const formatted = chains.find(({ format }) => isJsonObject(document) && document['format'] === format);
  if (formatted !== undefined) return ok({ kind: formatted.kind });
  if (isJsonObject(document) && 'statement' in document) return ok({ kind: 'statement', document });
  if (Array.isArray(document) || (isJsonObject(document) && ('anchors' in document || 'jws' in document)))
    return ok({ kind: 'anchors', document });
  return err({
    message: `${file} is no statement, no export of a ledger, of custody or of messages, and no list of signed heads.`,
    hint: 'A captured request or webhook needs --profile and --dialect.',
  });
}

/** Enough of a file to tell what it is, without reading all of it. */
async function startOf(deps: CliDeps, file: string): Promise<Result<string, CliFailure>> {
  try {
    for await (const line of linesOf(deps, file)) if (line.trim() !== '') return ok(line.slice(0, 1_000));
    return err({ message: `${file} is empty.` });
  } catch (error) {
    return err(unreadable(file, error));
  }
}

/** A statement as CSV, XLSX or PDF: its signature is in the file `.jws` beside it. */
async function statementFile(deps: CliDeps, file: string): Promise<Result<ProofFile, CliFailure>> {
  const beside = await readJsonFile(deps, `${file}.jws`);
  if (!beside.ok) return beside;
  if (!isJsonObject(beside.value.value)) return err({ message: `${file}.jws is no signature.` });
  try {
    const bytes = readFileSync(resolve(deps.cwd, file));
    return ok({ kind: 'statement file', bytes, signature: beside.value.value });
  } catch (error) {
    return err(unreadable(file, error));
  }
}
