import {
  askedBecause,
  changeRead,
  differenceOf,
  thingOfList,
  type Connection,
  type ListChange,
  type OwnedThing,
} from '@switchyard/sellers';
import type { CaseChanges, GovernanceCase, GovernanceCases, GovernedThings } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import { isoOf } from '@switchyard/values';
import type { InspectDeps } from '../onboarding/inspect-seller.js';
import { readFromOwner } from './read-from-owner.js';
import { nextRead, shownRead } from './watch-things.js';

interface JudgeDeps {
  readonly cases: Pick<GovernanceCases, 'save'>;
  readonly things: GovernedThings;
  readonly ports: InspectDeps;
}

/**
 * Reads a list that its owner says has changed from that owner, and asks a person where something was taken away. Where it
 * cannot be read, the counts of the signed event decide (docs/protocol/governance.md#changed-lists).
 */
export async function judgeList(
  { cases, things, ports }: JudgeDeps,
  scope: TenantScope,
  found: GovernanceCase,
  owner: Connection | undefined,
): Promise<void> {
  const { id, kind, rightsId: subject } = found;
  if (kind !== 'property_list_changed' && kind !== 'collection_list_changed') return;
  const now = ports.clock.now();
  const { valid_until: until, ...counts } = found.changes?.told ?? {};
  const told = { listId: subject, ...counts, ...(until !== undefined && { validUntil: Date.parse(until) }) };
  const thing = owner && { kind: thingOfList(kind), subject, agentUrl: owner.agentUrl };
  const { change, changes } =
    owner === undefined || thing === undefined
      ? { change: told, changes: { ...found.changes, problem: 'its agent is not connected any more' } }
      : await readAgain({ things, ports }, scope, { owner, thing, told });
  const why = askedBecause(kind, change, now);
  const at = isoOf(now);
  const act = changes.problem === undefined ? 'read again from its owner' : 'could not be read again';
  const action = { at, act, ...(changes.problem !== undefined && { detail: changes.problem }) };
  await cases.save(
    scope,
    id,
    {
      // A change that takes nothing away is on record, and nobody is asked.
      state: why === undefined ? 'done' : 'asked',
      reason: why ?? `${String(change.added ?? 0)} entries were added.`,
      changes: { ...found.changes, ...changes },
      actions: [action],
      ...(why !== undefined && { nextAt: now }),
    },
    now,
  );
}

async function readAgain(
  { things, ports }: Pick<JudgeDeps, 'things' | 'ports'>,
  scope: TenantScope,
  {
    owner,
    thing,
    told,
  }: { readonly owner: Connection; readonly thing: OwnedThing; readonly told: ListChange },
): Promise<{ readonly change: ListChange; readonly changes: CaseChanges }> {
  const before = (await things.find(scope, thing))?.read;
  const read = await readFromOwner(ports, scope, owner, thing);
  if (!read.ok) return { change: told, changes: { problem: read.error } };
  const now = ports.clock.now();
  const difference = before && differenceOf(before.entries, read.value.entries);
  await things.save(scope, thing, read.value, { at: now, nextAt: nextRead(read.value, now) });
  return {
    change: changeRead(told, thing.subject, read.value, difference),
    changes: { read: shownRead(read.value, difference, now) },
  };
}
