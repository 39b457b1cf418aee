import { describe, expect, it } from '@jest/globals';
import type { Connection } from '@switchyard/sellers';
import { openBuyingHarness, type BuyingHarness } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import { harnessCall, harnessDeps, marketPorts } from '../platform/tasks/testkit/harness-call.js';
import { taskService } from '../main/testkit/task-service.js';

/** What a caller in this form is answered over MCP, in front of these sellers. */
async function requestedChange(
  harness: BuyingHarness,
  sellers: readonly Connection[],
  form: 'service' | '2.5',
  wanted: readonly string[] = ['news.example'],
): Promise<JsonObject> {
  const connections = { ...harness.ports.connections, list: () => Promise.resolve([...sellers]) };
  const deps = harnessDeps(harness, [], { ports: { ...marketPorts(harness), connections } });
  const signedBy = { keyid: 'k', agentUrl: 'https://buyer.example', dialect: 'adcp' } as const;
  const { body } = await taskService(deps).call(
    harnessCall(
      harness,
      'list_authorized_properties',
      form === 'service' ? {} : { context: {}, publisher_domains: [...wanted] },
      form === 'service' ? {} : { signedBy },
    ),
  );
  return body;
}

const oursIn = (body: JsonObject, form: 'service' | '2.5'): JsonObject =>
  (form === 'service' ? body : ((body['ext'] ?? {}) as JsonObject)['switchyard']) as JsonObject;

const older = (harness: BuyingHarness, slug: string): Connection => ({
  ...harness.connection(slug),
  form: '2.5',
});

describe('unusable publishers of a seller', () => {
  it.each(['service', '2.5'] as const)(
    'are findings beside the answer in %s, with the seller that named them',
    async (form) => {
      const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
      harness.seller('acme').fate('list_authorized_properties', {
        says: { publisher_domains: ['news.example', 'no domain at all', 'also not one'] },
      });
      const body = await requestedChange(harness, [older(harness, 'acme')], form);
      expect(body['publisher_domains']).toEqual(['news.example']);
      expect(oursIn(body, form)['findings']).toEqual([
        {
          seller: 'acme',
          code: 'PROPERTY_SET_ASIDE',
          message: '2 publisher domains are no names of domains',
        },
      ]);
    },
  );
});

describe('requested publishers', () => {
  const names = (harness: BuyingHarness): void => {
    const domains = ['news.example', 'radio.example', 'tv.example'];
    harness.seller('acme').fate('list_authorized_properties', { says: { publisher_domains: domains } });
  };

  it('are the only ones that are shown, whatever a seller sends, in upper or lower case', async () => {
    const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
    names(harness);
    const wanted = ['TV.example', 'radio.example', 'nobodys.example'];
    const body = await requestedChange(harness, [older(harness, 'acme')], '2.5', wanted);
    expect(body['publisher_domains']).toEqual(['radio.example', 'tv.example']);
    names(harness);
    const all = await requestedChange(harness, [older(harness, 'acme')], 'service');
    expect(all['publisher_domains']).toEqual(['news.example', 'radio.example', 'tv.example']);
  });

  it('and that no seller names are not found if the form has no empty list', async () => {
    const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
    names(harness);
    const none = await requestedChange(harness, [older(harness, 'acme')], '2.5', ['nobodys.example']);
    expect(none).not.toHaveProperty('publisher_domains');
    expect(none['errors']).toMatchObject([{ code: 'REFERENCE_NOT_FOUND', field: 'publisher_domains' }]);
    expect(await requestedChange(harness, [], 'service')).toMatchObject({ publisher_domains: [] });
  });

  it('of a seller of 3.x are those it declares: it is not called', async () => {
    const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
    const { capabilities, ...bare } = harness.connection('acme');
    if (capabilities === undefined) throw new Error('acme says nothing of itself.');
    const declaring = { ...bare, capabilities: { ...capabilities, publisherDomains: ['news.example'] } };
    expect(await requestedChange(harness, [declaring], 'service')).toMatchObject({
      publisher_domains: ['news.example'],
    });
    expect(harness.seller('acme').received).toEqual([]);
  });
});

describe('a seller of an older form', () => {
  it('is called if it lists the task, and else its declaration is used', async () => {
    for (const [tools, names] of [
      [{ get_products: ['brief'] }, ['declared.example']],
      [{ get_products: ['brief'], list_authorized_properties: [] }, ['asked.example']],
    ] as const) {
      const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
      const { capabilities, ...bare } = older(harness, 'acme');
      if (capabilities === undefined) throw new Error('acme says nothing of itself.');
      harness
        .seller('acme')
        .fate('list_authorized_properties', { says: { publisher_domains: ['asked.example'] } });
      const own = { ...capabilities, publisherDomains: ['declared.example'] };
      const body = await requestedChange(harness, [{ ...bare, tools, capabilities: own }], 'service');
      expect(body['publisher_domains']).toEqual(names);
    }
  });
});

describe('texts beside publishers', () => {
  it('are those of the shown sellers only', async () => {
    const harness = await openBuyingHarness({ acme: { isIdempotent: true }, bravo: { isIdempotent: true } });
    const says = (slug: string, domain: string, channel: string) => {
      const received = { publisher_domains: [domain], primary_channels: [channel] };
      harness.seller(slug).fate('list_authorized_properties', { says: received });
    };
    says('acme', 'news.example', 'display');
    says('bravo', 'radio.example', 'ctv');
    const body = await requestedChange(harness, [older(harness, 'acme'), older(harness, 'bravo')], '2.5', [
      'news.example',
    ]);
    expect(body).toMatchObject({ publisher_domains: ['news.example'], primary_channels: ['display'] });
  });
});

describe('the last change of a list of publishers', () => {
  const says = (harness: BuyingHarness, slug: string, last_updated: string) => {
    harness
      .seller(slug)
      .fate('list_authorized_properties', { says: { publisher_domains: ['news.example'], last_updated } });
  };
  const [early, late] = ['2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'];

  it.each(['service', '2.5'] as const)('is that of the only seller, in %s', async (form) => {
    const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
    says(harness, 'acme', early);
    expect(await requestedChange(harness, [older(harness, 'acme')], form)).toMatchObject({
      last_updated: early,
    });
    says(harness, 'acme', 'some time ago');
    expect(await requestedChange(harness, [older(harness, 'acme')], form)).not.toHaveProperty('last_updated');
  });

  it.each(['service', '2.5'] as const)(
    'is absent for a market of several: each seller’s own is beside its name, in %s',
    async (form) => {
      const harness = await openBuyingHarness({
        acme: { isIdempotent: true },
        bravo: { isIdempotent: true },
      });
      says(harness, 'acme', late);
      const { capabilities, ...bare } = harness.connection('bravo');
      if (capabilities === undefined) throw new Error('bravo says nothing of itself.');
      const declared = { publisherDomains: ['news.example'], original: { last_updated: early } };
      const bravo: Connection = { ...bare, capabilities: { ...capabilities, ...declared } };
      const body = await requestedChange(harness, [older(harness, 'acme'), bravo], form);
      expect(body).not.toHaveProperty('last_updated');
      const { portfolios } = oursIn(body, form);
      expect(portfolios).toEqual(
        expect.arrayContaining([
          { seller: 'acme', last_updated: late },
          { seller: 'bravo', last_updated: early },
        ]),
      );
    },
  );
});
