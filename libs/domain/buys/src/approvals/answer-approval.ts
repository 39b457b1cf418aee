import { credentialInArgs, taskNameAt, findTask } from '@switchyard/protocol';
import { throughLogin, traitsOf, type Connection } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import { canonicalJson, err, ok, type JsonObject, type Result } from '@switchyard/values';
import {
  reportedCreatives,
  creativeIdsIn,
  withSellerIds,
  sellerIdsIn,
} from '../creatives/creatives-at-sellers.js';
import { deriveKey } from '../model/keys.js';
import type { Leg } from '../model/operation.js';
import { outboundOf } from '../model/outbound.js';
import type { Approval, ApprovalPorts } from './approval.js';
import { sendAnswer } from './send-answer.js';

export interface ApprovalFailure {
  readonly code:
    | 'NOT_FOUND'
    | 'ALREADY_ANSWERED'
    | 'SELLER_MOVED_ON'
    | 'NO_CONTINUATION'
    | 'CAN_BE_ANSWERED'
    | 'INVALID_ANSWER'
    | 'CREDENTIAL_UNAVAILABLE';
  readonly message: string;
}

/** Members that Switchyard sets on every call; an answer may not change the caller, the account or the callbacks. */
const reserved = [
  'idempotency_key',
  'context',
  'context_id',
  'account',
  'push_notification_config',
  'reporting_webhook',
  'task_id',
];

/** A person's answer to a seller's question. */
interface ApprovalAnswer {
  readonly by: string;
  readonly id: string;
  readonly answer: JsonObject;
}

/**
 * Answers a seller's question, once. The answer and the bytes that carry it are stored before the seller is
 * called, so that a crash loses neither. The first answer wins. An answer to a question that is no longer
 * open fails with the reason (docs/protocol/task-states.md#questions-of-sellers).
 */
export async function answerApproval(
  ports: ApprovalPorts,
  scope: TenantScope,
  { by, id, answer }: ApprovalAnswer,
): Promise<Result<Approval, ApprovalFailure>> {
  const approval = await ports.approvals.find(scope, id);
  if (approval === undefined) return refuse('NOT_FOUND', 'There is no question with this id.');
  const closed = closedFailure(approval);
  if (closed !== undefined) return err(closed);
  const fault = answerFault(approval, answer);
  if (fault !== undefined) return refuse('INVALID_ANSWER', fault);
  const leg = await ports.store.leg(scope, approval.legId);
  const stored = await ports.connections.byId(scope, approval.connectionId);
  const connection = stored && throughLogin(stored, leg?.login);
  if (leg === undefined || connection === undefined)
    return refuse('NOT_FOUND', 'There is no question with this id.');
  if (!canGoOn(approval, connection)) {
    const message = `The seller ${approval.seller} gave no way to continue: answer at the seller directly.`;
    return refuse('NO_CONTINUATION', message);
  }
  const outbound = await answerArgs(ports, scope, { approval, leg, connection, answer });
  if (outbound === undefined)
    return refuse('CREDENTIAL_UNAVAILABLE', 'The secret of this seller cannot be used now.');
  const at = ports.clock.now();
  const claimed = await ports.approvals.claim(scope, id, { answer, by, outbound, at });
  if (!claimed) {
    const now = await ports.approvals.find(scope, id);
    return err((now === undefined ? undefined : closedFailure(now)) ?? alreadyAnswered);
  }
  await sendAnswer(ports, scope, id);
  return ok((await ports.approvals.find(scope, id)) ?? approval);
}

const alreadyAnswered: ApprovalFailure = {
  code: 'ALREADY_ANSWERED',
  message: 'This question was answered by another person meanwhile.',
};

/** Returns why a question takes no more answers; undefined while it is open. */
export function closedFailure({ state, seller, answeredAt }: Approval): ApprovalFailure | undefined {
  if (state === 'open') return undefined;
  if (state === 'dismissed') return { code: 'ALREADY_ANSWERED', message: 'This question was dismissed.' };
  if (state === 'moved_on')
    return { code: 'SELLER_MOVED_ON', message: `The seller ${seller} has gone on without an answer.` };
  if (answeredAt === undefined) return alreadyAnswered;
  const when = new Date(answeredAt).toISOString();
  return { code: 'ALREADY_ANSWERED', message: `This question was answered at ${when}.` };
}

/**
 * Whether a question can be answered from here. Over A2A the task itself continues. Over MCP the seller must
 * have sent a `context_id`, and its tool must accept it: a task id alone only permits polling
 * (docs/protocol/task-states.md#questions-of-sellers).
 */
export function canGoOn(approval: Approval, connection: Connection): boolean {
  if (traitsOf(connection.protocol).hasNativeTasks) return approval.a2aTaskId !== undefined;
  if (approval.contextId === undefined) return false;
  const spec = findTask(approval.task);
  const members =
    spec === undefined
      ? undefined
      : connection.tools?.[taskNameAt(spec, connection.dialect, connection.tools)];
  return members === undefined || members.length === 0 || members.includes('context_id');
}

function answerFault(approval: Approval, answer: JsonObject): string | undefined {
  if (Object.keys(answer).length === 0) return 'An answer must not be empty.';
  const taken = reserved.find((name) => Object.hasOwn(answer, name));
  if (taken !== undefined) return `An answer must not set ${taken}.`;
  return credentialInArgs(approval.task, answer) === undefined
    ? undefined
    : 'An answer must not contain a credential.';
}

/** Returns the original request merged with the answer, under a new idempotency key because the body differs. */
async function answerArgs(
  ports: ApprovalPorts,
  scope: TenantScope,
  of: {
    readonly approval: Approval;
    readonly leg: Leg;
    readonly connection: Connection;
    readonly answer: JsonObject;
  },
): Promise<string | undefined> {
  const { approval, leg, connection, answer } = of;
  const first = outboundOf(leg);
  // Over a shared account, creatives of an answer get local ids, so that they replace no creative of another tenant.
  const creatives = await reportedCreatives(ports.creatives, scope, [connection.id], creativeIdsIn(answer));
  const names = new Map([...(creatives.get(connection.id) ?? []), ...sellerIdsIn(first, connection.id)]);
  const args: Record<string, JsonObject[string]> = { ...first, ...withSellerIds(answer, names) };
  if (approval.contextId !== undefined && connection.protocol === 'mcp')
    args['context_id'] = approval.contextId;
  if (first['idempotency_key'] !== undefined) {
    const use = { operationId: leg.operationId, purpose: approval.task };
    const secrets = await ports.lease(scope, [connection], use);
    const keySecret = secrets.ok ? secrets.value.get(connection.id)?.keySecret : undefined;
    if (keySecret === undefined) return undefined;
    args['idempotency_key'] = deriveKey(keySecret, {
      principalId: approval.operationId,
      task: approval.task,
      buyerKey: `approval ${approval.id}`,
      operationId: approval.operationId,
    });
  }
  return canonicalJson(args);
}

function refuse(code: ApprovalFailure['code'], message: string): Result<never, ApprovalFailure> {
  return err({ code, message });
}
