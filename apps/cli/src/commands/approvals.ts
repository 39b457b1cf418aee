import type { Command } from 'commander';
import { err, isJsonObject, ok, type JsonObject, type Result } from '@switchyard/values';
import type { CliDeps } from '../deps.js';
import { objectsIn } from '../objects-in.js';
import { finish, type CliFailure, type Outcome } from '../outcome.js';
import { cell } from '../plain.js';
import { table } from '../table.js';
import { onInstance, withTarget, type TargetOptions } from '../target.js';
import { queryOf } from '../query-of.js';

interface ListOptions extends TargetOptions {
  readonly state?: string;
  readonly seller?: string;
  readonly limit?: string;
}

interface AnswerOptions extends TargetOptions {
  readonly set?: readonly string[];
  readonly answer?: string;
}

/** `approvals list`, `approvals answer ID` and `approvals dismiss ID`. */
export function registerApprovals(program: Command, deps: CliDeps): void {
  const approvals = program.command('approvals').description('what sellers ask people for');
  withTarget(approvals.command('list'))
    .description('list questions and reviews of every seller')
    .option('--state <state>', 'only questions in this state, for example open')
    .option('--seller <slug>', 'only those of one seller')
    .option('--limit <count>', 'how many at most')
    .action(async (options: ListOptions) => finish(deps, options, await list(deps, options)));
  withTarget(approvals.command('answer'))
    .description('answer a question, once')
    .argument('<id>', 'approval id')
    .option('--set <member=value...>', 'a member of the answer; may be given several times')
    .option('--answer <json>', 'the whole answer as a JSON object')
    .action(async (id: string, options: AnswerOptions) =>
      finish(deps, options, await answer(deps, id, options)),
    );
  withTarget(approvals.command('dismiss'))
    .description('put a question away that cannot be answered from here')
    .argument('<id>', 'approval id')
    .requiredOption('--reason <text>', 'why nobody has to answer it here')
    .action(async (id: string, options: TargetOptions & { readonly reason: string }) =>
      finish(deps, options, await dismiss(deps, id, options)),
    );
}

function list(deps: CliDeps, options: ListOptions): Promise<Outcome> {
  return onInstance(deps, options, async (instance) => {
    const { state, seller, limit } = options;
    const found = await instance.get(`/v1/approvals${queryOf({ state, seller, limit })}`);
    if (!found.ok) return found;
    const approvals = objectsIn(found.value['approvals']);
    const names = ['approval_id', 'kind', 'state', 'since', 'seller', 'task', 'reason'] as const;
    const rows = approvals.map((one) => names.map((name) => one[name]));
    const text =
      rows.length === 0
        ? 'Nothing waits for a person.'
        : table(deps, ['Approval', 'Kind', 'State', 'Since', 'Seller', 'Task', 'Reason'], rows);
    return ok({ json: approvals, text });
  });
}

function answer(deps: CliDeps, id: string, options: AnswerOptions): Promise<Outcome> {
  return onInstance(deps, options, async (instance) => {
    const read = readAnswer(options);
    if (!read.ok) return read;
    const path = `/v1/approvals/${encodeURIComponent(id)}/answer`;
    const answered = await instance.post(path, { answer: read.value });
    if (!answered.ok) return answered;
    const { state, outcome } = answered.value;
    const text = `Approval ${cell(id)} is ${cell(state)}; the task is ${cell(outcome ?? 'not known yet')}.`;
    return ok({ json: answered.value, text });
  });
}

function dismiss(
  deps: CliDeps,
  id: string,
  options: TargetOptions & { readonly reason: string },
): Promise<Outcome> {
  return onInstance(deps, options, async (instance) => {
    const path = `/v1/approvals/${encodeURIComponent(id)}/dismiss`;
    const dismissed = await instance.post(path, { reason: options.reason });
    if (!dismissed.ok) return dismissed;
    return ok({
      json: dismissed.value,
      text: `Approval ${cell(id)} is dismissed. Its task is still followed.`,
    });
  });
}

function readAnswer({ set = [], answer: text }: AnswerOptions): Result<JsonObject, CliFailure> {
  const pairs = set.map((pair) => {
    const at = pair.indexOf('=');
    return at < 1 ? undefined : ([pair.slice(0, at), pair.slice(at + 1)] as const);
  });
  if (pairs.includes(undefined)) return err({ message: 'Each --set is written as member=value.' });
  const whole = text === undefined ? {} : parsed(text);
  if (!isJsonObject(whole)) return err({ message: '--answer has to be a JSON object.' });
  const members = Object.fromEntries(pairs.filter((pair) => pair !== undefined));
  return ok({ ...whole, ...members });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
