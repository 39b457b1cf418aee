import {
  reportUsage as task,
  taskError,
  type ReportUsageRequest,
  type TaskError,
  profileOf,
} from '@switchyard/protocol';
import { ownReach } from '@switchyard/tenancy';
import { err, ok, type JsonObject, type Result } from '@switchyard/values';
import { accountAt } from '../plan/account-gates.js';
import type { Mutation } from '../model/caller.js';
import type { NamingPorts } from '../model/creative-library.js';
import { reportedCreatives } from '../creatives/creatives-at-sellers.js';
import { projectWithSellerIds } from '../creatives/seller-creative-ids.js';
import { canMakeKeys, draftLeg } from '../call/draft-leg.js';
import { claim, execute } from '../run/mutate.js';
import type { Mutated } from '../model/mutated.js';
import type { BuysPorts, BillingRepository } from '../model/ports.js';
import { refreezesOf } from '../call/reencode.js';
import { hasUsage, routeUsage, type NamedUsage, type RoutedUsage } from './route-usage.js';
import { billedElsewhereBy, planOf, type VendorRecords } from './usage-answer.js';

interface UsageReport extends Mutation<ReportUsageRequest> {
  /** The records whose accounts were found. */
  readonly records: readonly NamedUsage[];
  /** The errors of the others. */
  readonly errors: readonly TaskError[];
  /** The organization's own domain, which is the operator of every brand towards vendors. */
  readonly operator: string;
}

type UsageReported =
  | ({ readonly kind: 'sent' } & Mutated)
  /** No record could be sent: nothing is stored, and each has an error. */
  | { readonly kind: 'none'; readonly errors: readonly TaskError[] };

/**
 * Sends each vendor its own records in one call. Keys make a repeat harmless everywhere: the caller's key
 * here, and a derived key at each vendor (docs/protocol/accounts.md#usage).
 */
export async function reportUsage(
  ports: BuysPorts & NamingPorts & { readonly billing: BillingRepository },
  report: UsageReport,
): Promise<Result<UsageReported, readonly TaskError[]>> {
  const { scope, request } = report;
  const claimed = await claim(ports, task.name, report);
  if (!claimed.ok) return claimed;
  if (claimed.value.kind === 'replay') {
    await keepMarks(ports, report, claimed.value.state);
    return ok({ kind: 'sent', state: claimed.value.state, replayed: true });
  }
  const { operation } = claimed.value;
  const { routed, errors } = await routesOf(ports, report);
  const refused = [...report.errors, ...errors];
  const groups = byVendor(routed);
  if (groups.length === 0) return ok({ kind: 'none', errors: refused });
  const connections = groups.map(({ connection }) => connection);
  const use = { operationId: operation.id, purpose: task.name };
  const secrets = await ports.lease(scope, connections, use);
  if (!secrets.ok || !canMakeKeys(secrets.value, connections))
    return err([taskError('SERVICE_UNAVAILABLE', 'The credentials of these vendors cannot be used now.')]);
  const creativeIds = routed.flatMap(({ record }) => textsOf(record.rest['creative_id']));
  const at = connections.map(({ id }) => id);
  const names = await reportedCreatives(ports.creatives, scope, at, [...new Set(creativeIds)]);
  const drafts = groups.map(({ connection, records }) =>
    draftLeg(
      { ports, operation, connection, secrets: secrets.value.get(connection.id) },
      projectWithSellerIds(({ idempotencyKey, context }, at) => {
        const own = records.map(({ record, account }) => ({
          ...record,
          account: accountAt(at, { brand: brandOf(account), operator: report.operator }),
        }));
        return task.projectRequest(
          { idempotencyKey, context, period: request.period, records: own },
          profileOf(at),
        );
      }, names.get(connection.id)),
      hasUsage,
    ),
  );
  const draft = {
    operation: { ...operation, plan: planOf(groups, refused) },
    legs: drafts.map(({ leg }) => leg),
    registrations: drafts.flatMap((legDraft) =>
      legDraft.registrations.filter(({ kind }) => kind !== 'report'),
    ),
    sellerBuys: [],
    packages: [],
    again: refreezesOf(drafts),
  };
  const done = await execute(ports, report, draft, { secrets: secrets.value, connections });
  if (!done.ok) return done;
  await keepMarks(ports, report, done.value.state);
  return ok({ kind: 'sent', ...done.value });
}

async function routesOf(ports: BuysPorts & { readonly billing: BillingRepository }, report: UsageReport) {
  const { scope, principalId, reach = ownReach(principalId), records } = report;
  const ids = [...new Set(records.flatMap(({ record }) => record.mediaBuyId ?? []))];
  const buys = ids.length === 0 ? [] : await ports.store.mediaBuys(scope, { reach, ids, limit: ids.length });
  return routeUsage(records, {
    connections: await ports.connections.list(scope),
    buys: new Map(buys.map((record) => [record.buy.id, record])),
    billedElsewhere: await ports.billing.billedElsewhere(scope),
  });
}

/** Stores accounts that a vendor bills elsewhere, so that their usage is not sent to it again. */
async function keepMarks(
  ports: BuysPorts & { readonly billing: BillingRepository },
  { scope }: UsageReport,
  state: Mutated['state'],
): Promise<void> {
  const marks = billedElsewhereBy(state);
  if (marks.length > 0) await ports.billing.markBilledElsewhere(scope, marks, ports.clock.now());
}

function byVendor(routed: readonly RoutedUsage[]): readonly VendorRecords[] {
  const groups = new Map<string, RoutedUsage[]>();
  for (const draft of routed)
    groups.set(draft.connection.id, [...(groups.get(draft.connection.id) ?? []), draft]);
  return [...groups.values()].flatMap((records) =>
    records[0] === undefined ? [] : [{ connection: records[0].connection, records }],
  );
}

function textsOf(value: unknown): readonly string[] {
  return typeof value === 'string' ? [value] : [];
}

function brandOf({ brandDomain, brandId }: NamedUsage['account']): JsonObject {
  return { domain: brandDomain, ...(brandId === '' ? {} : { brand_id: brandId }) };
}
