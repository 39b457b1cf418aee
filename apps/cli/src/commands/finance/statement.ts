import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { err, isJsonObject, ok, type JsonObject, type JsonValue, type Result } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { printing, type CliFailure, type Outcome } from '../../outcome.js';
import { cell } from '../../plain.js';
import { readJsonFile } from '../../read-input.js';
import { onInstance, withTarget, type TargetOptions } from '../../target.js';
import { writeFiles } from '../../write-files.js';

interface MakeOptions extends TargetOptions {
  readonly period: string;
  readonly client?: string;
  readonly brand?: string;
  readonly campaign?: string;
  readonly seller?: string;
  readonly format: 'json' | 'csv' | 'xlsx' | 'pdf';
  readonly out: string;
}

interface VerifyOptions extends TargetOptions {
  readonly jwks?: string;
}

/** `statement make` and `statement verify FILE`. */
export function registerStatement(program: Command, deps: CliDeps): void {
  const statement = program.command('statement').description('signed statements of spend');
  withTarget(statement.command('make'))
    .description('make and sign the statement of one period')
    .requiredOption('--period <month>', 'YYYY-MM')
    .option('--client <id>', 'of one client')
    .option('--brand <domain>', 'of one brand')
    .option('--campaign <id>', 'of one campaign')
    .option('--seller <slug>', 'of one seller')
    .addOption(
      new Option('--format <format>', 'format; the signature of all but json is written to FILE.jws')
        .choices(['json', 'csv', 'xlsx', 'pdf'])
        .default('json'),
    )
    .requiredOption('--out <file>', 'where to write it')
    .action(printing(deps, make));
  withTarget(statement.command('verify'))
    .description('check the signature and the sums of a statement, without any server')
    .argument('<file>', 'a statement; - for standard input. Beside CSV, XLSX and PDF its FILE.jws is read')
    .option('--jwks <file>', 'the published key set, to check that the key is one of it')
    .action(printing(deps, verify));
}

function make(deps: CliDeps, options: MakeOptions): Promise<Outcome> {
  const { period, out, format } = options;
  const named = (['client', 'brand', 'campaign', 'seller'] as const).filter(
    (kind) => options[kind] !== undefined,
  );
  const [kind, another] = named;
  if (another !== undefined)
    return Promise.resolve(err({ message: 'Give one of --client, --brand, --campaign and --seller.' }));
  return onInstance(deps, options, async (instance) => {
    const answer = await instance.post('/v1/statements', {
      period,
      ...(format !== 'json' && { format }),
      ...(kind !== undefined && { scope: `${kind}:${options[kind] ?? ''}` }),
    });
    if (!answer.ok) return answer;
    const { digest, file, jws, key } = answer.value;
    if (isJsonObject(file)) {
      const [head = '', payload = '', signature = ''] = (typeof jws === 'string' ? jws : '').split('.');
      const flattened = { payload, protected: head, header: { jwk: key ?? null }, signature };
      const { sha256, content } = file;
      const written = writeFiles(deps, [
        { name: `${out}.jws`, content: `${JSON.stringify(flattened, null, 2)}\n` },
        { name: out, content: Buffer.from(typeof content === 'string' ? content : '', 'base64') },
      ]);
      if (!written.ok) return written;
      return ok({
        json: { file: out, signature: `${out}.jws`, digest: digest ?? null, sha256: sha256 ?? null },
        text: `Wrote ${out} and its signature ${out}.jws, SHA-256 ${cell(sha256)}.`,
      });
    }
    const written = writeFiles(deps, [{ name: out, content: `${JSON.stringify(answer.value, null, 2)}\n` }]);
    if (!written.ok) return written;
    return ok({ json: { file: out, digest: digest ?? null }, text: `Wrote ${out}, digest ${cell(digest)}.` });
  });
}

async function verify(deps: CliDeps, file: string, options: VerifyOptions): Promise<Outcome> {
  const keys = options.jwks === undefined ? undefined : await readJsonFile(deps, options.jwks);
  if (keys?.ok === false) return keys;
  const found = await problemsOf(deps, file, keys?.value.value);
  if (!found.ok) return found;
  const { problems, what } = found.value;
  const json: JsonObject = { ok: problems.length === 0, problems: [...problems] };
  if (problems.length > 0)
    return ok({ json, text: '', failed: `${file} is not valid: ${problems.join('\n')}` });
  const which = keys === undefined ? ' Compare its key with the published set: --jwks FILE.' : '';
  return ok({ json, text: `The statement is valid: ${what}.${which}` });
}

interface Judged {
  readonly problems: readonly string[];
  readonly what: string;
}

/** A JSON statement contains its signature; other formats have it in a separate file. */
async function problemsOf(
  deps: CliDeps,
  file: string,
  keys: JsonValue | undefined,
): Promise<Result<Judged, CliFailure>> {
  // Loads the verifier only here, so that other commands start fast.
  const { verifyStatement, verifyStatementFile } = await import('../../verify-statement.js');
  const bytes = file === '-' ? undefined : readFile(resolve(deps.cwd, file));
  if (bytes !== undefined && !bytes.toString('latin1', 0, 100).trimStart().startsWith('{')) {
    const beside = await readJsonFile(deps, `${file}.jws`);
    if (!beside.ok) return beside;
    if (!isJsonObject(beside.value.value)) return err({ message: `${file}.jws is no signature.` });
    const problems = await verifyStatementFile(bytes, beside.value.value, keys);
    return ok({ problems, what: 'its signature is valid and the file is the one that was signed' });
  }
  const read = await readJsonFile(deps, file);
  if (!read.ok) return read;
  if (!isJsonObject(read.value.value)) return err({ message: `${file} is no statement.` });
  const problems = await verifyStatement(read.value.value, keys);
  return ok({ problems, what: 'its signature is valid and its sums are right' });
}

/** Undefined if it cannot be read: reading it as JSON then reports the reason. */
function readFile(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
