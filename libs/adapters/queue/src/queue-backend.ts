import type { BackendFactory } from 'bullmq';

/** BullMQ on one kind of store. One connection pool per process, whatever the number of topics. */
export interface QueueBackend {
  readonly create: BackendFactory;
  /** Rejects when the store does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
