import { randomUUID } from 'node:crypto';
import type { Agent } from '../agent/agent.js';
import { compact, type Json, type JsonObject } from '../json.js';
import type { OutEvent } from './out-event.js';

export interface EnvelopeFacts {
  readonly url: string;
  readonly stream: string;
  readonly operationId: string | undefined;
  readonly token: string | undefined;
  readonly secret: string | undefined;
  readonly taskId: string;
  readonly taskType: string;
  readonly status: string;
  readonly message: string;
  readonly result: JsonObject | undefined;
  readonly context: JsonObject | undefined;
  readonly notificationType: string;
  readonly mediaBuyId?: string;
  readonly sequence?: number;
}

/** Builds one webhook that will not change: envelope, key and bytes. */
export function envelopeEvent(agent: Agent, facts: EnvelopeFacts): OutEvent {
  const key = randomUUID();
  const now = agent.now();
  const area: Json = facts.taskType === 'activate_signal' ? 'signals' : 'media-buy';
  const body = compact({
    idempotency_key: key,
    operation_id: facts.operationId,
    task_id: facts.taskId,
    task_type: facts.taskType,
    [agent.personality.form === 'service' ? 'domain' : 'protocol']: area,
    status: facts.status,
    timestamp: new Date(now).toISOString(),
    message: facts.message,
    token: facts.token,
    result: facts.result,
    context: facts.context,
  });
  return {
    key,
    stream: facts.stream,
    url: facts.url,
    contentType: 'application/json',
    body: JSON.stringify(body),
    createdAt: now,
    notificationType: facts.notificationType,
    ...(facts.secret === undefined ? {} : { secret: facts.secret }),
    ...(facts.mediaBuyId === undefined ? {} : { mediaBuyId: facts.mediaBuyId }),
    ...(facts.sequence === undefined ? {} : { sequence: facts.sequence }),
  };
}
