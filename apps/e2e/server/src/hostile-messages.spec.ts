import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { list, type Json } from './harness/buy-request.js';
import { dataFolder } from './harness/data-folder.js';
import { callTask, endpointNames, post } from './harness/call-task.js';
import { startInstance, type Instance } from './harness/instance.js';
import { plainSeller, type PlainSeller } from './harness/plain-seller.js';

/* One message that would block other callers or lose their answers: from a seller, and from a stranger. */

const folder = dataFolder();
let instance: Instance;
let seller: PlainSeller;
let requested: Json[] = [];

const product = (id: string, more: Json = {}): Json => ({
  product_id: id,
  name: id,
  description: 'A product.',
  publisher_properties: [{ publisher_domain: 'plain.example', selection_type: 'all' }],
  format_ids: [{ agent_url: 'https://creative.example/', id: 'display_300x250' }],
  delivery_type: 'non_guaranteed',
  pricing_options: [{ pricing_option_id: 'cpm', pricing_model: 'cpm', currency: 'USD', fixed_price: 5 }],
  ...more,
});
const products = (count: number): Json[] =>
  Array.from({ length: count }, (_, at) => product(`p${String(at)}`));
const members = (count: number): Json =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${String(at)}`, at]));
const answer = (more: Json): string =>
  JSON.stringify({ adcp_version: '3.1', status: 'completed', products: products(1), ...more });
const levels = (count: number): string => `${'{"a":'.repeat(count)}1${'}'.repeat(count)}`;

beforeAll(async () => {
  instance = await startInstance(folder.path, ['--market', 'prompt']);
  seller = await plainSeller(() => ({ json: answer({}) }));
  const row = { slug: 'plain', agent_url: seller.agentUrl, token: 'tok', protocol: 'mcp', dialect: 'adcp' };
  const imported = await post('REST', instance, '/v1/sellers/import', JSON.stringify([row]));
  expect(imported.text).toContain('"live"');
});

afterAll(async () => {
  await instance.stop();
  await seller.close();
  await folder.remove();
});

const question = { adcp_version: '3.1', buying_mode: 'brief', brief: 'x' };

async function query(endpoint: (typeof endpointNames)[number], json: string, more: Json = {}) {
  requested = [];
  seller.behave((_tool, args) => {
    requested.push(args);
    return { json };
  });
  const { body, errors, httpStatus } = await callTask(endpoint, instance, 'get_products', {
    ...question,
    ...more,
  });
  const ext = body['ext'] as { readonly switchyard?: Json } | undefined;
  const rows = new Map(
    list(body['sellers'] ?? ext?.switchyard?.['sellers']).map((row) => [row['seller'], row]),
  );
  const ids = list(body['products']).map(({ product_id: id }) => String(id));
  return {
    errors,
    httpStatus,
    row: rows.get('plain'),
    ids: ids.filter((id) => id.startsWith('plain:')),
    others: ids.filter((id) => !id.startsWith('plain:')).sort(),
    body,
  };
}

describe.each(endpointNames)('an answer of one seller, requested over %s,', (endpoint) => {
  it.each([
    ['of 2000 levels', () => answer({}).replace('}]', `}],"ext":${levels(2_000)}`)],
    ['of 400000 members', () => answer({ ext: members(400_000) })],
    ['of 12000 products', () => answer({ products: products(12_000) })],
    ['of 30000 members beside its products', () => answer({ ext: members(30_000) })],
  ])(
    '%s fails for this seller only: its row reports it, and the others are complete',
    async (_what, json) => {
      const usual = await query(endpoint, answer({}));
      expect([usual.ids, usual.others.length > 0]).toEqual([['plain:p0'], true]);
      const { errors, httpStatus, row, ids, others } = await query(endpoint, json());
      expect([httpStatus, errors, ids]).toEqual([200, [], []]);
      expect(row).toMatchObject({ status: 'failed', code: 'TOO_LARGE' });
      expect(others).toEqual(usual.others);
    },
  );

  it('that is long and allowed arrives complete and in order', async () => {
    const { ids, row } = await query(endpoint, answer({ products: products(3_000) }));
    expect(row).toMatchObject({ status: 'answered', items: 3_000 });
    expect(ids).toEqual(products(3_000).map(({ product_id: id }) => `plain:${String(id)}`));
  });

  it('whose address has 300000 slashes is compared as fast as others', async () => {
    const format = { agent_url: `https://creative.example/${'/'.repeat(300_000)}x`, id: 'display_300x250' };
    const long = answer({ products: [product('a', { format_ids: [format] }), product('b')] });
    const wanted = { filters: { format_ids: [{ agent_url: 'https://creative.example/', id: format.id }] } };
    await query(endpoint, answer({}), wanted);
    const startedAt = performance.now();
    expect((await query(endpoint, long, wanted)).ids).toEqual(['plain:b']);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it('with an id that no index takes loses what it names, and the offers of the others are still kept', async () => {
    const long = (part: string): string =>
      Array.from({ length: 900 }, (_, at) => `${part}${String(at)}`).join('.');
    const { ids, errors, others } = await query(
      endpoint,
      answer({
        products: [product(long('p')), product('b')],
        proposals: [{ proposal_id: long('o'), name: 'All' }],
      }),
    );
    expect([errors, ids]).toEqual([[], ['plain:b']]);
    expect(instance.stderr()).not.toMatch(/QUOTES_NOT_KEPT|PROPOSALS_NOT_KEPT/);
    const open = await query(endpoint, JSON.stringify({ status: 'submitted', task_id: long('t') }));
    expect([open.httpStatus, open.errors, open.others]).toEqual([200, [], others]);
    expect(open.row).toMatchObject({ status: 'failed', code: 'NOT_CONFORMANT' });
  });

  it('with one oversized product loses only that product', async () => {
    const { ids, body, row } = await query(
      endpoint,
      answer({ products: [product('a'), product('b', { ext: members(25_000) }), product('c')] }),
    );
    expect([ids, row?.['status']]).toEqual([['plain:a', 'plain:c'], 'answered']);
    expect(JSON.stringify(body['ext'])).toContain('There is more in one of its products than is read.');
  });
});

describe.each(endpointNames)('a caller’s ext over %s', (endpoint) => {
  const reported = { ...question, ext: { note: 'of a stranger' }, filters: { ext: { note: 'deeper' } } };

  it('reaches no seller for a caller without credentials, who is informed, and reaches sellers for one with credentials', async () => {
    await query(endpoint, answer({}));
    requested = [];
    const anybody = await callTask(endpoint, { url: instance.url }, 'get_products', reported);
    expect(anybody.errors).toEqual([]);
    expect(requested).toHaveLength(1);
    expect(JSON.stringify(requested)).not.toContain('note');
    expect(JSON.stringify(anybody.body['ext'])).toContain('passed on to no seller');
    requested = [];
    const known = await callTask(endpoint, instance, 'get_products', reported);
    expect(known.errors).toEqual([]);
    expect(requested).toMatchObject([{ ext: { note: 'of a stranger' } }]);
    expect(JSON.stringify(known.body['ext'])).not.toContain('passed on to no seller');
  });
});
