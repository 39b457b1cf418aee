/** One webhook that the agent owes. Body and key are fixed when it is stored: a retry sends the same bytes. */
export interface OutEvent {
  readonly key: string;
  /** Events of one stream make their first attempt in order. */
  readonly stream: string;
  readonly url: string;
  readonly contentType: string;
  readonly body: string;
  /** The HMAC secret, used instead of a signature. */
  readonly secret?: string;
  /** The token that a native A2A post has in its own header. */
  readonly token?: string;
  readonly createdAt: number;
  readonly mediaBuyId?: string;
  readonly notificationType: string;
  readonly sequence?: number;
}

/** One attempt to deliver an event. `settles` is true if no other follows. */
export interface Attempt {
  readonly key: string;
  readonly attempt: number;
  readonly firedAt: number;
  readonly completedAt: number;
  readonly status: 'success' | 'failed' | 'timeout' | 'connection_error';
  readonly httpStatus: number | null;
  readonly settles: boolean;
}
