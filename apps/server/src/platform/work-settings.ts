import { err, ok, type Result } from '@switchyard/values';
import type { StartFailure } from './open-switchyard.js';

export interface WorkSettings {
  /** Connections to PostgreSQL at most, of one process. */
  readonly connections: number;
  /** Tenants that one sort of work visits at once. */
  readonly workers: number;
  /** How long the process may go on after it was told to stop, in milliseconds. */
  readonly stopMs: number;
}

const bounds = {
  SWITCHYARD_DATABASE_CONNECTIONS: { usual: 12, least: 4, most: 1_000 },
  SWITCHYARD_WORKERS: { usual: 4, least: 1, most: 64 },
  SWITCHYARD_STOP_SECONDS: { usual: 25, least: 2, most: 3_600 },
} as const;

/** Of the time to stop, the workers have this part; the rest is for what has to be closed after them. */
export const workersShareOfStop = 0.6;

/** Reads `SWITCHYARD_DATABASE_CONNECTIONS`, `SWITCHYARD_WORKERS` and `SWITCHYARD_STOP_SECONDS`, each a whole number. */
export function readWorkSettings(
  env: Readonly<Record<string, string | undefined>>,
): Result<WorkSettings, StartFailure> {
  const read: Record<string, number> = {};
  for (const [name, { usual, least, most }] of Object.entries(bounds)) {
    const text = env[name]?.trim() ?? '';
    const value = text === '' ? usual : /^\d{1,5}$/.test(text) ? Number(text) : -1;
    if (value < least || value > most) {
      const message = `${name} should be a whole number from ${String(least)} to ${String(most)}; ${String(usual)} when absent.`;
      return err({ code: 'settings', message });
    }
    read[name] = value;
  }
  return ok({
    connections: read['SWITCHYARD_DATABASE_CONNECTIONS'] ?? bounds.SWITCHYARD_DATABASE_CONNECTIONS.usual,
    workers: read['SWITCHYARD_WORKERS'] ?? bounds.SWITCHYARD_WORKERS.usual,
    stopMs: 1_000 * (read['SWITCHYARD_STOP_SECONDS'] ?? bounds.SWITCHYARD_STOP_SECONDS.usual),
  });
}
