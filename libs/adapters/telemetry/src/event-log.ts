import type { Logger } from 'pino';

/** Fields of each event line. Only ids, slugs, names of a closed list, numbers: no text of others, and no errors. */
export interface EventFields {
  /** A request that was answered. */
  readonly request: {
    readonly request_id: string;
    readonly method: string;
    readonly endpoint: string;
    /** The pattern of its route, for example `/v1/jobs/:id`. */
    readonly route?: string;
    readonly status: number;
    readonly duration_ms: number;
    /** With headers. */
    readonly bytes_in: number;
    readonly bytes_out: number;
    /** Id of the organization and principal, once the credential is known. */
    readonly caller?: string;
  };
  /** A seller's part of a request that did not answer, or answered slowly. */
  readonly leg: {
    readonly organization: string;
    readonly task: string;
    readonly seller: string;
    readonly status: string;
    readonly duration_ms: number;
  };
  readonly webhook_in: {
    readonly outcome: string;
    readonly registration: string;
    readonly duration_ms: number;
  };
  readonly webhook_out: {
    readonly organization: string;
    /** Id of the event of the outbox. */
    readonly webhook: string;
    /** A task's status, a delivery report, or an impairment. */
    readonly kind: string;
    readonly attempt: number;
    readonly outcome: string;
    readonly duration_ms: number;
  };
  /** A sealed request. Its custody record has the caller, also where that is not here. */
  readonly relay: {
    readonly record: string;
    readonly organization?: string;
    readonly principal?: string;
    readonly seller: string;
    readonly outcome: string;
    readonly code?: string;
    readonly duration_ms: number;
  };
  /** A job that has ended. */
  readonly job: {
    readonly organization: string;
    readonly job: string;
    readonly kind: string;
    readonly outcome: string;
    readonly code?: string;
    /** From its first unit to its end. */
    readonly duration_ms: number;
  };
  readonly sign_in: {
    readonly outcome: 'opened' | 'second_step' | 'refused';
    readonly way: string;
    readonly request_id?: string;
    readonly organization?: string;
    readonly principal?: string;
  };
  /** An act of an admin route. */
  readonly act: {
    readonly organization: string;
    readonly route: string;
    readonly outcome: 'ok' | 'refused' | 'failed';
    readonly code?: string;
    readonly object?: string;
    readonly principal?: string;
    readonly request_id?: string;
    readonly duration_ms: number;
  };
}

/** Writes one line of an event at the level `info`: its name is the member `event`. */
export type EventLog = <Name extends keyof EventFields>(
  event: Name,
  fields: EventFields[Name] & {
    /** The trace that the event is a part of, where that is recorded. */
    readonly trace_id?: string;
  },
) => void;

/**
 * Event lines on a logger. The fields are not copied and searched as those of free lines are, since their types admit no
 * secret; the finished line is still masked. Below the level `info` an event costs one comparison.
 */
export function createEventLog(logger: Logger): EventLog {
  const lines = logger.child({}, { formatters: { log: (fields) => fields } });
  // A child has a level of its own: it follows the logger's, which can change while the process runs.
  lines.level = 'info';
  return (event, fields) => {
    if (logger.isLevelEnabled('info')) lines.info({ event, ...fields });
  };
}
