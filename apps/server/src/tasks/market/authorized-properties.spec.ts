import { describe, expect, it } from '@jest/globals';
import { BreakerBoard, Bulkhead, defaultBreakerPolicy, type Connection } from '@switchyard/sellers';
import { permissionTable } from '@switchyard/tenancy';
import { openBuyingDesk, type BuyingDesk } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import type { HandlerParts } from '../handler.js';
import { createTaskService } from '../task-service.js';

/** What a caller in this form is answered over MCP, in front of these sellers. */
async function askedOf(
  desk: BuyingDesk,
  sellers: readonly Connection[],
  form: 'service' | '2.5',
  wanted: readonly string[] = ['news.example'],
): Promise<JsonObject> {
  const connections = { ...desk.ports.connections, list: () => Promise.resolve([...sellers]) };
  const parts = {
    ports: {
      ...desk.ports,
      connections,
      breakers: new BreakerBoard(defaultBreakerPolicy),
      bulkhead: new Bulkhead(8),
    },
  } as unknown as HandlerParts;
  const { body } = await createTaskService(parts).call({
    door: 'mcp',
    task: 'list_authorized_properties',
    args: form === 'service' ? {} : { context: {}, publisher_domains: [...wanted] },
    exact: new Map(),
    caller: {
      kind: 'principal',
      organizationId: desk.scope.organizationId,
      principalId: desk.principalId,
      name: 'buyer',
      principalKind: 'buyer',
      permissions: permissionTable,
      transitional: true,
      legacy: true,
      ...(form === 'service'
        ? {}
        : { signedBy: { keyid: 'k', agentUrl: 'https://buyer.example', dialect: 'adcp' as const } }),
    },
    signal: new AbortController().signal,
  });
  return body;
}

const oursIn = (body: JsonObject, form: 'service' | '2.5'): JsonObject =>
  (form === 'service' ? body : ((body['ext'] ?? {}) as JsonObject)['switchyard']) as JsonObject;

const older = (desk: BuyingDesk, slug: string): Connection => ({ ...desk.connection(slug), form: '2.5' });

