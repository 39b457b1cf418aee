import type { Command } from 'commander';
import { err, isJsonObject, ok, type JsonObject, type Result } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { type CliFailure, type Outcome, shown } from '../../outcome.js';
import { cell } from '../../plain.js';
import { needed, request } from '../../request-command.js';
import { several } from '../../read-options.js';
import { atInstance, withTarget, type At, type TargetOptions } from '../../target.js';
import { listed, withPages, type PageOptions } from '../../pages.js';

interface AnswerOptions extends TargetOptions {
  readonly set?: readonly string[];
  readonly answer?: string;
}

/** `approvals list`, `show ID`, `approve ID`, `deny ID`, `withdraw ID`, `answer ID` and `dismiss ID`. */
export function registerApprovals(program: Command, deps: CliDeps): void {
  const approvals = program
    .command('approvals')
    .description('requests that wait for a person: internal approvals, and questions of sellers');
  withTarget(withPages(approvals.command('list')))
    .description('list internal approvals, and questions and reviews of sellers')
    .action(atInstance(deps, list));
  const of = 'approval id';
  request(approvals, deps, 'show <id>', {
    describe: 'show one',
    of,
    route: 'GET /v1/approvals/{id}',
    text: (row) =>
      Object.entries(members)
        .filter(([member]) => row[member] !== undefined)
        .map(([member, label]) => `${label.padEnd(15)}${cell(row[member])}`)
        .join('\n'),
  });
  request(approvals, deps, 'withdraw <id>', {
    describe: 'withdraw your own request to change a limit, a rate, a role, a rule or the place of a buy',
    of,
    route: 'POST /v1/approvals/{id}/withdraw',
    text: (_, { id }) => `Approval ${id} is withdrawn.`,
  });
  const decision = { of, options: { '--reason <text>': 'the reason, stored with the approval' } };
  request(approvals, deps, 'approve <id>', {
    describe:
      'approve a request above a limit, or a change of a limit, a role or a rule; its requester cannot',
    ...decision,
    route: 'POST /v1/approvals/{id}/approve',
    text: (row, { id }) => decidedText(row, id),
  });
  request(approvals, deps, 'deny <id>', {
    describe: 'deny such a request',
    ...decision,
    route: 'POST /v1/approvals/{id}/deny',
    text: (row, { id }) => decidedText(row, id),
  });
  withTarget(approvals.command('answer'))
    .description('answer a question, once')
    .argument('<id>', 'approval id')
    .option('--set <member=value>', 'a member of the answer; may be given several times', several)
    .option('--answer <json>', 'the whole answer as a JSON object')
    .action(atInstance(deps, answer));
  request(approvals, deps, 'dismiss <id>', {
    describe: 'dismiss a question that cannot be answered here',
    of,
    options: { '--reason <text>': needed('why no answer is needed here') },
    route: 'POST /v1/approvals/{id}/dismiss',
    text: (_, { id }) => `Approval ${id} is dismissed. Its task is still followed.`,
  });
}

function list(at: At<PageOptions>): Promise<Outcome> {
  return listed(at, {
    path: '/v1/approvals',
    name: 'approvals',
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

/** Who could have acted as both the requester and the decider. */
function heldByOne({ holders_of_both: names }: JsonObject): string {
  return Array.isArray(names) ? ` (Requester and decider can both be ${names.map(cell).join(', ')}.)` : '';
}

const decidedText = (row: JsonObject, id: string): string =>
  `Approval ${id} is ${cell(row['state'])}${row['state'] === 'failed' ? `: ${cell(row['decision_reason'])}` : ''}.${heldByOne(row)}`;

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
