import type { Buffer } from 'node:buffer';
import { readA2aEvent } from '@switchyard/protocol';
import { isJsonObject, parseStrictJson, peerJsonLimits, type JsonObject } from '@switchyard/values';
import { bindingOf } from './standing-callback.js';

/** Finds registrations under a standing address by sellers' ids. */
export interface StandingBindings {
  /** For a report: by the seller's own id of the buy. */
  readonly report: (standing: string, sellerBuyId: string) => Promise<string | undefined>;
  /** For A2A's own channel: by the task. */
  readonly native: (standing: string, a2aTaskId: string) => Promise<string | undefined>;
}

/** True for an address that many operations of one principal share. */
export function isStanding(registration: string): boolean {
  return /^whs_[\w-]+$/.test(registration);
}

/**
 * The registration of a post to a standing address. The address does not identify it, so the unverified body does. The
 * signature is then verified against that registration, so a body that names another's registration is refused like one
 * that names none.
 */
export async function standingRegistration(
  standing: string,
  body: Buffer,
  bindings: StandingBindings,
): Promise<readonly string[]> {
  const parsed = parseStrictJson(body, peerJsonLimits);
  const native = parsed.ok ? readA2aEvent(parsed.value.value) : undefined;
  if (native !== undefined && !native.a2aTaskId.includes('\0')) {
    const found = await bindings.native(standing, native.a2aTaskId);
    return found === undefined ? [] : [found];
  }
  const reported = parsed.ok && isJsonObject(parsed.value.value) ? parsed.value.value : {};
  const operationId = reported['operation_id'];
  const named = typeof operationId === 'string' ? [bindingOf(standing, operationId)] : [];
  const buyId = buyIn(reported);
  const report = buyId === undefined ? undefined : await bindings.report(standing, buyId);
  return report === undefined ? named : [...named, report];
}

function buyIn({ result }: JsonObject): string | undefined {
  if (!isJsonObject(result) || !Array.isArray(result['media_buy_deliveries'])) return undefined;
  const [first] = result['media_buy_deliveries'];
  const id = isJsonObject(first) ? first['media_buy_id'] : undefined;
  return typeof id === 'string' && !id.includes('\0') ? id : undefined;
}
