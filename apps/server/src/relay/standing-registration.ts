import type { Buffer } from 'node:buffer';
import { readA2aEvent } from '@switchyard/protocol';
import { isJsonObject, parseStrictJson, peerJsonLimits, type JsonObject } from '@switchyard/values';
import { bindingOf } from './standing-callback.js';

/** Finds registrations under a standing address by what sellers call things. */
export interface StandingBindings {
  /** Of a report: by the seller's own id of the buy. */
  readonly report: (standing: string, sellerBuyId: string) => Promise<string | undefined>;
  /** Of A2A's own channel: by the task. */
  readonly native: (standing: string, a2aTaskId: string) => Promise<string | undefined>;
}

/** True for an address that many operations of one principal share. */
export function isStanding(registration: string): boolean {
  return /^whs_[\w-]+$/.test(registration);
}

/**
 * Which registration a post to a standing address is about: the address alone does not say, so the body is asked,
 * before anything in it is believed. Whatever it names, the signature is then judged against what was agreed for
 * that operation, and a body that names another's gets no further than one that names none.
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
