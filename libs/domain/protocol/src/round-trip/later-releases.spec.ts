import { describe, expect, it } from '@jest/globals';
import { releases, schemasAreThere, schemasOf, type Published } from '@switchyard/testing';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import type { Finding } from '../losses/finding.js';
import { lostInAnswer } from '../losses/lost-in-answer.js';
import { lostInReading } from '../losses/lost-in-reading.js';
import { releaseNames } from '../releases/known-releases.js';
import { taskTable, type AnyTaskSpec } from '../task-table.js';
import { withoutOverlaps } from './testkit/faults.js';
import { holder, isNotified, leavesOf, pathOf } from './testkit/leaves.js';
import { envelope, mappedPaths } from './testkit/mappings.js';
import { messagesOf } from './testkit/message.js';
import { formAt, profileAt, spokenBy, type Peer } from './testkit/peers.js';
import { publishedTasks } from './testkit/published.js';
import { onWire, sentTo } from './testkit/requests.js';

/*
 * Releases that are spoken only by their exact names. Messages with the members of their schemas are read and written
 * for peers of every form and of the release itself: each value arrives or a finding names it, and what is written
 * conforms to the schemas of whoever gets it.
 */

type Row = keyof typeof taskTable;

/** Generated per kind of message. All members of all schemas would take half an hour. */
const tries = 40;
const slowestMs = 900_000;
/** Both are registered for the signed profile; the member would select an older one. */
const deviation =
  /^\/(reporting_webhook|push_notification_config) must have required property 'authentication'/;
const peers: readonly Peer[] = ['service', ...releases, ...releaseNames];

const made = new Map<string, readonly JsonObject[]>();

function messagesIn(release: Published, row: Row, kind: 'request' | 'response'): readonly JsonObject[] {
  const path = publishedTasks(release).find(([name]) => name === row)?.[1];
  if (path === undefined) return [];
  const before = made.get(`${release} ${row} ${kind}`);
  if (before !== undefined) return before;
  const { messages } = messagesOf(schemasOf(release), `${path}-${kind}`, 7, { tries });
  made.set(`${release} ${row} ${kind}`, messages);
  return messages;
}

/** Faults of a message by the schemas of whoever gets it; none where that form has no schemas. */
function faultsFor(peer: Peer, row: Row, kind: 'request' | 'response', message: JsonObject): string[] {
  // Our capabilities are written from what is built: no seller's are passed on.
  if (peer === 'service' || (row === 'getCapabilities' && kind === 'response')) return [];
  const path = publishedTasks(peer).find(([name]) => name === row)?.[1];
  if (path === undefined) return [];
  const validate = schemasOf(peer).validatorOf(`${path}-${kind}`);
  if (validate(message)) return [];
  return withoutOverlaps(validate.errors ?? [], peer)
    .map(
      ({ instancePath, message: fault = '', params }) =>
        `${instancePath.replaceAll(/\d+/g, '#')} ${fault} ${JSON.stringify(params).slice(0, 90)}`,
    )
    .filter((fault) => !deviation.test(fault))
    .map((fault) => `${peer}: ${fault}`)
    .filter((fault) => !search.test(fault));
}

interface Passed {
  readonly written: JsonObject;
  readonly findings: readonly Finding[];
}

function answered(row: Row, message: JsonObject, from: Peer, to: Peer): Passed | undefined {
  const spec: AnyTaskSpec = taskTable[row];
  const read = spec.readAnswer(message, profileAt(from), new Map());
  if (!read.ok) return undefined;
  const answer = read.value.answer as object;
  const written = spec.projectAnswer(answer, profileAt(to));
  const findings = [
    ...read.value.setAside,
    ...lostInReading(spec, message, answer, profileAt(from)),
    ...lostInAnswer(spec.name, answer, written, formAt(to)),
    ...replaced,
  ];
  return { written: onWire({ status: 'completed', ...written }), findings };
}

/** A request with our own members of each leg, whose loss is no loss of the caller's. */
function requested(row: Row, message: JsonObject, from: Peer, to: Peer): Passed | undefined {
  const sent = sentTo(row, message, from, to);
  if (sent === undefined || sent.notExpressible !== undefined) return undefined;
  return { written: onWire(sent.args), findings: [...sent.findings, ...replaced] };
}

const replaced: readonly Finding[] = [
  ...['reporting_webhook', 'media_buy_id', 'packages[].package_id', 'brief', 'max_results', 'pagination'],
  // The error of a task that has not failed, and the kind of an asset whose place names it.
  ...['error', 'creatives[].assets.x1[].asset_type'],
].map((field) => ({ code: 'OURS', message: 'Each seller gets our own, or its page is ours.', field }));

/** Values of a message that neither arrived nor are named by a finding. */
function silentlyLost(
  kind: 'request' | 'response',
  row: Row,
  message: JsonObject,
  { written, findings }: Passed,
): readonly string[] {
  const updates = written['updates'];
  const isHeld = holder(isJsonObject(updates) ? { ...written, ...updates } : written);
  const fields = new Set(
    findings.map(({ code, field = '' }) =>
      code === 'CREATIVE_LEFT_OUT' ? pathOf(field).replace(/\.[^.]*$/, '') : pathOf(field),
    ),
  );
  const known = new Set([...envelope[kind], ...mappedPaths(kind, row)]);
  return leavesOf(message)
    .filter((leaf) => !isNotified(leaf.at, known) && !isNotified(leaf.at, fields) && !isHeld(leaf))
    .map(({ at }) => at);
}

/** Requests that no seller gets: we answer them, or ask with questions of our own. */
const neverSent: readonly Row[] = [
  'listCreatives',
  'listTasks',
  'listAccounts',
  'syncAccounts',
  'cancelTask',
];

/** 2.5 and 3.0 have shapes for a search that is under way, and no such type of task. */
const search = /^(2\.5|3\.0): (\/tasks\/#)?\/task_type /;

const rows = Object.keys(taskTable) as Row[];
interface Way {
  readonly from: Published;
  readonly to: Peer;
}

const ways = releaseNames.flatMap((release): readonly Way[] => [
  ...peers.map((to) => ({ from: release, to })),
  { from: '3.1', to: release },
]);

describe('a release after the newest form', () => {
  it('is compared with its schemas, or the number of ways that are not is printed', () => {
    const cells = ways.length * rows.length * 2;
    if (!schemasAreThere)
      console.warn(`published schemas absent: ${cells} ways of later releases were not tried`);
    expect(cells).toBeGreaterThan(100);
  });

  for (const row of schemasAreThere ? rows : [])
    for (const kind of ['request', 'response'] as const)
      it(
        `loses nothing silently and fits everybody: the ${kind} of ${row}`,
        () => {
          const faults = new Set<string>();
          const lost = new Set<string>();
          for (const { from, to } of ways)
            for (const message of messagesIn(from, row, kind)) {
              const named = spokenBy(from, message);
              const passed =
                kind === 'request' ? requested(row, named, from, to) : answered(row, named, from, to);
              if (passed === undefined || (kind === 'request' && neverSent.includes(row))) continue;
              for (const at of silentlyLost(kind, row, message, passed)) lost.add(`${from} to ${to}: ${at}`);
              for (const fault of faultsFor(to, row, kind, passed.written)) faults.add(`${from} to ${fault}`);
            }
          expect({ lost: [...lost], faults: [...faults] }).toEqual({ lost: [], faults: [] });
        },
        slowestMs,
      );
});
