import { describe, expect, it } from '@jest/globals';
import type { Connection, DiscoveredSeller } from '@switchyard/sellers';
import { openBuyingHarness } from '@switchyard/testing';
import { ok, type JsonObject } from '@switchyard/values';
import { relearnSeller } from './relearn-seller.js';

const declares = (...releases: string[]): JsonObject => ({
  adcp: { major_versions: [3], supported_versions: releases, idempotency: { supported: false } },
  supported_protocols: ['media_buy'],
});

async function shop(reported: JsonObject | 'silence', capabilitiesAt = 0) {
  const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
  const { clock, lease } = harness.ports;
  const tools = { get_products: [], get_adcp_capabilities: [] };
  const transport = { ...harness.ports.transport, listTools: () => Promise.resolve(ok(tools)) };
  const seller = harness.seller('acme');
  const fates =
    reported === 'silence' ? (['drop', 'drop'] as const) : [{ says: reported }, { says: reported }];
  const before = { ...harness.connection('acme'), dialect: 'adcp' as const, form: '3.1' as const };
  let stored: Connection = { ...before, configuredForm: 'auto', capabilitiesAt };
  for (const tool of ['get_adcp_capabilities', 'get_ads_capabilities']) seller.fate(tool, ...fates);
  const connections = {
    byId: (_scope: object, id: string) => Promise.resolve(id === stored.id ? stored : undefined),
    saveCapabilities: (_scope: object, _seller: object, found: DiscoveredSeller, at: number) => {
      stored = { ...stored, ...found, capabilitiesAt: at };
      return Promise.resolve(true);
    },
  };
  const relearn = relearnSeller({ connections, lease, transport, clock });
  const looks = () => seller.received.filter(({ tool }) => tool.endsWith('_capabilities')).length;
  return { relearn: () => relearn(harness.scope, before), looks, now: clock.now() };
}

describe('a seller that refuses our release', () => {
  it('is queried, and its release is stored and used from then on', async () => {
    const { relearn, looks } = await shop(declares('3.0'));
    expect(await relearn()).toMatchObject({ form: '3.0' });
    expect(looks()).toBe(1);
  });

  it('is queried once for all simultaneous requests, and not again at once', async () => {
    const { relearn, looks } = await shop(declares('3.0'));
    const found = await Promise.all([relearn(), relearn(), relearn()]);
    expect(found.map((connection) => connection?.form)).toEqual(['3.0', '3.0', '3.0']);
    expect(await relearn()).toMatchObject({ form: '3.0' });
    expect(looks()).toBe(1);
  });

  it('whose capabilities were just read is not read again', async () => {
    const { now } = await shop('silence');
    const { relearn, looks } = await shop(declares('3.0'), now);
    expect(await relearn()).toMatchObject({ form: '3.1' });
    expect(looks()).toBe(0);
  });

  it('that does not answer keeps its known release', async () => {
    const { relearn } = await shop('silence');
    expect(await relearn()).toMatchObject({ form: '3.1' });
  });
});
