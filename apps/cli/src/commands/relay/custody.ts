import type { Command } from 'commander';
import { ok, type JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { finish, type Outcome } from '../../outcome.js';
import { cell } from '../../plain.js';
import { request } from '../../request-command.js';
import { atInstance, onInstance, withTarget, type At, type TargetOptions } from '../../target.js';
import { listed, withPages, type PageOptions } from '../../pages.js';
import { withSigner, type SignerOptions } from '../../proofs/signer-options.js';
import { queryOf } from '../../query-of.js';
import { downloadOrJob, withJob, type JobOptions } from '../jobs.js';

interface OfOptions extends TargetOptions {
  readonly principal?: string;
}

const ofHelp = 'principal (default: the principal of the token; for an admin: all)';

/** `custody list`, `show`, `export` and `verify`: what was relayed, and in whose name. */
export function registerCustody(program: Command, deps: CliDeps): void {
  const custody = program.command('custody').description('the record of relayed and refused requests');
  withTarget(withPages(custody.command('list')))
    .description('list relayed requests, including refused ones, newest first')
    .action(atInstance(deps, list));
  request(custody, deps, 'show <id>', {
    describe: 'show one record of the chain',
    of: 'record id',
    route: 'GET /v1/custody/{id}',
    text: (answer) => JSON.stringify(answer, undefined, 2),
  });
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

function list(at: At<PageOptions>): Promise<Outcome> {
  return listed(at, {
    path: '/v1/custody',
    name: 'records',
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
