import { createReadStream, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { err, ok, parseStrictJson, type JsonValue, type Result } from '@switchyard/values';
import type { CliDeps } from './deps.js';
import type { CliFailure } from './outcome.js';

/** A JSON file: its value, and its exact bytes, which are sent. `-` is standard input. */
interface JsonFile {
  readonly value: JsonValue;
  readonly bytes: Buffer;
}

/** Reads a JSON file as strictly as the server, so that a mistake is reported before anything is sent. */
export async function readJsonFile(deps: CliDeps, path: string): Promise<Result<JsonFile, CliFailure>> {
  const bytes = await readFileBytes(deps, path);
  return bytes.ok ? jsonIn(path, bytes.value) : bytes;
}

/** The bytes of a file; `-` is standard input. */
export async function readFileBytes(deps: CliDeps, path: string): Promise<Result<Buffer, CliFailure>> {
  try {
    return ok(path === '-' ? await readAll(deps.stdin) : readFileSync(resolve(deps.cwd, path)));
  } catch (error) {
    return err(unreadable(path, error));
  }
}

/** The JSON in the bytes of the file. */
export function jsonIn(path: string, bytes: Buffer): Result<JsonFile, CliFailure> {
  const parsed = parseStrictJson(bytes);
  if (parsed.ok) return ok({ value: parsed.value.value, bytes });
  const { message, pointer } = parsed.error;
  return err({
    message: `${path} is not usable JSON: ${message}${pointer === '' ? '' : `, at ${pointer}`}.`,
  });
}

/** The text of a file system error. */
export function unreadable(path: string, error: unknown): CliFailure {
  const code = (error as NodeJS.ErrnoException).code;
  const why = code === 'ENOENT' ? 'there is no such file' : (code ?? 'it cannot be read');
  return { message: `${path}: ${why}.` };
}

/** A secret from standard input, so that it is in no shell history and no list of processes. */
export async function readSecret(deps: CliDeps): Promise<Result<string, CliFailure>> {
  if (deps.stdin.isTTY === true)
    deps.stderr.write('Type or paste the secret, then press Enter and Ctrl-D:\n');
  const secret = (await readAll(deps.stdin)).toString('utf8').replace(/\r?\n$/, '');
  return secret === ''
    ? err({
        message: 'No secret was given on standard input.',
        hint: 'For example: pass show acme | npx switchyard ...',
      })
    : ok(secret);
}

/** Asks for confirmation before an irreversible action. Without a terminal, `--yes` is required. */
export async function confirmed(deps: CliDeps, question: string): Promise<Result<boolean, CliFailure>> {
  if (deps.stdin.isTTY !== true)
    return err({ message: `${question} There is no terminal to ask for confirmation: give --yes.` });
  const terminal = createInterface({ input: deps.stdin, output: deps.stderr });
  const answer = await terminal.question(`${question} Go on? [y/N] `);
  terminal.close();
  return ok(/^y(es)?$/i.test(answer.trim()));
}

/** The lines of a file as they are read, without line ends; `-` is standard input. Iteration throws file system errors. */
export async function* linesOf(deps: CliDeps, path: string): AsyncGenerator<string> {
  const chunks: AsyncIterable<Buffer | string> =
    path === '-' ? deps.stdin : createReadStream(resolve(deps.cwd, path), { highWaterMark: 1024 * 1024 });
  let begun: Buffer[] = [];
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk);
    let from = 0;
    for (let end = bytes.indexOf(lineEnd); end >= 0; end = bytes.indexOf(lineEnd, from)) {
      yield Buffer.concat([...begun, bytes.subarray(from, end)]).toString('utf8');
      begun = [];
      from = end + 1;
    }
    begun.push(bytes.subarray(from));
  }
  yield Buffer.concat(begun).toString('utf8');
}

const lineEnd = 10;

async function readAll(stream: NodeJS.ReadableStream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk));
  return Buffer.concat(chunks);
}
