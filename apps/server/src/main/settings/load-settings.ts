import type { AdmissionSettings } from '../../platform/http/admission.js';
import type { Profile } from './http-settings.js';
import type { Settings } from './settings.js';

/** The limits of admitted work, and how an instance stops. */
export interface LoadSettings {
  readonly calls: AdmissionSettings;
  readonly webhooks: AdmissionSettings;
  /** From the signal until listening ends, in milliseconds: `/readyz` fails, and requests are still served. */
  readonly stopGraceMs: number;
  /** The part of it in which the workers finish their jobs, in milliseconds. */
  readonly workersStopMs: number;
  /** From the signal to the end of the process, in milliseconds, even if something hangs. */
  readonly stopWithinMs: number;
}

/** The workers' share of the stop time; the rest is for what closes after them. */
const workersShareOfStop = 0.6;

const fewestWebhooks = 16;

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
    // One address sends the webhooks of many sellers. They take little time each, and those that are there together are
    // stored by one statement: fewer at once would keep the loop busier.
    webhooks: {
      ...{ ...calls, perCaller: calls.most },
      ...{ first: Math.min(calls.most, Math.max(calls.first, fewestWebhooks)), fewest: fewestWebhooks },
    },
    stopGraceMs,
    workersStopMs: (stopWithinMs - stopGraceMs) * workersShareOfStop,
    stopWithinMs,
  };
}
