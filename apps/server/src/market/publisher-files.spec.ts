import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { storeObservation } from '@switchyard/buys';
import { createEgress } from '@switchyard/egress';
import { createPublisherStatements, type Connection, type Egress } from '@switchyard/sellers';
import { openBuyingHarness, testClock, startServer, type TestServer } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import type { HandlerDeps } from '../platform/tasks/call/handler.js';
import { taskService } from '../main/testkit/task-service.js';
import { harnessCall, marketPorts } from '../platform/tasks/testkit/harness-call.js';

/** Practice publishers: what stands in each one's adagents.json. One that is not there has none. */
const documents = new Map<string, object>();
let server: TestServer;
let guarded: Egress;
let egress: Egress;

beforeAll(async () => {
  server = await startServer((request, response) => {
    const document = documents.get(request.url ?? '');
    response.statusCode = document === undefined ? 404 : 200;
    response.end(JSON.stringify(document ?? {}));
  });
  const { port } = server;
  guarded = createEgress({ allowLoopback: true });
  // The real egress, with an address book: these publishers live on this machine.
  egress = {
    ...guarded,
    request: (requested) => {
      const { hostname } = new URL(requested.url);
      return guarded.request({ ...requested, url: `http://127.0.0.1:${String(port)}/${hostname}` });
    },
  };
});

afterAll(async () => {
  await guarded.close();
  await server.close();
});

const listed = (...agents: object[]) => ({ authorized_agents: agents });

type Names = Readonly<Record<'acme' | 'bravo', readonly string[]>>;

/** Two sellers that name these publishers, asked as a task is. */
async function query(task: string, args: JsonObject, names: Names) {
  const { service, harness } = await market(names);
  const { body } = await service.call(harnessCall(harness, task, args));
  return body;
}

/** `late`: bravo takes its time; what it would have said is given back, to be told later. */
async function market(names: Names, late = false) {
  const harness = await openBuyingHarness({ acme: { isIdempotent: true }, bravo: { isIdempotent: true } });
  const answer: JsonObject[] = [];
  const connections = (['acme', 'bravo'] as const).map((slug): Connection => {
    const publisherDomains = names[slug];
    const products = publisherDomains.map((publisher_domain, nr) => ({
      product_id: `p${String(nr)}`,
      name: 'P',
      description: '',
      delivery_type: 'guaranteed',
      publisher_properties: [{ publisher_domain, selection_type: 'all' }],
      format_ids: [{ agent_url: 'https://formats.example', id: 'f' }],
      pricing_options: [{ pricing_option_id: 'x', pricing_model: 'cpm', currency: 'USD', fixed_price: 5 }],
    }));
    const isLate = late && slug === 'bravo';
    if (isLate) answer.push({ products });
    const says = isLate ? { status: 'submitted', task_id: 'theirs' } : { products };
    harness.seller(slug).fate('get_products', { says });
    const connection = harness.connection(slug);
    const original = { media_buy: { portfolio: { publisher_domains: [...publisherDomains] } } };
    const capabilities = { ...connection.capabilities, publisherDomains, original };
    return {
      ...connection,
      agentUrl: `https://${slug}.com/mcp`,
      form: '3.1',
      capabilities: capabilities as NonNullable<Connection['capabilities']>,
    };
  });
  const ports = {
    ...marketPorts(harness),
    callbackBase: () => 'http://127.0.0.1',
    connections: { ...harness.ports.connections, list: () => Promise.resolve(connections) },
  };
  const publishers = createPublisherStatements({ egress, clock: testClock() });
  const taskLog = { find: () => Promise.resolve({ items: [], total: 0 }) };
  const parts = { ports, publishers, taskLog, declareOnFirstUse: true } as unknown as HandlerDeps;
  return { harness, service: taskService(parts), answer };
}

const acme = { url: 'https://acme.com/mcp', authorized_for: 'ads' };
const bravo = { url: 'https://bravo.com/mcp', authorized_for: 'ads' };