describe('publishers that a seller names and nobody can use', () => {
  it.each(['service', '2.5'] as const)(
    'are findings beside the answer in %s, with who named them',
    async (form) => {
      const desk = await openBuyingDesk({ acme: { isIdempotent: true } });
      desk.seller('acme').fate('list_authorized_properties', {
        says: { publisher_domains: ['news.example', 'no domain at all', 'also not one'] },
      });
      const body = await askedOf(desk, [older(desk, 'acme')], form);
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

describe('publishers that were asked for', () => {
  const names = (desk: BuyingDesk): void => {
    const domains = ['news.example', 'radio.example', 'tv.example'];
    desk.seller('acme').fate('list_authorized_properties', { says: { publisher_domains: domains } });
  };

  it('are all that is shown, whatever a seller sends, and under whichever letters they were asked for', async () => {
    const desk = await openBuyingDesk({ acme: { isIdempotent: true } });
    names(desk);
    const wanted = ['TV.example', 'radio.example', 'nobodys.example'];
    const body = await askedOf(desk, [older(desk, 'acme')], '2.5', wanted);
    expect(body['publisher_domains']).toEqual(['radio.example', 'tv.example']);
    names(desk);
    const all = await askedOf(desk, [older(desk, 'acme')], 'service');
    expect(all['publisher_domains']).toEqual(['news.example', 'radio.example', 'tv.example']);
  });

  it('and that no seller names are not found where the form has no empty list', async () => {
    const desk = await openBuyingDesk({ acme: { isIdempotent: true } });
    names(desk);
    const none = await askedOf(desk, [older(desk, 'acme')], '2.5', ['nobodys.example']);
    expect(none).not.toHaveProperty('publisher_domains');
    expect(none['errors']).toMatchObject([{ code: 'REFERENCE_NOT_FOUND', field: 'publisher_domains' }]);
    expect(await askedOf(desk, [], 'service')).toMatchObject({ publisher_domains: [] });
  });

  it('of a seller of 3.x are what it declares: it is not asked', async () => {
    const desk = await openBuyingDesk({ acme: { isIdempotent: true } });
    const { capabilities, ...bare } = desk.connection('acme');
    if (capabilities === undefined) throw new Error('acme says nothing of itself.');
    const declaring = { ...bare, capabilities: { ...capabilities, publisherDomains: ['news.example'] } };
    expect(await askedOf(desk, [declaring], 'service')).toMatchObject({
      publisher_domains: ['news.example'],
    });
    expect(desk.seller('acme').heard).toEqual([]);
  });
});

describe('a seller of an older form', () => {
  it('that lists no task to ask by is taken at what it declares, and asked where it lists one', async () => {
    for (const [tools, names] of [
      [{ get_products: ['brief'] }, ['declared.example']],
      [{ get_products: ['brief'], list_authorized_properties: [] }, ['asked.example']],
    ] as const) {
      const desk = await openBuyingDesk({ acme: { isIdempotent: true } });
      const { capabilities, ...bare } = older(desk, 'acme');
      if (capabilities === undefined) throw new Error('acme says nothing of itself.');
      desk
        .seller('acme')
        .fate('list_authorized_properties', { says: { publisher_domains: ['asked.example'] } });
      const own = { ...capabilities, publisherDomains: ['declared.example'] };
      const body = await askedOf(desk, [{ ...bare, tools, capabilities: own }], 'service');
      expect(body['publisher_domains']).toEqual(names);
    }
  });
});

describe('what is said beside publishers', () => {
  it('is said by the sellers that are shown, and by no other', async () => {
    const desk = await openBuyingDesk({ acme: { isIdempotent: true }, bravo: { isIdempotent: true } });
    const says = (slug: string, domain: string, channel: string) => {
      const told = { publisher_domains: [domain], primary_channels: [channel] };
      desk.seller(slug).fate('list_authorized_properties', { says: told });
    };
    says('acme', 'news.example', 'display');
    says('bravo', 'radio.example', 'ctv');
    const body = await askedOf(desk, [older(desk, 'acme'), older(desk, 'bravo')], '2.5', ['news.example']);
    expect(body).toMatchObject({ publisher_domains: ['news.example'], primary_channels: ['display'] });
  });
});

describe('when a list of publishers last changed', () => {
  const says = (desk: BuyingDesk, slug: string, last_updated: string) => {
    desk
      .seller(slug)
      .fate('list_authorized_properties', { says: { publisher_domains: ['news.example'], last_updated } });
  };
  const [early, late] = ['2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'];

  it.each(['service', '2.5'] as const)('is what the only seller says of its own, in %s', async (form) => {
    const desk = await openBuyingDesk({ acme: { isIdempotent: true } });
    says(desk, 'acme', early);
    expect(await askedOf(desk, [older(desk, 'acme')], form)).toMatchObject({ last_updated: early });
    says(desk, 'acme', 'some time ago');
    expect(await askedOf(desk, [older(desk, 'acme')], form)).not.toHaveProperty('last_updated');
  });

  it.each(['service', '2.5'] as const)(
    'is said of no market, which changes with whoever is in it: each seller’s own word stands by its name, in %s',
    async (form) => {
      const desk = await openBuyingDesk({ acme: { isIdempotent: true }, bravo: { isIdempotent: true } });
      says(desk, 'acme', late);
      const { capabilities, ...bare } = desk.connection('bravo');
      if (capabilities === undefined) throw new Error('bravo says nothing of itself.');
      const declared = { publisherDomains: ['news.example'], original: { last_updated: early } };
      const bravo: Connection = { ...bare, capabilities: { ...capabilities, ...declared } };
      const body = await askedOf(desk, [older(desk, 'acme'), bravo], form);
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
