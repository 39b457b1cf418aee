import type { InboxPurge, OutboxPurge } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import type { HandsParts } from './hands-parts.js';

export interface ForgetParts extends HandsParts {
  readonly purge: InboxPurge;
  /** How long raw bytes are kept, in milliseconds; undefined: for good. */
  readonly keepBytesMs: number | undefined;
  readonly outboxPurge: OutboxPurge;
  /** How long webhooks to buyers and their webhook_activity are kept after they ended, in milliseconds; undefined: for good. */
  readonly keepActivityMs: number | undefined;
}

/** Forgets what is beyond the retention that was set, of either direction. */
export async function forgetEvents(parts: ForgetParts, scope: TenantScope): Promise<void> {
  const now = parts.ports.clock.now();
  const { keepBytesMs, keepActivityMs } = parts;
  if (keepBytesMs !== undefined) await parts.purge.bodies(scope, now - keepBytesMs, now);
  if (keepActivityMs !== undefined) await parts.outboxPurge.events(scope, now - keepActivityMs);
}

const dayMs = 24 * 3_600_000;

/** `SWITCHYARD_WEBHOOK_BYTES_DAYS`, at least one day; anything else keeps the bytes. */
export function keepBytesFrom(env: Readonly<Record<string, string | undefined>>): number | undefined {
  return daysFrom(env['SWITCHYARD_WEBHOOK_BYTES_DAYS'], 1);
}

/** Whoever shows webhook_activity at all shows at least 30 days of it (signing-webhooks 13.8). */
const leastActivityDays = 30;

/** `SWITCHYARD_WEBHOOK_ACTIVITY_DAYS`, at least 30; anything else keeps what was sent. */
export function keepActivityFrom(env: Readonly<Record<string, string | undefined>>): number | undefined {
  return daysFrom(env['SWITCHYARD_WEBHOOK_ACTIVITY_DAYS'], leastActivityDays);
}

function daysFrom(text: string | undefined, least: number): number | undefined {
  if (text === undefined || !/^[1-9]\d{0,4}$/.test(text)) return undefined;
  return Number(text) < least ? undefined : Number(text) * dayMs;
}
