import type { Egress, SellerTransport } from '@switchyard/sellers';

export interface SellerTransportOptions {
  readonly egress: Egress;
  /** What we call ourselves towards sellers. */
  readonly client?: { readonly name: string; readonly version: string };
  /** Largest answer that is read, in bytes. */
  readonly maxAnswerBytes?: number;
}

/** Speaks MCP and A2A to sellers, each seller over the protocol of its connection. */
export function createSellerTransport(options: SellerTransportOptions): SellerTransport {
  throw new Error(`not yet: ${String(options.maxAnswerBytes)}`);
}
