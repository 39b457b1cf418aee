/** One webhook that the agent owes somebody. Body and key are frozen when it is written: a retry sends the same bytes. */
export interface OutEvent {
  readonly key: string;
  /** Events of one stream make their first attempt in order. */
  readonly stream: string;
  readonly url: string;
  readonly contentType: string;
  readonly body: string;
  /** By HMAC under this instead of a signature. */
  readonly secret?: string;
  /** What a native A2A post brings in its own header. */
  readonly token?: string;
  readonly createdAt: number;
  readonly mediaBuyId?: string;
  readonly notificationType: string;
  readonly sequence?: number;
}

/** One try at delivering an event. `settles` says that no other follows. */
export interface Attempt {
  readonly key: string;
  readonly attempt: number;
  readonly firedAt: number;
  readonly completedAt: number;
  readonly status: 'success' | 'failed' | 'timeout' | 'connection_error';
  readonly httpStatus: number | null;
  readonly settles: boolean;
}
