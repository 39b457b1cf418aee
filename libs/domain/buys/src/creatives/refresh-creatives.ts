import { defined } from '@switchyard/values';
import { listCreatives, profileOf } from '@switchyard/protocol';
import { throughLogin, type Connection } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import { callSeller } from '../call/call-seller.js';
import type { BuysPorts } from '../model/ports.js';
import { sendTimeoutMs } from '../call/leg-run.js';
import { withBuyerIds } from '../model/buyer-creative-ids.js';
import type { CreativeStore, DuePlacement, Placement, PlacementSeen } from '../model/creative-library.js';

/** The time between two polls of a seller that has not decided. */
const creativePollMs = 120_000;
const idsAtOnce = 100;

/**
 * Polls the sellers that have not decided on creatives. One call asks for all creatives of one principal, who signs it
 * where the seller wants that. The next poll is scheduled before the call, so that a seller that fails is not polled
 * again at once. `stop` ends the polling. Returns how many placements changed.
 */
export async function refreshCreatives(
  ports: Pick<BuysPorts, 'transport' | 'connections' | 'lease' | 'clock' | 'ids' | 'signerFor'> & {
    readonly creatives: CreativeStore;
  },
  scope: TenantScope,
  stop: AbortSignal,
): Promise<number> {
  const due = await ports.creatives.due(scope, ports.clock.now(), 1_000);
  if (due.length === 0) return 0;
  const together = new Map<string, DuePlacement[]>();
  for (const placement of due) {
    const key = `${placement.connectionId} ${placement.principalId} ${placement.login?.credentialId ?? ''}`;
    together.set(key, [...(together.get(key) ?? []), placement]);
  }
  let changed = 0;
  for (const placements of together.values()) {
    if (stop.aborted) break;
    const some = placements.slice(0, idsAtOnce);
    const [first] = some;
    if (first === undefined) continue;
    const stored = await ports.connections.byId(scope, first.connectionId);
    const connection = stored && throughLogin(stored, first.login);
    await ports.creatives.markPolled(scope, some, ports.clock.now() + creativePollMs);
    if (connection?.state !== 'live') continue;
    const seen = await poll(
      ports,
      scope,
      { connection, principalId: first.principalId, placements: some },
      stop,
    );
    changed += await ports.creatives.observe(scope, seen, ports.clock.now());
  }
  return changed;
}

async function poll(
  ports: Pick<BuysPorts, 'transport' | 'lease' | 'ids' | 'signerFor'>,
  scope: TenantScope,
  {
    connection,
    principalId,
    placements,
  }: {
    readonly connection: Connection;
    readonly principalId: string;
    readonly placements: readonly Placement[];
  },
  stop: AbortSignal,
): Promise<readonly PlacementSeen[]> {
  const use = { operationId: ports.ids.uuid(), purpose: listCreatives.name };
  const secrets = await ports.lease(scope, [connection], use);
  const credential = secrets.ok ? secrets.value.get(connection.id)?.credential : undefined;
  if (connection.credentialId !== undefined && credential === undefined) return [];
  const profile = profileOf(connection);
  const { args } = listCreatives.projectRequest(
    {
      filters: {
        creativeIds: placements.map((placement) => placement.sellerCreativeId ?? placement.creativeId),
      },
      sort: { field: 'created_date', direction: 'desc' },
      limit: idsAtOnce,
      includeAssignments: false,
      unanswered: [],
      ...(connection.account === undefined ? {} : { account: connection.account }),
    },
    profile,
  );
  const signer = ports.signerFor?.(scope, principalId, use);
  const to = {
    connection,
    ...defined({ credential, signer }),
  };
  const call = { task: listCreatives.name, args };
  const signal = AbortSignal.any([stop, AbortSignal.timeout(sendTimeoutMs)]);
  const reported = await callSeller(ports.transport, to, call, signal);
  const payload = reported.ok ? withBuyerIds(reported.value.reply.payload, connection.id) : undefined;
  const read = payload === undefined ? undefined : listCreatives.readAnswer(payload, profile);
  if (read?.ok !== true) return [];
  // A seller that ignores the filter returns its whole library; only the requested creatives are read from it.
  const requested = new Set(placements.map(({ creativeId }) => creativeId));
  return read.value.answer.creatives
    .filter(({ creativeId }) => requested.has(creativeId))
    .map(({ creativeId, status, reason }) => ({
      creativeId,
      status,
      connectionId: connection.id,
      seller: connection.slug,
      source: 'poll' as const,
      ...(reason === undefined ? {} : { reason }),
    }));
}
