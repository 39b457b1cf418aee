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
