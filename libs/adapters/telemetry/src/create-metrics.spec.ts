import { describe, expect, it } from '@jest/globals';
import { createMetrics } from './create-metrics.js';

describe('the metrics', () => {
  it('are published under our own prefix, with their counts', async () => {
    const metrics = createMetrics(false);
    metrics.fanoutLegs.inc({ task: 'get_products', status: 'slow' }, 2);
    metrics.legSeconds.observe({ task: 'get_products', protocol: 'mcp' }, 0.2);
    const text = await metrics.exposition();
    expect(text).toContain('switchyard_fanout_legs_total{task="get_products",status="slow"} 2');
    expect(text).toContain('switchyard_leg_duration_seconds_count{task="get_products",protocol="mcp"} 1');
    const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    expect(names.every((name) => name?.startsWith('switchyard_') === true)).toBe(true);
  });

  it('of two instances are counted separately', async () => {
    const [one, two] = [createMetrics(), createMetrics()];
    one.webhooks.inc({ outcome: 'accepted' });
    expect(await two.exposition()).not.toContain('outcome="accepted"');
    expect(await one.exposition()).toContain('switchyard_webhooks_total{outcome="accepted"} 1');
    expect(await one.exposition()).toContain('process_resident_memory_bytes');
  });
});
