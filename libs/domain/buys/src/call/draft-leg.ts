import {
  findTask,
  lostToTool,
  shapeArgs,
  taskNameAt,
  type ProjectedRequest,
  type PushConfig,
  type ReportingWebhook,
  profileOf,
} from '@switchyard/protocol';
import { reportModeOf, signatureRequirement, type Connection } from '@switchyard/sellers';
import { governanceAt } from '../model/governance-context.js';
import { canonicalJson, defined, type JsonObject } from '@switchyard/values';
import { deriveKey } from '../model/keys.js';
import type { Leg, Operation } from '../model/operation.js';
import { authenticationOf, draftRegistrations, draftReport } from './draft-registrations.js';
import type { RegistrationDraft } from '../model/registration-draft.js';
import type { BuysPorts, LegSecrets } from '../model/ports.js';
import type { Frozen, Reencode } from './reencode.js';

/** What a leg sends beside the request: its own key, its own callback addresses, and a context that identifies it. */
interface LegExtras {
  readonly idempotencyKey: string;
  /** Absent where the seller takes no address of ours. */
  readonly push?: PushConfig;
  /** Absent where the seller takes no registration of reports. */
  readonly reportingWebhook?: ReportingWebhook;
  readonly context: JsonObject;
}

/** The input of a leg's draft: the operation, the seller, and the leased secrets. */
interface LegContext {
  readonly ports: Pick<BuysPorts, 'ids' | 'callbackBase' | 'signerFor'>;
  readonly operation: Operation;
  readonly connection: Connection;
  readonly secrets: LegSecrets | undefined;
}

export interface LegDraft {
  readonly leg: Leg;
  readonly registrations: readonly RegistrationDraft[];
  readonly again: Reencode;
}

/** Writes the arguments of a leg in the form of a connection. */
export type ProjectLeg = (extras: LegExtras, connection: Connection) => ProjectedRequest;

/**
 * Creates one leg: with our callback addresses instead of the buyer's, a key for this seller only, and frozen
 * arguments.
 *
 * The registrations are stored with the leg, because a seller's webhook may arrive before its answer.
 *
 * @param fits whether the leg may be encoded again for a changed connection; default: yes
 */
export function draftLeg(
  { ports, operation, connection, secrets }: LegContext,
  project: ProjectLeg,
  fits: (connection: Connection) => boolean = () => true,
): LegDraft {
  const keySecret = secrets?.keySecret;
  if (keySecret === undefined)
    throw new Error(`Connection ${connection.slug} has no secret for its idempotency keys.`);
  const legId = ports.ids.uuid();
  const sellerOperationId = ports.ids.uuid();
  const of = { legId, task: operation.task, sellerOperationId, keySecret };
  const addresses = draftRegistrations(ports.ids, connection, of);
  const { task } = addresses;
  const address = (id: string): string => `${ports.callbackBase()}/webhooks/${id}`;
  const extrasOf = (
    report: RegistrationDraft | undefined,
    { isBare, ...round }: { readonly round?: number; readonly isBare?: boolean },
  ): LegExtras => ({
    idempotencyKey: deriveKey(keySecret, {
      principalId: operation.principalId,
      task: operation.task,
      buyerKey: operation.idempotencyKey ?? '',
      operationId: operation.id,
      ...round,
    }),
    ...(isBare === true
      ? {}
      : {
          push: {
            url: address(task.id),
            operationId: sellerOperationId,
            ...authenticationOf(task, connection),
          },
        }),
    ...(report === undefined
      ? {}
      : { reportingWebhook: { url: address(report.id), ...authenticationOf(report, connection) } }),
    context: { switchyard: { operation_id: sellerOperationId } },
  });
  const first = freeze(ports, operation, connection, project(extrasOf(addresses.report, {}), connection));
  const leg: Leg = {
    id: legId,
    organizationId: operation.organizationId,
    operationId: operation.id,
    connectionId: connection.id,
    seller: connection.slug,
    task: operation.task,
    ...defined({ login: connection.login }),
    ...first,
    status: 'pending',
    attempts: 0,
    createdAt: operation.createdAt,
  };
  const again: Reencode = (now, _leg, { round = 2, isBare = false } = {}) => {
    if (!fits(now)) return undefined;
    // An address has one mode: reports in another mode need another address.
    const isSameMode = reportModeOf(now) === reportModeOf(connection);
    const other = isSameMode ? addresses.report : draftReport(ports.ids, now, of);
    const report = isBare ? undefined : other;
    const second = freeze(ports, operation, now, project(extrasOf(report, { round, isBare }), now));
    if (second.errors.length > 0) return undefined;
    const isNew = !isSameMode && report !== undefined && second.outbound.includes(report.id);
    return { ...second, instead: first.findings, ...(isNew ? { registrations: [report] } : {}) };
  };
  return { leg, registrations: addresses.all, again };
}

function freeze(
  ports: Pick<BuysPorts, 'signerFor'>,
  operation: Operation,
  connection: Connection,
  { args, findings, notExpressible }: ProjectedRequest,
): Frozen {
  const sent = acceptedBy(connection, operation.task, {
    ...args,
    ...governanceAt(connection, operation.request),
  });
  return {
    profile: profileOf(connection),
    outbound: canonicalJson(sent.args),
    // Known before the send, and reported when the leg is run.
    errors: notExpressible === undefined ? [] : [notExpressible],
    findings: [
      ...findings,
      ...lostToTool(sent.dropped),
      ...unsignedFinding(ports, connection, operation.task),
    ],
  };
}

/** Whether a key can be derived for every one of these sellers: without one, nothing may be sent. */
export function canMakeKeys(
  secrets: ReadonlyMap<string, LegSecrets>,
  connections: readonly Connection[],
): boolean {
  return connections.every(({ id }) => secrets.get(id)?.keySecret !== undefined);
}

/** Reduces arguments to those of the seller's tool, once: later changes of the tool must not change frozen bytes. */
function acceptedBy(connection: Connection, task: string, args: JsonObject): ReturnType<typeof shapeArgs> {
  const spec = findTask(task);
  if (spec === undefined) throw new Error(`No task is called ${task}.`);
  const tool = taskNameAt(spec, connection.dialect, connection.tools);
  return shapeArgs(args, connection.tools?.[tool]);
}

/** The finding on a leg that is sent without a signature (docs/protocol/signing.md#requests-to-sellers). */
export const unsignedLeg = 'UNSIGNED';

function unsignedFinding(
  ports: Pick<BuysPorts, 'signerFor'>,
  connection: Connection,
  task: string,
): Leg['findings'] {
  const spec = findTask(task);
  const isRequested = spec !== undefined && signatureRequirement(connection, spec) !== 'no';
  if (isRequested && ports.signerFor !== undefined) return [];
  const why = isRequested ? 'nobody here can sign' : 'the seller does not ask for a signature on this task';
  return [{ code: unsignedLeg, message: `Sent without a signature: ${why}.` }];
}
