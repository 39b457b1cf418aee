import type { InboxPurge } from '@switchyard/store';
import type { HandsParts } from './hands-parts.js';

export interface ForgetParts extends HandsParts {
  readonly purge: InboxPurge;
  /** How long raw bytes are kept, in milliseconds; undefined: for good. */
  readonly keepBytesMs: number | undefined;
}

/** Forgets the keys of events without money, and raw bytes beyond the retention that was set. */
export async function forgetEvents(parts: ForgetParts): Promise<void> {
  const now = parts.ports.clock.now();
  await parts.purge.keys(now);
  if (parts.keepBytesMs === undefined) return;
  for (const organizationId of await parts.organizations.ids())
    await parts.purge.bodies({ organizationId }, now - parts.keepBytesMs, now);
}

/** `SWITCHYARD_WEBHOOK_BYTES_DAYS`, at least one day; anything else keeps the bytes. */
export function keepBytesFrom(env: Readonly<Record<string, string | undefined>>): number | undefined {
  const text = env['SWITCHYARD_WEBHOOK_BYTES_DAYS'] ?? '';
  return /^[1-9]\d{0,4}$/.test(text) ? Number(text) * 24 * 3_600_000 : undefined;
}
