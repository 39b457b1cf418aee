import {
  askedBecause,
  binds,
  changeKinds,
  changeRead,
  differenceOf,
  type Connection,
  type Difference,
  type OwnedThing,
  type ThingRead,
} from '@switchyard/sellers';
import type { CaseChanges, GovernanceCases, GovernedThings, StoredThing } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import { isoOf, type Instant } from '@switchyard/values';
import type { Lane } from '../../platform/lanes/lanes.js';
import { caseIdOf } from './case-id.js';
import { pullContent, type PullDeps } from './pull-content.js';
import { ownerAt, readFromOwner } from './read-from-owner.js';

export interface ThingWatchDeps extends PullDeps {
  readonly cases: Pick<GovernanceCases, 'open' | 'runningOn' | 'askedAbout'>;
  readonly things: GovernedThings;
  readonly onUnexpected: (error: unknown, where: string) => void;
}

/** How often due things are searched, in milliseconds. */
const everyMs = 5_000;
/** How long a thing is leased for its read, in milliseconds: longer than all pages take. */
const leaseMs = 4 * 60_000;
/** A thing is read once a day, sooner where its copies end sooner, and after a try that failed. */
const dayMs = 86_400_000;
const soonestMs = 15 * 60_000;
const againMs = 60 * 60_000;
/** How long a person may answer, in milliseconds. */
const answerWithinMs = dayMs;
/** Entries of each sort that a case names. */
const namedAtMost = 50;

/**
 * Reads what packages name of agents of governance again, from the agent that owns it, and makes a case of what has
 * changed although nobody told us (docs/protocol/governance.md#read-again).
 */
export function thingsLane(deps: ThingWatchDeps): Lane {
  return {
    name: 'lists and standards',
    everyMs,
    waitsFor: 'sellers',
    due: () => ({ governed_things: deps.ports.clock.now() }),
    visit: async (scope) => {
      await watchThings(deps, scope);
    },
  };
}

/** Answers how many things were due. */
export async function watchThings(deps: ThingWatchDeps, scope: TenantScope): Promise<number> {
  const now = deps.ports.clock.now();
  const due = await deps.things.take(scope, now, now + leaseMs);
  await Promise.all(
    due.map((thing) =>
      watch(deps, scope, thing).catch((error: unknown) =>
        deps.onUnexpected(error, `reading ${thing.kind} ${thing.subject}`),
      ),
    ),
  );
  return due.length;
}

async function watch(deps: ThingWatchDeps, scope: TenantScope, stored: StoredThing): Promise<void> {
  const { things, cases, connections, ports } = deps;
  const now = ports.clock.now();
  // What its owner has ended is read until it was, so that new buys may name it again.
  const running = await cases.runningOn(scope, stored);
  if (!stored.isEnded && running.length === 0)
    // A buy that is still being answered runs soon; what has ended is named by its next package.
    return things.put(scope, stored, undefined, stored.read === undefined ? now + againMs : undefined);
  const owner = await ownerAt(connections, scope, stored.agentUrl);
  if (owner === undefined)
    return things.put(scope, stored, 'No live agent of governance has this address.', now + againMs);
  const read = await readFromOwner(ports, scope, owner, stored);
  if (!read.ok) return things.put(scope, stored, read.error, now + againMs);
  const difference = stored.read && differenceOf(stored.read.entries, read.value.entries);
  if (difference !== undefined && difference.added.length + difference.removed.length > 0)
    await openCase(deps, scope, owner, { thing: stored, read: read.value, difference });
  const { kind, subject, readAt: since = now - dayMs, unanswered: before } = stored;
  const unanswered =
    kind === 'content_standards'
      ? await pullContent(deps, scope, { standards: { subject, owner }, running, since, unanswered: before })
      : {};
  // Last, so that a crash before it repeats the case, which is opened once.
  await things.save(scope, stored, read.value, { at: now, nextAt: nextRead(read.value, now), unanswered });
}

/** When a thing is read next. */
export const nextRead = ({ validUntil }: ThingRead, now: Instant): Instant =>
  Math.min(now + dayMs, Math.max(validUntil ?? Number.POSITIVE_INFINITY, now + soonestMs));

interface Found {
  readonly thing: OwnedThing;
  readonly read: ThingRead;
  readonly difference: Difference;
}

async function openCase(
  { cases, ports }: ThingWatchDeps,
  scope: TenantScope,
  owner: Connection,
  { thing, read, difference }: Found,
): Promise<void> {
  const now = ports.clock.now();
  const kind = changeKinds[thing.kind];
  const why =
    kind === 'content_standards_changed'
      ? standardsChanged(difference)
      : askedBecause(kind, changeRead(undefined, thing.subject, read, difference), now);
  const id = caseIdOf(scope, [
    kind,
    thing.subject,
    thing.agentUrl,
    read.version,
    String(read.validUntil ?? 0),
  ]);
  await cases.open(
    scope,
    {
      id,
      kind,
      state: why === undefined ? 'done' : 'asked',
      rightsId: thing.subject,
      reason: why ?? `${String(difference.added.length)} entries were added.`,
      effectiveAt: now + answerWithinMs,
      // Standards that bind are kept by stopping: what runs is paused where nobody answers.
      uses: kind === 'content_standards_changed' && binds(difference) ? ['must'] : [],
      connectionId: owner.id,
      owner: owner.slug,
      eventId: id,
      changes: { read: shownRead(read, difference, now) },
      ...(why !== undefined && { actAt: now }),
    },
    now,
  );
}

function standardsChanged({ added, removed }: Difference): string {
  const names = [...new Set([...added, ...removed].map((entry) => entry.replace(/ \([^()]*\)$/, '')))];
  const shown = names.slice(0, 10).join(', ');
  return `These policies of the standards are not as they were when they were read last: ${shown}.`.slice(
    0,
    500,
  );
}

/** What a case says of what was read. */
export function shownRead(
  { entries }: ThingRead,
  difference: Difference | undefined,
  at: Instant,
): NonNullable<CaseChanges['read']> {
  return {
    at: isoOf(at),
    total: entries.length,
    ...(difference !== undefined && {
      added: difference.added.length,
      removed: difference.removed.length,
      added_entries: difference.added.slice(0, namedAtMost),
      removed_entries: difference.removed.slice(0, namedAtMost),
    }),
  };
}
