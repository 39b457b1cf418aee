import type { Result } from '@switchyard/values';

/**
 * A hint that some rows want attention. It carries no work: whoever wakes claims rows from the database, and a
 * schedule finds them without any hint. So losing every wake-up costs time, never data.
 */
export interface QueueJob {
  /** UUID. */
  readonly organizationId: string;
  /** What wants attention, for example a leg's id. Wake-ups of one key collapse while they wait. */
  readonly key?: string;
}

export interface JobDelivery extends QueueJob {
  readonly topic: string;
  /** 1 on the first try. */
  readonly attempt: number;
}

export type JobHandler = (wakeUp: JobDelivery) => Promise<void>;

export interface QueueDepth {
  readonly topic: string;
  readonly waiting: number;
  readonly delayed: number;
  readonly active: number;
}

export interface QueueFailure {
  readonly code: 'queue_unavailable';
  readonly message: string;
}

/** Wake-ups between processes. Nothing here survives a flush, and nothing has to. */
export interface JobQueue {
  /**
   * Asks for attention, now or after `delayMs`. A wake-up that has no delay collapses into one of the same topic,
   * tenant and key that has not started; one that has started is followed by another run. Delayed ones collapse
   * when they fall due in the same second, and never hold back an earlier one. Never rejects: a queue that cannot
   * be reached is a value, and the caller's work goes on.
   */
  wake(
    topic: string,
    wakeUp: QueueJob,
    options?: { readonly delayMs?: number },
  ): Promise<Result<void, QueueFailure>>;
  /**
   * Runs `handler` for the wake-ups of a topic, `concurrency` at a time in this process. A handler that rejects is
   * tried again after growing pauses of at most 30 s. One handler per topic and process.
   */
  handle(
    topic: string,
    handler: JobHandler,
    options?: { readonly concurrency?: number },
  ): Promise<Result<void, QueueFailure>>;
  /** What waits per topic that this process has woken or handles: for the lag gauges. */
  depths(): Promise<Result<readonly QueueDepth[], QueueFailure>>;
  /** Takes no new wake-ups, waits for the running handlers, then closes every connection. */
  close(): Promise<void>;
}
