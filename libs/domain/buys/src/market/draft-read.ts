import { profileOf, type SellerRow, type TaskSpec, type WireProfile } from '@switchyard/protocol';
import type { MarketLeg, PendingTask } from '@switchyard/fanout';
import type { Connection } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import { defined, canonicalJson, isJsonObject, type Instant, type JsonObject } from '@switchyard/values';
import type { Leg, Operation } from '../model/operation.js';
import type { OperationDraft } from '../model/operation-store.js';
import type { RegistrationDraft } from '../model/registration-draft.js';
import { pollPaceOf } from '../apply/poll-pace.js';
import type { IdSource } from '../model/ports.js';
import { joinPages } from '../apply/stored-pages.js';

/** A callback address for one read, created before the call and stored if the seller will use it. */
export type ReadAddress = Pick<RegistrationDraft, 'id' | 'legId' | 'sellerOperationId'>;

/** A read of the market that a seller will answer later. */
interface OpenRead {
  readonly scope: TenantScope;
  readonly operationId: string;
  readonly principalId: string;
  readonly spec: Pick<TaskSpec<never, unknown>, 'name'>;
  readonly profile: WireProfile;
  readonly version?: string;
  readonly contextId?: string;
  /** The buyer's arguments without secrets. */
  readonly args: JsonObject;
  /** Hash of the read: a request for the next page must be the same read. */
  readonly requestHash: string;
  readonly legs: readonly MarketLeg<unknown>[];
  readonly rows: readonly SellerRow[];
  readonly pending: readonly { readonly connection: Connection; readonly task: PendingTask }[];
  readonly addresses: ReadonlyMap<string, ReadAddress>;
  readonly at: Instant;
}

/**
 * Creates an operation for a read: a leg for each seller whose answer is pending, to be polled like any task,
 * and one for each that has answered, with its payload, so that the whole answer can be rebuilt when the last
 * one arrives.
 */
export function draftRead(ids: IdSource, read: OpenRead): OperationDraft {
  const { args, at, spec } = read;
  const context = args['context'];
  const operation: Operation = {
    id: read.operationId,
    organizationId: read.scope.organizationId,
    principalId: read.principalId,
    task: spec.name,
    taskId: ids.token('task'),
    requestHash: read.requestHash,
    profile: read.profile,
    request: args,
    status: 'submitted',
    plan: planOfRead(read.rows, read.legs),
    createdAt: at,
    updatedAt: at,
    ...defined({ version: read.version, contextId: read.contextId }),
    ...(isJsonObject(context) ? { context } : {}),
  };
  const answered = read.legs.flatMap((leg) => answeredLeg(ids, operation, leg));
  const pending = read.pending.map((entry) => pendingLeg(ids, operation, entry, read));
  return {
    operation,
    legs: [...answered, ...pending],
    sellerBuys: [],
    packages: [],
    registrations: read.pending.flatMap(({ connection }) => {
      const address = read.addresses.get(connection.id);
      if (address === undefined) return [];
      const { id, legId, sellerOperationId } = address;
      const common = { connectionId: connection.id, kind: 'task' as const, mode: 'signed' as const };
      return [{ id, legId, sellerOperationId, ...common }];
    }),
  };
}

function answeredLeg(ids: IdSource, operation: Operation, leg: MarketLeg<unknown>): Leg[] {
  if (leg.answer === undefined || leg.payloads === undefined) return [];
  return [
    {
      ...legOf(ids.uuid(), operation, leg.connection),
      outbound: '{}',
      status: 'completed',
      answer: joinPages(leg.payloads),
      findings: leg.findings,
      observedBy: 'inline',
      observedAt: operation.createdAt,
    },
  ];
}

function pendingLeg(
  ids: IdSource,
  operation: Operation,
  { connection, task }: OpenRead['pending'][number],
  { addresses, legs }: OpenRead,
): Leg {
  const id = addresses.get(connection.id)?.legId ?? ids.uuid();
  const outbound = canonicalJson(withoutTokens(task.args));
  const at = operation.createdAt;
  return {
    ...legOf(id, operation, connection),
    outbound,
    status: task.status,
    findings: legs.find((leg) => leg.connection.id === connection.id)?.findings ?? [],
    nextPollAt: task.status === 'pending' ? at : at + pollPaceOf({ id, outbound, createdAt: at }, at),
    ...defined({ sellerTaskId: task.taskId, a2aTaskId: task.a2aTaskId, contextId: task.contextId }),
  };
}

function legOf(id: string, operation: Operation, connection: Connection) {
  return {
    id,
    organizationId: operation.organizationId,
    operationId: operation.id,
    connectionId: connection.id,
    seller: connection.slug,
    task: operation.task,
    profile: profileOf(connection),
    attempts: 0,
    errors: [],
    createdAt: operation.createdAt,
  };
}

/** The token of a property list is a secret between buyer and seller: it is sent, and not stored. */
export function withoutTokens(args: JsonObject): JsonObject {
  const list = args['property_list'];
  if (!isJsonObject(list)) return args;
  const { auth_token: _secret, ...rest } = list;
  return { ...args, property_list: rest };
}

/** The state of a read at its first answer: a row for each seller, and the sellers that have more items. */
interface ReadPlan {
  readonly rows: readonly SellerRow[];
  readonly cut: readonly string[];
}

function planOfRead(rows: readonly SellerRow[], legs: readonly MarketLeg<unknown>[]): JsonObject {
  const cut = legs.filter(({ isTruncated }) => isTruncated === true).map(({ seller }) => seller);
  return { rows: rows.map((row) => ({ ...row })), cut };
}

export function readPlanOf({ plan }: Pick<Operation, 'plan'>): ReadPlan {
  const { rows, cut } = plan ?? {};
  return {
    rows: Array.isArray(rows) ? (rows.filter(isJsonObject) as unknown as SellerRow[]) : [],
    cut: Array.isArray(cut) ? cut.filter((seller) => typeof seller === 'string') : [],
  };
}
