import type { Command } from 'commander';
import { ok, type JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import { shown, type Outcome } from '../../outcome.js';
import { everyPage, listed, tableOf } from '../../pages.js';
import { cell } from '../../plain.js';
import { request } from '../../request-command.js';
import { table } from '../../table.js';
import { atInstance, withTarget, type At, type TargetOptions } from '../../target.js';

/** `periods list|check|step|close|reopen|withdraw` and `accruals`. */
export function registerPeriods(program: Command, deps: CliDeps): void {
  const periods = program.command('periods').description('accounting periods (months)');
  withTarget(periods.command('list'))
    .description('list periods that have figures, or were closed or reopened; all others are open')
    .action(atInstance(deps, list));
  withTarget(periods.command('check'))
    .description('show what prevents closing a period')
    .argument('<period>', 'YYYY-MM')
    .action(atInstance(deps, check));
  request(periods, deps, 'step <period> <step>', {
    describe: 'give a step of the close to a person with a day, or say that it is done',
    of: ['YYYY-MM', 'invoices, compared, differences, held, campaigns, accruals or closed'],
    options: {
      '--owner <id>': 'id of the person whose it is; none: nobody’s',
      '--due <day>': 'YYYY-MM-DD; none: no day',
      '--done': 'it is done: who says so cannot close the period',
      '--undone': 'it is not done after all',
    },
    route: 'POST /v1/periods/{period}/steps',
    members: ({ step, owner, due, done, undone }) => ({
      ...{ step, owner_id: orNull(owner), due_on: orNull(due) },
      done: done === true || (undone === true ? false : undefined),
    }),
    text: ({ steps }) =>
      tableOf(
        deps,
        { Step: 'step', Owner: 'owner', Due: 'due_on', Done: 'done_at', By: 'done_by' },
        objectsIn(steps),
      ),
  });
  request(periods, deps, 'close <period>', {
    describe: 'close a period that is over',
    of: 'YYYY-MM',
    options: { '--soft': 'soft close: late figures are still posted to it' },
    route: 'POST /v1/periods/{period}/close',
    text: stateText,
  });
  request(periods, deps, 'reopen <period>', {
    describe: 'request to reopen a closed period, or agree as another person',
    of: 'YYYY-MM',
    options: { '--reason <text>': 'the reason, stored in the ledger' },
    route: 'POST /v1/periods/{period}/reopen',
    text: stateText,
  });
  request(periods, deps, 'withdraw <period>', {
    describe: 'take back the request to reopen a period, or refuse that of another person',
    of: 'YYYY-MM',
    route: 'POST /v1/periods/{period}/withdraw',
    text: stateText,
  });
  withTarget(program.command('accruals'))
    .description('accruals: delivered by the end of a period and not invoiced')
    .requiredOption('--period <month>', 'YYYY-MM')
    .action(atInstance(deps, accruals));
}

function list(at: At): Promise<Outcome> {
  return listed(everyPage(at), {
    path: '/v1/periods',
    name: 'periods',
    columns: {
      Period: 'period',
      State: 'state',
      Closed: 'closed_at',
      'Reason for reopening': ({ reopen_reason: reason, reopen_asked_by_name: by, reopen_until: until }) =>
        reason === undefined ? undefined : `${cell(reason)} (${cell(by)} asks until ${cell(until)})`,
    },
    none: 'No period has figures. Every period is open.',
  });
}

async function check({ instance }: At, period: string): Promise<Outcome> {
  return shown(instance.get(`/v1/periods/${encodeURIComponent(period)}/checklist`), (answer) => {
    const { open_breaks: breaks, quarantined_events: events, unassigned_buys: buys } = answer;
    const lines = [
      `Open breaks: ${cell(breaks)}. Quarantined events: ${cell(events)}. Buys without a campaign: ${cell(buys)}.`,
      ...(answer['reconciliation_due'] === true
        ? [`Its figures changed after the last reconciliation: run reconcile --period ${period}.`]
        : []),
      ...(breaks === 0 ? [] : [`See the breaks: switchyard breaks list --period ${period} --state open`]),
      ...(events === 0
        ? []
        : [`See the events: switchyard events list --period ${period} --state quarantined`]),
      ...(buys === 0 ? [] : ['See the buys: switchyard buys --unassigned']),
      ...objectsIn(answer['split_evenly']).map(
        ({ currency, amount, seller, figures }) =>
          `Split evenly: ${cell(currency)} ${cell(amount)} of ${cell(seller)}, figures: ${cell(figures)}. Ask the seller for single days first.`,
      ),
    ];
    return lines.join('\n');
  });
}

const orNull = (text: unknown): unknown => (text === 'none' ? null : text);

const stateText = ({ period, state, waits_for: waitsFor }: JsonObject): string =>
  waitsFor === undefined
    ? `The period ${cell(period)} is ${cell(state)}.`
    : `Asked to open ${cell(period)}. Another person must agree with the same command.`;

async function accruals({
  deps,
  instance,
  options,
}: At<TargetOptions & { readonly period: string }>): Promise<Outcome> {
  const answer = await instance.get(`/v1/periods/${encodeURIComponent(options.period)}/accruals`);
  if (!answer.ok) return answer;
  const found = objectsIn(answer.value['accruals']);
  const rows = found.map(({ seller, amount, currency }) => [seller, amount, currency]);
  const unbilled = objectsIn(answer.value['unbilled']).map(({ client, amount, currency }) => [
    client,
    amount,
    currency,
  ]);
  const text = [
    rows.length === 0 ? 'Nothing is accrued.' : table(deps, ['Seller', 'Amount', 'Currency'], rows),
    ...(unbilled.length === 0
      ? []
      : ['Not billed to clients:', table(deps, ['Client', 'Amount', 'Currency'], unbilled)]),
  ].join('\n');
  return ok({ json: found, text });
}
