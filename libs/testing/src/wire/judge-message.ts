import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import type { PublishedSchemas, Spoken } from './published-schemas.js';
import { refusalFaults } from './judge-refusal.js';
import { deviations, openLists, schemaPaths, unpublishedArms } from './schema-table.js';
import { envelopeFaults, inPublishedDialect } from './published-dialect.js';

/**
 * The use of a message: a request to a seller, an answer to a caller, the body of a webhook, or an event of A2A's
 * native channel about a task, with the task's type and status as in the body of a webhook.
 */
type MessageKind = 'request' | 'answer' | 'webhook' | 'native';

/** One message without its transport's wrapping. */
export interface Message {
  readonly kind: MessageKind;
  /** The canonical name of the task; for a webhook its `task_type`. */
  readonly task: string;
  readonly form: Spoken;
  readonly body: JsonObject;
}

/**
 * All faults of a message against the published schemas of its form, except listed deviations. `undefined`: no schema
 * is published for such a message.
 */
export function messageFaults(schemas: PublishedSchemas, message: Message): readonly string[] | undefined {
  const { kind, task, form } = message;
  const body = withoutOpenLists(task, form, inPublishedDialect(message.body));
  if (!isJsonObject(body)) return ['it is no object'];
  const received = faultsOfKind(schemas, { kind, task, form }, body);
  return received?.filter((fault) => !isDeviation(form, fault));
}

function faultsOfKind(
  schemas: PublishedSchemas,
  { kind, task, form }: Pick<Message, 'kind' | 'task' | 'form'>,
  body: JsonObject,
): readonly string[] | undefined {
  switch (kind) {
    case 'webhook':
      return webhookFaults(schemas, form, body);
    case 'native':
      // Its data is wrapped only by A2A, for which the protocol publishes no schema.
      return form === 'service' ? undefined : resultFaults(schemas, form, body);
    case 'request':
      return endFaults(schemas, task, form, 'request', body);
    case 'answer':
      return answerFaults(schemas, task, form, body);
  }
}

type End = 'request' | 'response' | `async-response-${'submitted' | 'working' | 'input-required'}`;

function endFaults(
  schemas: PublishedSchemas,
  task: string,
  form: Spoken,
  end: End,
  body: JsonValue,
): readonly string[] | undefined {
  return (schemaPaths[task] ?? [])
    .map((path) => schemas.faults(form, `${path}-${end}.json`, body))
    .find((verdict) => verdict !== undefined);
}

/** An answer: a success, a refusal, or a task in progress; and the result inside an answer about a task. */
function answerFaults(
  schemas: PublishedSchemas,
  task: string,
  form: Spoken,
  body: JsonObject,
): readonly string[] | undefined {
  if (task === 'get_task' && 'task_id' in body && 'task_type' in body) {
    const received = endFaults(schemas, task, form, 'response', body);
    if (received === undefined) return undefined;
    return [...received, ...resultFaults(schemas, form, body).map((fault) => `/result${fault}`)];
  }
  const received = endFaults(schemas, task, form, 'response', body);
  if (received === undefined || received.length === 0) return received;
  if (isRefusal(body)) return refusalFaults(schemas, { task, form }, body);
  const arm = armOf(body['status']);
  if (arm === undefined) return received;
  const asArm = endFaults(schemas, task, form, arm, body);
  if (
    asArm === undefined &&
    !unpublishedArms.some(
      (unpublishedArm) => unpublishedArm.task === task && unpublishedArm.forms.includes(form),
    )
  )
    return received;
  return [...(asArm ?? []), ...envelopeFaults(schemas, form, body)];
}

/** The body of a webhook: its envelope, and its result against the schema of its task and status. */
function webhookFaults(
  schemas: PublishedSchemas,
  form: Spoken,
  body: JsonObject,
): readonly string[] | undefined {
  const bare = bareEventOf(body);
  if (bare !== undefined) return schemas.faults(form, `core/${bare}.json`, body);
  const { result, ...envelope } = body;
  const received = schemas.faults(form, 'core/mcp-webhook-payload.json', envelope);
  if (received === undefined) return undefined;
  return [
    ...received,
    ...(result === undefined ? [] : resultFaults(schemas, form, body).map((fault) => `/result${fault}`)),
  ];
}

/** The schema of an event, or of a question to its receiver, that is in no envelope of a task. */
function bareEventOf(body: JsonObject): string | undefined {
  const { type, scope, notification_type: name } = body;
  if (type === 'webhook.challenge')
    return scope === 'agent' ? 'agent-webhook-challenge' : 'webhook-challenge';
  return typeof name === 'string' ? `${name.replaceAll(/[._]/g, '-')}-webhook` : undefined;
}

/** The `result` of a webhook or of an answer about a task, by the task's type and status. */
function resultFaults(schemas: PublishedSchemas, form: Spoken, body: JsonObject): readonly string[] {
  const { result, status, task_type: type } = body;
  if (result === undefined) return [];
  if (!isJsonObject(result) || typeof type !== 'string') return [' is no object, or of no task'];
  if (type === 'media_buy_delivery') return reportFaults(schemas, form, result);
  if ('impairments' in result || 'impairment_id' in result || 'health' in result)
    return schemas.faults(form, 'core/impairment.json', result) ?? [];
  const arm = armOf(status);
  if (arm !== undefined) return endFaults(schemas, type, form, arm, result) ?? [];
  const whole = { ...(form === '2.5' ? {} : { status: status ?? 'completed' }), ...result };
  return answerFaults(schemas, type, form, whole) ?? [];
}

/** Before 3.1 reports had no schema of their own: they had that of the answer to a delivery read. */
function reportFaults(schemas: PublishedSchemas, form: Spoken, result: JsonObject): readonly string[] {
  return (
    schemas.faults(form, 'media-buy/media-buy-delivery-webhook-result.json', result) ??
    schemas.faults(form, 'media-buy/get-media-buy-delivery-response.json', result) ??
    []
  );
}

/** Whether an answer reports a failed task. */
function isRefusal(body: JsonObject): boolean {
  const { errors, status } = body;
  if (!Array.isArray(errors) || errors.length === 0) return false;
  if ('adcp_error' in body) return true;
  return status === undefined || status === 'failed' || status === 'rejected' || status === 'canceled';
}

function armOf(status: JsonValue | undefined): Exclude<End, 'request' | 'response'> | undefined {
  return status === 'submitted' || status === 'working' || status === 'input-required'
    ? `async-response-${status}`
    : undefined;
}

function withoutOpenLists(task: string, form: Spoken, body: JsonValue): JsonValue {
  if (!isJsonObject(body)) return body;
  const open = openLists.filter((openList) => openList.task === task && openList.forms.includes(form));
  const emptied = open.flatMap(({ member }): [string, JsonValue][] => {
    const list = body[member];
    return Array.isArray(list) && list.every((item) => typeof item === 'string') ? [[member, []]] : [];
  });
  return { ...body, ...Object.fromEntries(emptied) };
}

function isDeviation(form: Spoken, fault: string): boolean {
  return deviations.some(({ forms, fault: known }) => forms.includes(form) && known.test(fault));
}
