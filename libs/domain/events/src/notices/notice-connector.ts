import type { JsonObject } from '@switchyard/values';

/** A notice as a place outside of the product is told. It holds no secret. */
export interface ToldNotice {
  /** Of the delivery: the same at each attempt, so that a receiver can drop what it has. */
  readonly id: string;
  /** For example `approval.requested`. */
  readonly kind: string;
  readonly severity: 'info' | 'warning' | 'error' | 'critical';
  /** One line. */
  readonly title: string;
  readonly body?: string;
  /** The page of the object. */
  readonly link: string;
  /** ISO 8601. */
  readonly at: string;
  readonly object: { readonly kind: string; readonly id: string };
}

/**
 * A place for notices outside of the product (docs/guides/connectors.md#a-place-for-notices). It writes the body of one POST as
 * JSON; the address is sealed and it never has it.
 */
export interface NoticeConnector {
  readonly kind: 'notices';
  /** The channel of endpoints: small letters, digits and hyphens. */
  readonly channel: string;
  /** For people. */
  readonly title: string;
  /** Pure: the same notice gives the same body. */
  readonly body: (notice: ToldNotice) => JsonObject;
}

/** Largest body, in bytes of UTF-8. */
export const mostNoticeBytes = 64 * 1024;

/** The body that a connector writes, as it is sent; undefined if it throws, is no object, or is too large. */
export function noticeBody(connector: NoticeConnector, notice: ToldNotice): Buffer | undefined {
  try {
    const body: unknown = connector.body(notice);
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined;
    const bytes = Buffer.from(JSON.stringify(body), 'utf8');
    return bytes.length <= mostNoticeBytes ? bytes : undefined;
  } catch {
    return undefined;
  }
}
