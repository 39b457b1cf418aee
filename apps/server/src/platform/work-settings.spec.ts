import { describe, expect, it } from '@jest/globals';
import { readWorkSettings } from './work-settings.js';

describe('the settings of the workers', () => {
  it('have defaults, and are taken as they are set', () => {
    expect(readWorkSettings({})).toEqual({
      ok: true,
      value: { connections: 12, workers: 4, stopMs: 25_000 },
    });
    const set = {
      SWITCHYARD_DATABASE_CONNECTIONS: '40',
      SWITCHYARD_WORKERS: '8',
      SWITCHYARD_STOP_SECONDS: '60',
    };
    expect(readWorkSettings(set)).toEqual({
      ok: true,
      value: { connections: 40, workers: 8, stopMs: 60_000 },
    });
  });

  it.each([
    ['SWITCHYARD_DATABASE_CONNECTIONS', '3'],
    ['SWITCHYARD_WORKERS', '0'],
    ['SWITCHYARD_WORKERS', 'many'],
    ['SWITCHYARD_STOP_SECONDS', '1.5'],
    ['SWITCHYARD_STOP_SECONDS', '-1'],
  ])('%s=%s is refused by name', (name, text) => {
    const read = readWorkSettings({ [name]: text });
    expect(read.ok ? undefined : read.error.code).toBe('settings');
    expect(read.ok ? '' : read.error.message).toContain(name);
  });
});
