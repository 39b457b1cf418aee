import type { AdmissionSettings } from '../tasks/admission.js';
import type { Profile } from './door-settings.js';
import type { Settings } from './settings.js';

/** How much is let in at once, and how an instance stops. */
export interface LoadSettings {
  readonly calls: AdmissionSettings;
  readonly webhooks: AdmissionSettings;
  /** Between the signal and the end of listening, in milliseconds: `/readyz` is red, and all is served. */
  readonly stopGraceMs: number;
  /** Of that, what the workers may take to finish what they hold, in milliseconds. */
  readonly workersStopMs: number;
  /** From the signal to the end, in milliseconds, whatever hangs. */
  readonly stopWithinMs: number;
}

/** Of the time to stop, the workers have this part; the rest is for what has to be closed after them. */
const workersShareOfStop = 0.6;

export function readLoadSettings(settings: Settings, profile: Profile): LoadSettings {
  const calls: AdmissionSettings = {
    most: settings.SWITCHYARD_REQUESTS,
    first: settings.SWITCHYARD_REQUESTS_AT_FIRST,
    perCaller: settings.SWITCHYARD_REQUESTS_PER_CALLER,
    waiting: settings.SWITCHYARD_REQUESTS_WAITING,
    waitMs: settings.SWITCHYARD_REQUESTS_WAIT_SECONDS * 1_000,
  };
  const usualGrace = profile === 'local' ? 0 : Math.min(5, settings.SWITCHYARD_STOP_SECONDS / 2);
  const stopGraceMs = (settings.SWITCHYARD_STOP_GRACE_SECONDS ?? usualGrace) * 1_000;
  const stopWithinMs = settings.SWITCHYARD_STOP_SECONDS * 1_000;
  return {
    calls,
    // One address brings the webhooks of many sellers.
    webhooks: { ...calls, perCaller: calls.most },
    stopGraceMs,
    workersStopMs: (stopWithinMs - stopGraceMs) * workersShareOfStop,
    stopWithinMs,
  };
}
