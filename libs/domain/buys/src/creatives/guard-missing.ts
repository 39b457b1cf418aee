import { defined } from '@switchyard/values';
import { type Finding, hasFeature, listCreatives, profileOf } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { ownReach } from '@switchyard/tenancy';
import { callSeller } from '../call/call-seller.js';
import type { LegSecrets } from '../model/ports.js';
import { sendTimeoutMs } from '../call/leg-run.js';
import type { CreativePlan, CreativeLeg } from './plan-creatives.js';
import type { CreativePorts } from '../model/creative-ports.js';
import type { CreativeMutation } from '../model/creative-ports.js';

const pageSize = 100;
const pagesAtMost = 20;

type Whose = 'own' | 'shared' | 'unknown' | 'may_be_shared';

const reasons: Readonly<Record<Exclude<Whose, 'own'>, string>> = {
  shared: 'has creatives that are not yours',
  unknown: 'did not return its whole library',
  may_be_shared: 'has one library for an account that others may use',
};

/**
 * Sends `delete_missing` to a seller only where every creative in its library was synced there and may be
 * written by the caller. The member deletes everything that a request omits, from any buyer
 * (docs/protocol/creatives.md#sync). It is never sent where another tenant may share the account: creatives
 * that the other tenant syncs after the check would be deleted too.
 */
export async function guardMissing(
  ports: CreativePorts,
  mutation: CreativeMutation,
  plan: CreativePlan,
  secrets: ReadonlyMap<string, LegSecrets>,
): Promise<CreativePlan> {
  if (plan.legs.every((leg) => leg.missing.length === 0)) return plan;
  const { principalId, reach = ownReach(principalId) } = mutation;
  const placements = await ports.creatives.acceptedPlacements(mutation.scope, reach);
  const judged = await Promise.all(
    plan.legs.map(async (leg) => {
      if (leg.missing.length === 0) return { leg, refusals: [] };
      const localIds = new Set(
        placements
          .filter(({ connectionId }) => connectionId === leg.connection.id)
          .map((placement) => placement.sellerCreativeId ?? placement.creativeId),
      );
      for (const { creativeId } of leg.creatives) localIds.add(leg.names.get(creativeId) ?? creativeId);
      if (await ports.creatives.sharesAccount(mutation.scope, leg.connection.id))
        return judge(leg, 'may_be_shared');
      const whose = await whoseLibrary(ports, mutation, {
        connection: leg.connection,
        secrets: secrets.get(leg.connection.id),
        localIds,
      });
      return judge(leg, whose);
    }),
  );
  const legs = judged.flatMap(({ leg }) => (leg === undefined ? [] : [leg]));
  const findings = [...plan.notes.findings, ...judged.flatMap(({ refusals }) => refusals)];
  return { ...plan, legs, notes: { ...plan.notes, findings } };
}

function judge(
  leg: CreativeLeg,
  whose: Whose,
): { readonly leg: CreativeLeg | undefined; readonly refusals: readonly (Finding & { seller: string })[] } {
  const { connection, creatives } = leg;
  const needsOne = hasFeature(connection.form, 'syncsNameCreatives');
  const isEmpty = creatives.length === 0 && needsOne;
  if (whose === 'own' && !isEmpty) return { leg, refusals: [] };
  const why = whose === 'own' ? 'accepts no request without a creative' : reasons[whose];
  const message = `The seller ${connection.slug} ${why}, so nothing was deleted there.`;
  const refusals = [{ code: 'DELETE_MISSING_NOT_SENT', message, seller: connection.slug }];
  return { leg: creatives.length === 0 ? undefined : { ...leg, missing: [] }, refusals };
}

async function whoseLibrary(
  ports: CreativePorts,
  mutation: CreativeMutation,
  {
    connection,
    secrets,
    localIds,
  }: {
    readonly connection: Connection;
    readonly secrets: LegSecrets | undefined;
    readonly localIds: ReadonlySet<string>;
  },
): Promise<Whose> {
  const profile = profileOf(connection);
  const use = { operationId: ports.ids.uuid(), purpose: listCreatives.name };
  const signer = ports.signerFor?.(mutation.scope, mutation.principalId, use);
  let cursor: string | undefined;
  for (let page = 0; page < pagesAtMost; page += 1) {
    const { args } = listCreatives.projectRequest(
      {
        filters: {},
        sort: { field: 'created_date', direction: 'asc' },
        limit: pageSize,
        offset: page * pageSize,
        includeAssignments: false,
        unanswered: [],
        ...defined({ cursor, account: connection.account }),
      },
      profile,
    );
    const to = {
      connection,
      ...(secrets?.credential === undefined ? {} : { credential: secrets.credential }),
      ...(signer === undefined ? {} : { signer }),
    };
    const stop = AbortSignal.timeout(sendTimeoutMs);
    const reported = await callSeller(ports.transport, to, { task: listCreatives.name, args }, stop);
    const read = reported.ok ? listCreatives.readAnswer(reported.value.reply.payload, profile) : undefined;
    // A row that cannot be read may be of any tenant.
    if (read?.ok !== true || read.value.setAside.length > 0) return 'unknown';
    const { creatives, hasMore } = read.value.answer;
    if (creatives.some(({ creativeId, status }) => status !== 'archived' && !localIds.has(creativeId)))
      return 'shared';
    if (!hasMore) return 'own';
    ({ cursor } = read.value.answer);
  }
  return 'unknown';
}
