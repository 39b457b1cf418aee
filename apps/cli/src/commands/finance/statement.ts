import { Option, type Command } from 'commander';
import { err, isJsonObject, ok } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { printing, type Outcome } from '../../outcome.js';
import { cell } from '../../plain.js';
import { withSigner, type SignerOptions } from '../../proofs/signer-options.js';
import { onInstance, withTarget, type TargetOptions } from '../../target.js';
import { writeFiles } from '../../write-files.js';
import { answerOrJob, withJob, type JobOptions } from '../jobs.js';

interface MakeOptions extends JobOptions {
  readonly period: string;
  readonly client?: string;
  readonly brand?: string;
  readonly campaign?: string;
  readonly seller?: string;
  readonly format: 'json' | 'csv' | 'xlsx' | 'pdf' | 'html';
  readonly note?: string;
  readonly out: string;
}

type VerifyOptions = TargetOptions & SignerOptions;

/** `statement make` and `statement verify FILE`. */
export function registerStatement(program: Command, deps: CliDeps): void {
  const statement = program.command('statement').description('signed statements of spend');
  withJob(withTarget(statement.command('make')))
    .description('make and sign the statement of one period')
    .requiredOption('--period <month>', 'YYYY-MM')
    .option('--client <id>', 'of one client')
    .option('--brand <domain>', 'of one brand')
    .option('--campaign <id>', 'of one campaign')
    .option('--seller <slug>', 'of one seller')
    .addOption(
      new Option('--format <format>', 'format; the signature of all but json is written to FILE.jws')
        .choices(['json', 'csv', 'xlsx', 'pdf', 'html'])
        .default('json'),
    )
    .option('--note <text>', 'words above its figures')
    .requiredOption('--out <file>', 'where to write it')
    .action(printing(deps, make));
  withSigner(withTarget(statement.command('verify')))
    .description('check the signature, the signer and the sums of a statement, without any server')
    .argument('<file>', 'a statement; - for standard input. Beside CSV, XLSX and PDF its FILE.jws is read')
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
    const body = {
      period,
      ...(format !== 'json' && { format }),
      ...(options.note !== undefined && { note: options.note }),
      ...(kind !== undefined && { scope: `${kind}:${options[kind] ?? ''}` }),
    };
    const made = await answerOrJob(deps, instance, options, { path: '/v1/statements', body });
    if (!made.ok) return made;
    if ('shown' in made.value) return made.value.shown;
    const { answer } = made.value;
    const { digest, file, jws, key } = answer;
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
    const written = writeFiles(deps, [{ name: out, content: `${JSON.stringify(answer, null, 2)}\n` }]);
    if (!written.ok) return written;
    return ok({ json: { file: out, digest: digest ?? null }, text: `Wrote ${out}, digest ${cell(digest)}.` });
  });
}

async function verify(deps: CliDeps, file: string, options: VerifyOptions): Promise<Outcome> {
  // Loads the verifier only here, so that other commands start fast.
  const { verifyFiles } = await import('../../proofs/verify-files.js');
  return verifyFiles(deps, [file], options);
}
