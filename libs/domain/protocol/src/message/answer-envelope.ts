import { defined, type JsonObject } from '@switchyard/values';
import type { TaskStatus } from '../entities/task/task-status.js';
import { dialects } from '../versions/dialect.js';
import type { WireProfile } from '../versions/wire-profile.js';
import { withExt } from './form.js';

/** One row per seller that could have been queried (docs/protocol/requests-and-versions.md#sellers-in-an-answer). */
export interface SellerRow {
  readonly seller: string;
  readonly status: 'answered' | 'slow' | 'refused' | 'failed' | 'skipped';
  readonly reason: string;
  readonly code?: string;
  readonly elapsed_ms: number;
  readonly items: number;
}

interface AnswerEnvelope {
  readonly profile: WireProfile;
  readonly served?: string;
  readonly status: TaskStatus;
  readonly taskId?: string;
  /** Echoed verbatim. Leave it out of a `CREDENTIAL_IN_ARGS` answer: it may hold the secret. */
  readonly context?: JsonObject;
  readonly contextId?: string;
  readonly message?: string;
  readonly replayed?: boolean;
  readonly operationId?: string;
  readonly sellers?: readonly SellerRow[];
  /** True for the REST API: `sellers` and `operation_id` at the top level in every form. */
  readonly rest?: boolean;
}

/**
 * The complete answer: the task's payload and the members of every answer.
 *
 * Members of the payload win, because in 3.0 and the `service` form `status` at this level may be the media buy's.
 * Seller rows and the operation are at the top level in the `service` form and the REST API, else under
 * `ext.switchyard` (docs/protocol/requests-and-versions.md#sellers-in-an-answer). The caller's `context` is returned
 * verbatim.
 */
export function projectEnvelope(envelope: AnswerEnvelope, payload: JsonObject): JsonObject {
  const { profile, served, context } = envelope;
  const around = defined({
    [dialects[profile.dialect].versionField]: served,
    status: envelope.status,
    task_id: envelope.taskId,
    context_id: envelope.contextId,
    message: envelope.message,
    replayed: envelope.replayed === true ? true : undefined,
  });
  const extension = defined({
    operation_id: envelope.operationId,
    sellers: envelope.sellers?.map((row) => ({ ...row })),
  }) as JsonObject;
  const isTopLevel = profile.form === 'service' || envelope.rest === true;
  const placed =
    Object.keys(extension).length === 0 ? {} : isTopLevel ? extension : withExt(payload, extension);
  const echoed = context === undefined ? {} : { context: structuredClone(context) };
  return { ...(around as JsonObject), ...payload, ...placed, ...echoed };
}
