import type { Command } from 'commander';
import { defined, err, isJsonObject, ok, type JsonObject, type Result } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { type CliFailure, type Outcome, shown } from '../../outcome.js';
import { cell } from '../../plain.js';
import { several } from '../../read-options.js';
import { atInstance, withTarget, type At, type TargetOptions } from '../../target.js';
import {
  listed,
  objectMembers,
  withObjects,
  withPages,
  type ObjectOptions,
  type PageOptions,
} from '../../pages.js';

interface ListOptions extends PageOptions, ObjectOptions {
  readonly state?: string;
  readonly seller?: string;
}

interface DecideOptions extends TargetOptions {
  readonly reason?: string;
}

interface AnswerOptions extends TargetOptions {
  readonly set?: readonly string[];
  readonly answer?: string;
}

/** `approvals list`, `show ID`, `approve ID`, `deny ID`, `withdraw ID`, `answer ID` and `dismiss ID`. */
export function registerApprovals(program: Command, deps: CliDeps): void {
  const approvals = program
    .command('approvals')
    .description('requests that wait for a person: internal approvals, and questions of sellers');
  withTarget(withPages(withObjects(approvals.command('list'))))
    .description('list internal approvals, and questions and reviews of sellers')
    .option('--state <state>', 'only those in this state, for example open')
    .option('--seller <slug>', 'only those of one seller')
    .action(atInstance(deps, list));
  withTarget(approvals.command('show'))
    .description('show one')
    .argument('<id>', 'approval id')
    .action(atInstance(deps, show));
  withTarget(approvals.command('withdraw'))
    .description('withdraw your own request to change a limit, a rate, a role, a rule or the place of a buy')
    .argument('<id>', 'approval id')
    .action(
      atInstance(deps, ({ instance }: At, id: string) =>
        shown(
          instance.post(`/v1/approvals/${encodeURIComponent(id)}/withdraw`, {}),
          () => `Approval ${cell(id)} is withdrawn.`,
        ),
      ),
    );
  for (const verb of ['approve', 'deny'] as const)
    withTarget(approvals.command(verb))
      .description(
        verb === 'approve'
          ? 'approve a request above a limit, or a change of a limit, a role or a rule; its requester cannot'
          : 'deny such a request',
      )
      .argument('<id>', 'approval id')
      .option('--reason <text>', 'the reason, stored with the approval')
      .action(atInstance(deps, (at: At<DecideOptions>, id: string) => decide(at, verb, id)));
  withTarget(approvals.command('answer'))
    .description('answer a question, once')
    .argument('<id>', 'approval id')
    .option('--set <member=value>', 'a member of the answer; may be given several times', several)
    .option('--answer <json>', 'the whole answer as a JSON object')
    .action(atInstance(deps, answer));
  withTarget(approvals.command('dismiss'))
    .description('dismiss a question that cannot be answered here')
    .argument('<id>', 'approval id')
    .requiredOption('--reason <text>', 'why no answer is needed here')
    .action(atInstance(deps, dismiss));
}

function list(at: At<ListOptions>): Promise<Outcome> {
  const { state, seller } = at.options;
  return listed(at, {
    path: '/v1/approvals',
    name: 'approvals',
    query: { state, seller, ...objectMembers(at.options) },
    columns: {
      Approval: 'approval_id',
      Kind: 'kind',
      State: 'state',
      Since: 'since',
      'Asked by': (row) => row['asked_by_name'] ?? row['asked_by'],
      For: (row) =>
        [row['subject'], row['client'], row['brand'], row['campaign']]
          .filter((name) => name !== undefined)
          .map(cell)
          .join(', '),
      Sellers: (row) => (Array.isArray(row['sellers']) ? row['sellers'].map(cell).join(', ') : row['seller']),
      Amount: (row) => (row['amount'] === undefined ? '' : `${cell(row['amount'])} ${cell(row['currency'])}`),
      Reason: 'reason',
      'Decided by': (row) =>
        row['decided_by'] === undefined
          ? undefined
          : `${cell(row['decided_by_name'] ?? row['decided_by'])}${heldByOne(row)}`,
    },
    none: 'No request waits for a person.',
  });
}

/** Members of an approval in the order in which a person reads them. */
const members = {
  kind: 'Kind',
  task: 'Act',
  state: 'State',
  subject: 'Of',
  reason: 'Reason',
  before: 'Before',
  after: 'After',
  amount: 'Amount',
  currency: 'Currency',
  asked_by_name: 'Asked by',
  since: 'Since',
  expires_at: 'Until',
  decided_by_name: 'Decided by',
  decided_at: 'Decided at',
  decision_reason: 'Decision',
} as const;

function show({ instance }: At, id: string): Promise<Outcome> {
  return shown(instance.get(`/v1/approvals/${encodeURIComponent(id)}`), (row) =>
    Object.entries(members)
      .filter(([member]) => row[member] !== undefined)
      .map(([member, label]) => `${label.padEnd(15)}${cell(row[member])}`)
      .join('\n'),
  );
}

/** Who could have acted as both the requester and the decider. */
function heldByOne({ holders_of_both: names }: JsonObject): string {
  return Array.isArray(names) ? ` (Requester and decider can both be ${names.map(cell).join(', ')}.)` : '';
}

function decide({ instance, options }: At<DecideOptions>, verb: string, id: string): Promise<Outcome> {
  return shown(
    instance.post(`/v1/approvals/${encodeURIComponent(id)}/${verb}`, defined({ reason: options.reason })),
    (row) =>
      `Approval ${cell(id)} is ${cell(row['state'])}${row['state'] === 'failed' ? `: ${cell(row['decision_reason'])}` : ''}.${heldByOne(row)}`,
  );
}

async function answer({ instance, options }: At<AnswerOptions>, id: string): Promise<Outcome> {
  const read = readAnswer(options);
  if (!read.ok) return read;
  const path = `/v1/approvals/${encodeURIComponent(id)}/answer`;
  return shown(
    instance.post(path, { answer: read.value }),
    ({ state, outcome }) =>
      `Approval ${cell(id)} is ${cell(state)}; the task is ${cell(outcome ?? 'not known yet')}.`,
  );
}

function dismiss(
  { instance, options }: At<TargetOptions & { readonly reason: string }>,
  id: string,
): Promise<Outcome> {
  const path = `/v1/approvals/${encodeURIComponent(id)}/dismiss`;
  return shown(
    instance.post(path, { reason: options.reason }),
    () => `Approval ${cell(id)} is dismissed. Its task is still followed.`,
  );
}

function readAnswer({ set = [], answer: text }: AnswerOptions): Result<JsonObject, CliFailure> {
  const pairs = set.map((pair) => {
    const at = pair.indexOf('=');
    return at < 1 ? undefined : ([pair.slice(0, at), pair.slice(at + 1)] as const);
  });
  if (pairs.includes(undefined)) return err({ message: 'Write each --set as member=value.' });
  const whole = text === undefined ? {} : parsed(text);
  if (!isJsonObject(whole)) return err({ message: '--answer must be a JSON object.' });
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
