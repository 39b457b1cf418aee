import { BreakerBoard, Bulkhead, defaultBreakerPolicy } from '@switchyard/sellers';
import type { BuyingHarness } from '@switchyard/testing';
import type { BuysPorts } from '../model/ports.js';
import type { ReadRequest } from '../model/read-request.js';
import type { ReadPorts } from '../model/read-request.js';

/** Ports of buying with what reads need beside them. */
export function readPortsOf<Ports extends BuysPorts>(ports: Ports): Ports & ReadPorts {
  return {
    ...ports,
    breakers: new BreakerBoard(defaultBreakerPolicy, { changed: () => undefined }),
    bulkhead: new Bulkhead(8),
  };
}

/** A read by the principal of a harness. */
export function readRequestOf({
  scope,
  principalId,
}: BuyingHarness): ReadRequest & { readonly principalId: string } {
  return { scope, principalId, deadlineMs: 5_000, signal: new AbortController().signal };
}
