import {
  hasRightsUntil,
  rightsEnds,
  nextRightsEnd,
  type ConnectionDirectory,
  type EndingRights,
} from '@switchyard/sellers';
import type { GovernanceCases } from '@switchyard/store';
import type { AlarmRepository, TenantScope } from '@switchyard/tenancy';
import { isoOf, type Clock } from '@switchyard/values';
import type { Lane } from '../../platform/lanes/lanes.js';
import { caseIdOf } from './case-id.js';

export interface RightsWatchDeps {
  readonly cases: GovernanceCases;
  readonly connections: Pick<ConnectionDirectory, 'list'>;
  readonly alarms: Pick<AlarmRepository, 'raise'>;
  readonly clock: Clock;
}

/** How often creatives whose rights end soon are searched, in milliseconds. */
const everyMs = 60_000;
/** How long before the end a person is told, in milliseconds: a replacement takes days. */
const toldMs = 7 * 86_400_000;
/** How long before the end the workers act, in milliseconds. */
const leadMs = 60 * 60_000;
/** Creatives of a tenant per visit. */
const atOnce = 100;

/** Makes cases of rights that end by themselves, from our own clock (docs/protocol/governance.md#rights-that-end). */
export function rightsLane(deps: RightsWatchDeps): Lane {
  return {
    name: 'rights that end',
    everyMs,
    due: () => ({ rights_ending: deps.clock.now() + toldMs }),
    visit: async (scope) => {
      await watchRights(deps, scope);
    },
  };
}

/** Answers how many creatives were looked at. */
export async function watchRights(deps: RightsWatchDeps, scope: TenantScope): Promise<number> {
  const until = deps.clock.now() + toldMs;
  const due = await deps.cases.creativesWithRightsUntil(scope, until, atOnce);
  for (const { id, body } of due) {
    for (const right of rightsEnds(body)) if (right.endsAt <= until) await openCase(deps, scope, right);
    await deps.cases.rightsWatched(scope, id, body, nextRightsEnd(body, until));
  }
  return due.length;
}

async function openCase(
  { cases, connections, alarms, clock }: RightsWatchDeps,
  scope: TenantScope,
  { rightsId, agentUrl, endsAt }: EndingRights,
): Promise<void> {
  const now = clock.now();
  const all = agentUrl === undefined ? [] : await connections.list(scope);
  const connection = all.find((one) => one.agentUrl === agentUrl && one.kinds.includes('rights'));
  const owner =
    connection?.slug ??
    (agentUrl !== undefined && URL.canParse(agentUrl) ? new URL(agentUrl).host : 'unknown');
  // Many creatives may name one grant: they are one case.
  const id = caseIdOf(scope, ['rights_ended', rightsId, agentUrl ?? '', String(endsAt)]);
  const naming = await cases.creativesNaming(scope, rightsId);
  const ending = naming.filter(({ body }) => hasRightsUntil(body, rightsId, endsAt));
  const isNew = await cases.open(
    scope,
    {
      id,
      kind: 'rights_ended',
      state: 'open',
      rightsId,
      reason: `The rights end at ${isoOf(endsAt)}, as the creative says.`,
      effectiveAt: endsAt,
      uses: [],
      ...(connection !== undefined && { connectionId: connection.id }),
      owner,
      eventId: id,
      buys: await cases.runningWith(
        scope,
        ending.map((creative) => creative.id),
      ),
      actAt: Math.max(now, endsAt - leadMs),
    },
    now,
  );
  if (!isNew) return;
  const detail = { case_id: id, owner, effective_at: isoOf(endsAt) };
  await alarms.raise(scope, { kind: 'rights_ending', subject: rightsId, detail });
}
