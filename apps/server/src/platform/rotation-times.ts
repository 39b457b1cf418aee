import { defaultRotationTimes, type RotationTimes } from '@switchyard/signing';

/**
 * How long a published key waits before it signs: `SWITCHYARD_KEY_WAIT_SECONDS`, whole seconds, 30 minutes unless it
 * is set. Less than others may keep our key set leaves them with signatures that they cannot verify.
 */
export function rotationTimes(env: Readonly<Record<string, string | undefined>>): RotationTimes {
  const text = env['SWITCHYARD_KEY_WAIT_SECONDS'];
  const seconds = text === undefined || !/^\d{1,7}$/.test(text) ? undefined : Number(text);
  return seconds === undefined ? defaultRotationTimes : { ...defaultRotationTimes, wait: seconds * 1000 };
}
