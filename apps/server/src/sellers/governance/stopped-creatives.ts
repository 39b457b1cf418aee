import { withBuyerIds } from '@switchyard/buys';
import { readCreativeStatus } from '@switchyard/protocol';
import type { Connection, ConnectionDirectory, TouchedPackage } from '@switchyard/sellers';
import type { GovernanceCases } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import { isJsonObject, type Clock, type JsonObject } from '@switchyard/values';

/** How long a person may answer before the case ends by itself, in milliseconds. */
const answerWithinMs = 24 * 60 * 60_000;

/** What runs at a seller with a creative, and has none that the seller has approved: it delivers nothing. */
export async function packagesWithoutCreative(
  cases: Pick<GovernanceCases, 'runningWith' | 'approvedOf'>,
  scope: TenantScope,
  { id, slug }: Pick<Connection, 'id' | 'slug'>,
  creativeId: string,
): Promise<readonly TouchedPackage[]> {
  const running = await cases.runningWith(scope, [creativeId]);
  const here = running.filter(({ seller }) => seller === slug);
  if (here.length === 0) return [];
  const all = [...new Set(here.flatMap(({ creativeIds }) => creativeIds))];
  const approved = new Set(await cases.approvedOf(scope, id, all));
  return here.filter(({ creativeIds }) => !creativeIds.some((one) => approved.has(one)));
}

/**
 * Makes a case of a creative that its seller does not deliver any more, where a package is left without an approved one
 * (docs/protocol/governance.md#stopped-creatives). The payload is the seller's update of a creative of its own.
 */
export async function askIfStopped(
  {
    cases,
    connections,
    clock,
  }: {
    readonly cases: GovernanceCases;
    readonly connections: Pick<ConnectionDirectory, 'byId'>;
    readonly clock: Clock;
  },
  scope: TenantScope,
  { id, connectionId }: { readonly id: string; readonly connectionId: string },
  payload: JsonObject,
): Promise<void> {
  const { creative_id: name, transition, reason_detail: detail, reason_code: code } = payload;
  const isPurged = payload['notification_type'] === 'creative.purged';
  const to = isPurged
    ? 'deleted'
    : isJsonObject(transition)
      ? readCreativeStatus(transition['to'])
      : undefined;
  const isStopped = to === 'deleted' || to === 'suspended' || to === 'rejected' || to === 'archived';
  const connection = isStopped ? await connections.byId(scope, connectionId) : undefined;
  if (connection === undefined || to === undefined || typeof name !== 'string') return;
  const creativeId = withBuyerIds(name, connectionId);
  const buys = await packagesWithoutCreative(cases, scope, connection, creativeId);
  if (buys.length === 0) return;
  const now = clock.now();
  const why = [detail, code].find((text) => typeof text === 'string') ?? '';
  await cases.open(
    scope,
    {
      ...{ id, eventId: id, kind: 'creative_stopped', state: 'asked', rightsId: creativeId, uses: [] },
      ...{ connectionId, owner: connection.slug, buys },
      reason: `The seller has ${to} it, and no other creative of these packages is approved there. ${why}`
        .trim()
        .slice(0, 500),
      effectiveAt: now + answerWithinMs,
      actAt: now,
    },
    now,
  );
}