describe('the publishers that sellers declare', () => {
  it('are checked against each publisher’s own document: authorized, unverified, or not listed', async () => {
    documents.set(
      '/both.com',
      listed({ ...acme, delegation_type: 'ad_network' }, { ...bravo, delegation_type: 'direct' }),
    );
    documents.set('/one.com', listed(bravo));
    documents.set('/none.com', listed({ ...acme, url: 'https://else.com/mcp' }));
    const names = ['both.com', 'none.com', 'nowhere.com', 'one.com', 'paper.example'];
    const body = await query('list_authorized_properties', {}, { acme: names, bravo: names });
    expect(body['publisher_domains']).toEqual(['both.com', 'nowhere.com', 'one.com', 'paper.example']);
    const both = (reason: string) =>
      ['acme', 'bravo'].map((seller) => ({ seller, state: 'unverified', reason }));
    expect(body['properties']).toEqual([
      {
        publisher_domain: 'both.com',
        sellers: ['acme', 'bravo'],
        authorization: [
          { seller: 'acme', state: 'authorized', delegation_type: 'ad_network' },
          { seller: 'bravo', state: 'authorized', delegation_type: 'direct' },
        ],
      },
      { publisher_domain: 'nowhere.com', sellers: ['acme', 'bravo'], authorization: both('no_document') },
      {
        publisher_domain: 'one.com',
        sellers: ['bravo'],
        authorization: [{ seller: 'bravo', state: 'authorized' }],
      },
      { publisher_domain: 'paper.example', sellers: ['acme', 'bravo'], authorization: both('reserved_name') },
    ]);
    const words = (which: string) =>
      `By their own adagents.json these publishers do not let it sell for them: ${which}.`;
    expect(body['findings']).toEqual([
      { seller: 'acme', code: 'PUBLISHER_NOT_AUTHORIZED', message: words('none.com, one.com') },
      { seller: 'bravo', code: 'PUBLISHER_NOT_AUTHORIZED', message: words('none.com') },
    ]);
  });

  it('are in our own capabilities unless every publisher of a name contradicts it', async () => {
    documents.set('/one.com', listed(bravo));
    documents.set('/none.com', listed({ ...acme, url: 'https://else.com/mcp' }));
    const names = ['none.com', 'nowhere.com', 'one.com'];
    const body = await query('get_adcp_capabilities', {}, { acme: names, bravo: names });
    expect(body).toMatchObject({
      media_buy: { portfolio: { publisher_domains: ['nowhere.com', 'one.com'] } },
    });
    const alone = await query('get_adcp_capabilities', {}, { acme: names, bravo: [] });
    expect(alone).toMatchObject({ media_buy: { portfolio: { publisher_domains: ['nowhere.com'] } } });
  });
});

describe('the same supply through two sellers', () => {
  it('is shown completely, with the path first that its publisher declares direct', async () => {
    documents.set(
      '/both.com',
      listed({ ...acme, delegation_type: 'ad_network' }, { ...bravo, delegation_type: 'direct' }),
    );
    const body = await query('get_products', { brief: 'shoes' }, { acme: ['both.com'], bravo: ['both.com'] });
    expect((body['products'] as JsonObject[]).map((product) => product['product_id'])).toEqual([
      'acme:p0',
      'bravo:p0',
    ]);
    expect(body['same_supply']).toEqual([
      {
        publisher_domain: 'both.com',
        property: 'all',
        product_ids: ['bravo:p0', 'acme:p0'],
        direct_product_ids: ['bravo:p0'],
      },
    ]);
  });

  it('is also shown so on further pages, and as the result of its task', async () => {
    documents.set('/both.com', listed({ ...bravo, delegation_type: 'direct' }, acme));
    const { harness, service, answer } = await market({ acme: ['both.com'], bravo: ['both.com'] }, true);
    const first = await service.call(harnessCall(harness, 'get_products', { brief: 'shoes' }));
    expect(first.body).not.toHaveProperty('same_supply');
    const { legs, operations } = harness.store.rowsOf(harness.scope);
    const leg = [...legs.values()].find(({ seller }) => seller === 'bravo')!;
    const reply = { status: 'completed' as const, replayed: false, payload: answer[0]!, errors: [] };
    const at = harness.clock.now() + 1_000;
    await storeObservation(harness.ports, harness.scope, leg, { source: 'poll', at, reply });
    const supply = [
      {
        publisher_domain: 'both.com',
        property: 'all',
        product_ids: ['bravo:p0', 'acme:p0'],
        direct_product_ids: ['bravo:p0'],
      },
    ];
    const named = { ext: { switchyard: { operation_id: first.body['operation_id'] ?? '' } } };
    const further = await service.call(harnessCall(harness, 'get_products', { brief: 'shoes', ...named }));
    expect(further.body['same_supply']).toEqual(supply);
    const [operation] = operations.values();
    const requested = { task_id: operation?.taskId ?? '', include_result: true };
    const received = await service.call(harnessCall(harness, 'tasks/get', requested));
    expect(received.body['result']).toMatchObject({ same_supply: supply });
  });
});
