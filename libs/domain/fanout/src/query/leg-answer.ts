import type { Finding, TaskError } from '@switchyard/protocol';
import type { Connection, TransportFailure } from '@switchyard/sellers';
import type { JsonObject } from '@switchyard/values';

/** The details of one leg, in addition to its row. */
export interface LegAnswer<Answer> {
  readonly answer?: Answer;
  /** The updated connection, if the seller's form has changed. */
  readonly connection?: Connection;
  /** The payload of each page as the seller sent it. */
  readonly payloads?: readonly JsonObject[];
  /** The JSON text of the first page, if requested. */
  readonly text?: string;
  /** Invalid items, with a reason each. */
  readonly setAside: readonly Finding[];
  /** Members that the seller's form could not carry, and members of its answer that are not supported here. */
  readonly findings: readonly Finding[];
  readonly pending?: PendingTask;
  /** True if the seller had more pages than could be read in time. */
  readonly isTruncated?: true;
  readonly errors?: readonly TaskError[];
  readonly failure?: TransportFailure;
}

/** A task whose answer comes later, with the ids needed to poll it. */
export interface PendingTask {
  /** `pending`: it is asked again later, because its answer was not waited for. */
  readonly status: 'submitted' | 'working' | 'pending';
  /** The arguments as sent. */
  readonly args: JsonObject;
  readonly taskId?: string;
  readonly contextId?: string;
  readonly a2aTaskId?: string;
  readonly a2aContextId?: string;
}
