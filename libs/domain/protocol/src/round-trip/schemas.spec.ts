import { describe, expect, it } from '@jest/globals';
import { releases, schemasAreThere, schemasOf, type Release } from '@switchyard/testing';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import { lostInAnswer } from '../losses/lost-in-answer.js';
import { lostInReading } from '../losses/lost-in-reading.js';
import type { Finding } from '../losses/finding.js';
import { taskTable, type AnyTaskSpec } from '../task-table.js';
import type { Form, WireProfile } from '../versions/wire-profile.js';
import { holder, isNotified, leavesOf, pathOf } from './testkit/leaves.js';
import { envelope, mappedPaths, mappings } from './testkit/mappings.js';
import { messagesOf } from './testkit/message.js';
import { neverMade, whyNeverMade, type Reason } from './testkit/never-made.js';
import { publishedTasks } from './testkit/published.js';

/*
 * Messages generated from the published schemas, with every member at any depth, are read and written in every form.
 * Each value is in the result, or a finding names it or a member that contains it.
 */

type Row = keyof typeof taskTable;
type Kind = 'request' | 'response';

const forms: readonly Form[] = ['service', '2.5', '3.0', '3.1'];
const kinds: readonly Kind[] = ['request', 'response'];
const key = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
const exact = new Map<string, string>();
const neededMappings = new Set<string>();
const neededReasons = new Set<Reason>();
/** Members of all published schemas that occur in a message that can be read. */
let madeMembers = 0;
/** The minimum number of members in the schemas beside this repository. */
const namedMembers = 20_000;

interface Passed {
  readonly written: JsonObject;
  readonly findings: readonly Finding[];
}

/** A message of one form, converted to another; undefined if it is no success or is refused with a reason. */
function passed(
  spec: AnyTaskSpec,
  kind: Kind,
  message: JsonObject,
  from: WireProfile,
  to: WireProfile,
): Passed | undefined {
  if (kind === 'request') {
    // One release allows any text as a key; no reader accepts a short one.
    const keyed = 'idempotency_key' in message ? { ...message, idempotency_key: key } : message;
    const read = spec.readRequest(keyed, from, exact);
    if (!read.ok) return undefined;
    const { args, findings } = spec.projectRequest(read.value, to);
    // The `service` form has changes in a member of their own.
    const updates = args['updates'];
    const written = isJsonObject(updates) ? { ...args, ...updates } : args;
    const { ignored = [] } = read.value as { readonly ignored?: readonly Finding[] };
    return { written, findings: [...findings, ...ignored] };
  }
  const read = spec.readAnswer(message, from, exact);
  if (!read.ok) return undefined;
  const answer = read.value.answer as object;
  const written = spec.projectAnswer(answer, to);
  const findings = [
    ...read.value.setAside,
    ...lostInReading(spec, message, answer, from),
    ...lostInAnswer(spec.name, answer, written, to.form),
  ];
  return { written, findings };
}

function isRead(spec: AnyTaskSpec, kind: Kind, message: JsonObject, form: Release): boolean {
  const profile = { dialect: 'adcp', form } as const;
  return passed(spec, kind, message, profile, profile) !== undefined;
}

/** The members that findings name. A creative that is omitted is lost completely, whichever member was the reason. */
function fieldsOf(findings: readonly Finding[]): ReadonlySet<string> {
  return new Set(
    findings.map(({ code, field = '' }) =>
      code === 'CREATIVE_LEFT_OUT' ? pathOf(field).replace(/\.[^.]*$/, '') : pathOf(field),
    ),
  );
}

function silentlyLost(row: Row, kind: Kind, from: Release, messages: readonly JsonObject[]) {
  const spec: AnyTaskSpec = taskTable[row];
  const mapped = mappedPaths(kind, row);
  const around = new Set(envelope[kind]);
  const lost = new Set<string>();
  let read = 0;
  for (const message of messages)
    for (const form of forms) {
      const result = passed(spec, kind, message, { dialect: 'adcp', form: from }, { dialect: 'adcp', form });
      if (result === undefined) continue;
      read += 1;
      const isHeld = holder(JSON.parse(JSON.stringify(result.written)) as JsonObject);
      const fields = fieldsOf(result.findings);
      for (const leaf of leavesOf(message)) {
        if (isNotified(leaf.at, around) || isNotified(leaf.at, fields) || isHeld(leaf)) continue;
        const mapping = mapped.find((path) => isNotified(leaf.at, new Set([path])));
        if (mapping === undefined) lost.add(`${from} to ${form}: ${leaf.at}`);
        else neededMappings.add(`${kind} ${row} ${mapping}`);
      }
    }
  return { read, lost: [...lost] };
}

const cells = releases.flatMap((release) =>
  publishedTasks(release).flatMap(([row, path]) =>
    kinds.map((kind) => ({ release, row, kind, path: `${path}-${kind}` })),
  ),
);
const runs = schemasAreThere ? cells : [];

describe('a message of a published schema, in any other form', () => {
  it('exists for each task and release with a schema, or the number of missing ones is printed', () => {
    const skipped = cells.length - runs.length;
    if (skipped > 0) console.warn(`published schemas absent: ${skipped} kinds of messages were not made`);
    expect(runs.length + skipped).toBeGreaterThan(80);
  });

  for (const { release, row, kind, path } of runs)
    it(`reports every loss: the ${kind} of ${row} of ${release}`, () => {
      const of = `${release} ${row} ${kind}`;
      const { messages, found, missing } = messagesOf(schemasOf(release), path, 7, {
        isRead: (message) => isRead(taskTable[row], kind, message, release),
        isNeverMade: (at) => whyNeverMade(of, at) !== undefined,
      });
      madeMembers += found.size;
      for (const at of missing) {
        const reason = whyNeverMade(of, at);
        if (reason !== undefined) neededReasons.add(reason);
      }
      expect(missing.filter((at) => whyNeverMade(of, at) === undefined)).toEqual([]);
      const { read, lost } = silentlyLost(row, kind, release, messages);
      expect(lost).toEqual([]);
      expect(read).toBeGreaterThan(0);
    }, 300_000);

  it('has every member of each schema in a message that is read, except those with a reason', () => {
    expect(schemasAreThere ? madeMembers : namedMembers).toBeGreaterThanOrEqual(namedMembers);
    expect(schemasAreThere ? neverMade.filter((one) => !neededReasons.has(one)) : []).toEqual([]);
  });

  it('needs every listed mapping', () => {
    const listed = kinds.flatMap((kind) =>
      (Object.keys(mappings[kind]) as Row[]).flatMap((row) =>
        mappedPaths(kind, row).map((path) => `${kind} ${row} ${path}`),
      ),
    );
    expect(schemasAreThere ? listed.filter((one) => !neededMappings.has(one)) : []).toEqual([]);
  });
});
