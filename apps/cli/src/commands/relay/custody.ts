import { Option, type Command } from 'commander';
import { ok, type JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { finish, type Outcome, shown } from '../../outcome.js';
import { cell } from '../../plain.js';
import { atInstance, onInstance, withTarget, type At, type TargetOptions } from '../../target.js';
import {
  listed,
  objectMembers,
  withObjects,
  withPages,
  type ObjectOptions,
  type PageOptions,
} from '../../pages.js';
import { withSigner, type SignerOptions } from '../../proofs/signer-options.js';
import { queryOf } from '../../query-of.js';
import { downloadOrJob, withJob, type JobOptions } from '../jobs.js';

interface OfOptions extends TargetOptions {
  readonly principal?: string;
}

interface ListOptions extends OfOptions, PageOptions, ObjectOptions {
  readonly seller?: string;
  readonly outcome?: string;
}

const ofHelp = 'principal (default: the principal of the token; for an admin: all)';

/** `custody list`, `show`, `export` and `verify`: what was relayed, and in whose name. */
export function registerCustody(program: Command, deps: CliDeps): void {
  const custody = program.command('custody').description('the record of relayed and refused requests');
  withTarget(withPages(withObjects(custody.command('list'))))
    .description('list relayed requests, including refused ones, newest first')
    .option('--principal <id>', ofHelp)
    .option('--seller <slug>', 'only those to this seller')
    .addOption(
      new Option('--outcome <outcome>', 'only those with this outcome').choices([
        'refused',
        'unreachable',
        'unknown',
        'answered',
      ]),
    )
    .action(atInstance(deps, list));
  withTarget(custody.command('show'))
    .description('show one record of the chain')
    .argument('<id>', 'record id')
    .action(atInstance(deps, show));
  withJob(withTarget(custody.command('export')))
    .description('print a whole chain as one document that can be verified offline')
    .option('--principal <id>', ofHelp)
    .action(atInstance(deps, exported));
  withSigner(withTarget(custody.command('verify')))
    .description('verify a chain; an export is verified without a server')
    .argument('[file]', 'an export (- for standard input; default: the chain of the instance)')
    .option('--principal <id>', ofHelp)
    .action(async (file: string | undefined, options: OfOptions & SignerOptions) => {
      if (file === undefined) return finish(deps, options, await verifyThere(deps, options));
      // Loads the verifier only here, so that other commands start fast.
      const { verifyFiles } = await import('../../proofs/verify-files.js');
      finish(deps, options, await verifyFiles(deps, [file], options));
    });
}

function list(at: At<ListOptions>): Promise<Outcome> {
  const { principal, seller, outcome } = at.options;
  return listed(at, {
    path: '/v1/custody',
    name: 'records',
    query: { principal_id: principal, seller, outcome, ...objectMembers(at.options) },
    columns: {
      Record: 'record_id',
      Arrived: 'arrived_at',
      Way: 'way',
      Seller: 'seller',
      Task: 'task',
      Outcome: (row) => row['outcome'] ?? 'under way',
      Code: 'code',
    },
    none: 'No relayed request matches.',
  });
}

function show({ instance }: At, id: string): Promise<Outcome> {
  return shown(instance.get(`/v1/custody/${encodeURIComponent(id)}`), (answer) =>
    JSON.stringify(answer, undefined, 2),
  );
}

const exported = (at: At<OfOptions & JobOptions>): Promise<Outcome> =>
  downloadOrJob(at, `/v1/custody/export${queryOf({ principal_id: at.options.principal })}`);

function verifyThere(deps: CliDeps, options: OfOptions): Promise<Outcome> {
  return onInstance(deps, options, async (instance) => {
    const answer = await instance.get(`/v1/custody/verify${queryOf({ principal_id: options.principal })}`);
    return answer.ok ? received(answer.value) : answer;
  });
}

function received(verdict: JsonObject): Outcome {
  const { ok: isWhole, records, head, code, block, record } = verdict;
  if (isWhole === true) {
    return ok({
      json: verdict,
      text: `The chain is intact: ${cell(records)} records, head ${cell(head ?? 'of several chains')}.`,
    });
  }
  const place = typeof record === 'string' ? `, record ${cell(record)}` : '';
  const failed = `The chain is broken: ${cell(code)} at block ${cell(block)}${place}.`;
  return ok({ json: verdict, text: failed, failed });
}
