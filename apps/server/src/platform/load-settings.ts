import { err, ok, type Result } from '@switchyard/values';
import type { AdmissionSettings } from '../application/admission.js';
import type { Profile } from './door-settings.js';
import type { StartFailure } from './open-switchyard.js';

/** How much is let in at once, and how an instance stops. */
export interface LoadSettings {
  readonly calls: AdmissionSettings;
  readonly webhooks: AdmissionSettings;
  /** Between the signal and the end of listening, in milliseconds: `/readyz` is red, and all is served. */
  readonly stopGraceMs: number;
  /** From the signal to the end, in milliseconds, whatever hangs. */
  readonly stopWithinMs: number;
}

/** Whole numbers, each with the least and the most that it may be. */
const bounds = {
  SWITCHYARD_REQUESTS: [1, 10_000],
  SWITCHYARD_REQUESTS_AT_FIRST: [1, 10_000],
  SWITCHYARD_REQUESTS_PER_CALLER: [1, 10_000],
  SWITCHYARD_REQUESTS_WAITING: [0, 100_000],
  SWITCHYARD_REQUESTS_WAIT_SECONDS: [0, 60],
  SWITCHYARD_STOP_GRACE_SECONDS: [0, 600],
  SWITCHYARD_STOP_SECONDS: [1, 3_600],
} as const;

/**
 * Reads `SWITCHYARD_REQUESTS` (at work at once, 128; webhooks have as many of their own), `SWITCHYARD_REQUESTS_AT_FIRST`
 * (8), `SWITCHYARD_REQUESTS_PER_CALLER` (32), `SWITCHYARD_REQUESTS_WAITING` (1024), `SWITCHYARD_REQUESTS_WAIT_SECONDS` (10),
 * `SWITCHYARD_STOP_GRACE_SECONDS` (5; 0 in the local profile) and `SWITCHYARD_STOP_SECONDS` (30).
 */
export function readLoadSettings(
  env: Readonly<Record<string, string | undefined>>,
  profile: Profile,
): Result<LoadSettings, StartFailure> {
  const wrong: string[] = [];
  const read = (name: keyof typeof bounds, usual: number): number => {
    const text = env[name]?.trim();
    if (text === undefined || text === '') return usual;
    const [least, most] = bounds[name];
    const value = /^\d{1,6}$/.test(text) ? Number(text) : NaN;
    if (value >= least && value <= most) return value;
    wrong.push(`${name} is a whole number from ${least} to ${most}.`);
    return usual;
  };
  const calls: AdmissionSettings = {
    most: read('SWITCHYARD_REQUESTS', 128),
    first: read('SWITCHYARD_REQUESTS_AT_FIRST', 8),
    perCaller: read('SWITCHYARD_REQUESTS_PER_CALLER', 32),
    waiting: read('SWITCHYARD_REQUESTS_WAITING', 1024),
    waitMs: read('SWITCHYARD_REQUESTS_WAIT_SECONDS', 10) * 1_000,
  };
  const stopGraceMs = read('SWITCHYARD_STOP_GRACE_SECONDS', profile === 'local' ? 0 : 5) * 1_000;
  const stopWithinMs = read('SWITCHYARD_STOP_SECONDS', 30) * 1_000;
  if (stopGraceMs >= stopWithinMs)
    wrong.push('SWITCHYARD_STOP_GRACE_SECONDS is less than SWITCHYARD_STOP_SECONDS.');
  if (wrong.length > 0) return err({ code: 'settings', message: wrong.join('\n') });
  // One address brings the webhooks of many sellers.
  const webhooks = { ...calls, perCaller: calls.most };
  return ok({ calls, webhooks, stopGraceMs, stopWithinMs });
}
