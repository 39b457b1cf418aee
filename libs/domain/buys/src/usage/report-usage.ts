import {
  reportUsage as task,
  type ReportUsageRequest,
  type TaskError,
  profileOf,
} from '@switchyard/protocol';
import { ownReach } from '@switchyard/tenancy';
import { err, ok, type JsonObject, type Result } from '@switchyard/values';
import { accountAt } from '../plan/client-accounts.js';
import type { Mutation } from '../model/caller.js';
import type { NamingPorts } from '../model/creative-library.js';
import { reportedCreatives, projectWithSellerIds } from '../creatives/creatives-at-sellers.js';
import { draftLeg } from '../call/draft-leg.js';
import { mutate, type LeaseSellers, type Prepared } from '../run/mutate.js';
import type { Operation } from '../model/operation.js';
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
  let none: readonly TaskError[] | undefined;
  const done = await mutate(ports, task.name, report, async (operation, lease) => {
    const { routed, errors } = await routesOf(ports, report);
    const refused = [...report.errors, ...errors];
    if (routed.length > 0) return prepareUsage(ports, report, { operation, routed, refused }, lease);
    none = refused;
    return err(refused);
  });
  if (none !== undefined) return ok({ kind: 'none', errors: none });
  if (!done.ok) return done;
  await keepMarks(ports, report, done.value.state);
  return ok({ kind: 'sent', ...done.value });
}

interface UsageToSend {
  readonly operation: Operation;
  readonly routed: readonly RoutedUsage[];
  readonly refused: readonly TaskError[];
}

async function prepareUsage(
  ports: BuysPorts & NamingPorts,
  report: UsageReport,
  { operation, routed, refused }: UsageToSend,
  lease: LeaseSellers,
): Promise<Result<Prepared, readonly TaskError[]>> {
  const { scope, request } = report;
  const groups = byVendor(routed);
  const connections = groups.map(({ connection }) => connection);
  const secrets = await lease(connections);
  if (!secrets.ok) return secrets;
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
  return ok({ draft, secrets: secrets.value, sellers: connections });
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
