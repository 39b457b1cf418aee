import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readConfiguration } from './read-configuration.js';

describe('the settings of load and of stopping', () => {
  it('have defaults for one process, and a grace period for load balancers only outside the local profile', () => {
    expect(readConfiguration({ SWITCHYARD_PROFILE: 'production' })).toMatchObject({
      value: {
        load: { calls: { most: 128, perCaller: 32 }, stopGraceMs: 5_000, stopWithinMs: 25_000 },
      },
    });
    expect(readConfiguration({})).toMatchObject({ value: { load: { stopGraceMs: 0 } } });
  });

  it('leave time to stop after the grace', () => {
    const read = readConfiguration({ SWITCHYARD_STOP_GRACE_SECONDS: '25' });
    expect(read.ok || read.error.message).toContain('less than SWITCHYARD_STOP_SECONDS');
  });
});

describe('the address of Redis', () => {
  it('has the password of its file, which may have any characters, and is refused without one that can be read', () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchyard-redis-'));
    const file = join(folder, 'password');
    try {
      writeFileSync(file, 'a/b+c@d\n');
      const read = readConfiguration({ REDIS_URL: 'redis://redis:6379', REDIS_PASSWORD_FILE: file });
      expect(read).toMatchObject({
        value: { settings: { REDIS_URL: 'redis://:a%2Fb%2Bc%40d@redis:6379' } },
      });
      for (const wrong of [
        { REDIS_PASSWORD_FILE: file },
        { REDIS_URL: 'redis://redis:6379', REDIS_PASSWORD_FILE: join(folder, 'none') },
      ]) {
        const refused = readConfiguration(wrong);
        expect(refused.ok || refused.error.message).toContain('REDIS_PASSWORD_FILE');
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
