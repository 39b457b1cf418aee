import { createHash, randomUUID, verify } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { given } from '../../platform/token.js';
import { startModule } from '../../platform/routes/testkit/start-module.js';
import { CLOCK, STORE } from '../../platform/capability-tokens.js';
import { readDocuments } from '@switchyard/ledger';
import { controlRequests } from '@switchyard/store';
import {
  embeddedInvoice,
  pageHtml,
  usualLimits,
  workbookGridInThread,
  writePage,
  xmlTree,
  type PageDocument,
} from '@switchyard/tables';
import { allPermissions } from '@switchyard/tenancy';
import { canonicalJson, err, inTurns, ok, type JsonObject, type JsonValue } from '@switchyard/values';
import { createPrincipal } from '@switchyard/testing';
import { finance as capability, FinanceModule } from '../finance.module.js';
import { ORGANIZATION_NAME } from './verified-documents.controller.js';
import { openFinance, textIn } from '../testkit/finance.js';

const opened = await openFinance();
const { finance, store, clock, call, deps, pair } = opened;

const rows = (value: JsonValue | undefined): readonly JsonObject[] => value as readonly JsonObject[];
const address = { street: 'Hafenstr. 1 <3>', post_code: '20457', city: 'Łódź', country: 'DE' };

/** An issued invoice to a client, of 300 of media, 24 of markup and 19 % tax. */
async function issued(more: JsonObject = {}) {
  const own = await finance();
  const { run, select, organizationId, addClient, anna, berta } = own;
  const clientId = await addClient();
  await select('update principal set permissions = $1 where id = any($2::uuid[])', [
    JSON.stringify(allPermissions),
    [anna.principalId, berta.principalId],
  ]);
  const ask = async (what: string, body: JsonObject): Promise<void> => {
    expect(await run(what, { body })).toMatchObject({ ok: true });
    const [request] = await select<{ id: string }>(`select id from control_request where state = 'open'`);
    const decision = { state: 'approved', by: berta.principalId, at: clock.now() } as const;
    await controlRequests(store).decide({ organizationId }, request?.id ?? '', decision);
  };
  await ask('set_legal_entity', {
    ...{ name: 'Nord & Süd GmbH', address, tax_id: 'DE123456789', series: 'NS-', currency: 'EUR' },
    iban: 'DE89370400440532013000',
  });
  const entities = await run('list_legal_entities');
  const entity = entities.ok ? rows(entities.value['entities'])[0] : undefined;
  const profile = { client_id: clientId, entity_id: textIn(entity, 'entity_id'), name: 'Nova AG', address };
  await run('set_billed_client', { body: { ...profile, tax_percent: '19', reference: 'ORDER 7', ...more } });
  await ask('set_billing_rule', { kind: 'cost_plus', percent: '8', starts_on: '2026-01-01' });
  const made = await run('run_billing', { body: { client_id: clientId, period: '2026-09' } });
  const id = textIn(made.ok ? rows(made.value['invoices'])[0] : undefined, 'client_invoice_id');
  const early = await run('render_client_invoice', { params: { id }, query: { format: 'ubl' } });
  await call(berta, 'issue_client_invoice', { params: { id }, body: {} });
  const render = async (format: string) => {
    const answer = await run('render_client_invoice', { params: { id }, query: { format } });
    expect(answer).toMatchObject({ ok: true });
    const value = answer.ok ? answer.value : {};
    const file = value['file'] as unknown as { readonly content: string; readonly sha256: string };
    return { digest: textIn(value, 'digest'), document: value['document'], ...file };
  };
  return { ...own, clientId, id, early, render };
}

const bytesOf = ({ content }: { readonly content: string }): Buffer => Buffer.from(content, 'base64');

describe('a document to a client', () => {
  it('is one text with one digest, whatever it is rendered as', async () => {
    const { render, early } = await issued();
    expect(early).toMatchObject(err({ code: 'CONFLICT' }));
    const made = await Promise.all(['pdf', 'ubl', 'xlsx', 'html'].map(render));
    expect(new Set(made.map(({ digest }) => digest)).size).toBe(1);
    const [pdf, ubl, xlsx, html] = made;
    if (!pdf || !ubl || !xlsx || !html) throw new Error('A rendering is missing.');
    const digest = createHash('sha256')
      .update(canonicalJson(pdf.document ?? null))
      .digest('hex');
    expect(pdf.digest).toBe(digest);
    expect(bytesOf(pdf).subarray(0, 5).toString()).toBe('%PDF-');
    expect((await render('pdf')).sha256).toBe(pdf.sha256);
    expect(bytesOf(html).toString()).toContain('385.56');
    expect(bytesOf(html).toString()).toContain('Hafenstr. 1 &#60;3&#62;');
    expect(bytesOf(html).toString()).toContain(digest);
    const grid = await workbookGridInThread(bytesOf(xlsx), usualLimits);
    const rows = Array.from({ length: grid.rows.length }, (_, row) => grid.rows.at(row));
    expect(rows.join(' ')).toContain(digest);
  });

  it('as UBL is read back as the same invoice, and balances', async () => {
    const { render } = await issued();
    const ubl = bytesOf(await render('ubl'));
    const root = await xmlTree(ubl);
    const read = await inTurns(
      readDocuments(
        { kind: 'xml', root },
        { wants: 'documents', fileName: 'a.xml', today: '2026-10-05', answers: new Map() },
      ),
    );
    const [document] = read.documents;
    expect(document).toMatchObject({
      ...{
        number: 'NS-00001',
        kind: 'invoice',
        currency: 'EUR',
        serviceFrom: '2026-09-01',
        serviceTo: '2026-09-30',
      },
      ...{ netMicros: 324_000_000n, taxMicros: 61_560_000n, grossMicros: 385_560_000n },
    });
  });

  it('as PDF carries the same invoice as XML, and says so of itself as Factur-X asks', async () => {
    const { render } = await issued();
    const pdf = bytesOf(await render('pdf'));
    const xml = await embeddedInvoice(pdf);
    const root = await xmlTree(xml ?? Buffer.from(''));
    const wanted = {
      wants: 'documents',
      fileName: 'a.xml',
      today: '2026-10-05',
      answers: new Map(),
    } as const;
    const [document] = (await inTurns(readDocuments({ kind: 'xml', root }, wanted))).documents;
    expect(document).toMatchObject({ number: 'NS-00001', kind: 'invoice', grossMicros: 385_560_000n });
    const text = pdf.toString('utf8');
    const packet = text.slice(
      text.indexOf('<x:xmpmeta'),
      text.indexOf('</x:xmpmeta>') + '</x:xmpmeta>'.length,
    );
    const said = JSON.stringify(await xmlTree(Buffer.from(packet, 'utf8')));
    for (const value of ['Nord & Süd GmbH', 'factur-x.xml', 'EN 16931', 'INVOICE', '"part"'])
      expect(said).toContain(value);
    expect(text).toMatch(/\/AFRelationship \/Alternative/);
    const draftPdf = await writePage({
      language: 'en',
      from: 'A',
      title: 'B',
      madeAt: '2026-11-01T00:00:00Z',
      facts: [],
      tables: [],
      notes: [],
      proof: [],
    });
    expect(await embeddedInvoice(draftPdf)).toBeUndefined();
  });

  it('shows media and markup as one amount where the books of the client are closed', async () => {
    const { render } = await issued({ detail: 'closed' });
    const html = bytesOf(await render('html')).toString();
    expect(html).toContain('324.00');
    expect(html).not.toMatch(/Markup|>24\.00</);
  });
});

describe('a link to a document', () => {
  it('opens its page, files and signed text without sign-in, until it is revoked or expires', async () => {
    const { id, run, organizationId, anna } = await issued();
    const shared = await run('share_document', { body: { client_invoice_id: id, days: 7 } });
    expect(shared).toMatchObject(ok({ title: 'Invoice NS-00001' }));
    const url = new URL(textIn(shared.ok ? shared.value : {}, 'url'));
    const principal = { ...(await createPrincipal(store, organizationId)), permissions: allPermissions };
    const providers = [
      given(STORE, store),
      given(CLOCK, clock),
      capability.on(deps),
      given(ORGANIZATION_NAME, deps),
    ];
    const module = await startModule(FinanceModule, providers, { principal, clock });
    const open = (part = '') => module.request('GET', `${url.pathname}${part}`, undefined, 'sy_nobody');
    try {
      const page = await open();
      expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store']);
      expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
      expect(await page.text()).toContain('Invoice NS-00001');
      expect((await open('/pdf')).headers.get('content-type')).toBe('application/pdf');
      const signed = (await (await open('/signed')).json()) as {
        jws: string;
        digest: string;
        statement: JsonObject;
      };
      const [head = '', payload = '', signature = ''] = signed.jws.split('.');
      const text = Buffer.from(payload, 'base64url').toString('utf8');
      expect(text).toBe(canonicalJson(signed.statement));
      expect(createHash('sha256').update(text).digest('hex')).toBe(signed.digest);
      const proof = Buffer.from(signature, 'base64url');
      expect(verify(null, Buffer.from(`${head}.${payload}`), pair.publicKey, proof)).toBe(true);
      expect((await module.request('GET', `/shared/${organizationId}/sy_other`)).status).toBe(404);
      expect(
        (await module.request('GET', `/shared/nobody/${url.pathname.split('/').at(-1) ?? ''}`)).status,
      ).toBe(404);
      const listed = await run('list_shares');
      const [link] = listed.ok ? rows(listed.value['shares']) : [];
      expect(link).toMatchObject({ state: 'active', opens: 3 });
      const again = await run('share_document', { body: { client_invoice_id: id, days: 1 } });
      const short = new URL(textIn(again.ok ? again.value : {}, 'url')).pathname;
      expect((await module.request('GET', short)).status).toBe(200);
      clock.advance(86_400_000);
      expect((await module.request('GET', short)).status).toBe(404);
      await call(anna, 'revoke_share', { params: { id: textIn(link, 'share_id') } });
      expect((await open()).status).toBe(404);
    } finally {
      await module.close();
    }
  });
});

describe('the page that checks a document', () => {
  it('says without sign-in what was made under a digest, and nothing of a digest that is unknown', async () => {
    const { render, run, organizationId } = await issued();
    const { digest } = await render('pdf');
    const html = bytesOf(await render('html')).toString();
    expect(html).toContain(`https://agency.example/verified/${organizationId}/${digest}`);
    const statement = await run('make_statement', { body: { period: '2026-09' } });
    const principal = { ...(await createPrincipal(store, organizationId)), permissions: allPermissions };
    const providers = [
      given(STORE, store),
      given(CLOCK, clock),
      capability.on(deps),
      given(ORGANIZATION_NAME, deps),
    ];
    const module = await startModule(FinanceModule, providers, { principal, clock });
    const open = async (own: string) => {
      const answer = await module.request(
        'GET',
        `/verified/${organizationId}/${own}`,
        undefined,
        'sy_nobody',
      );
      return [answer.status, await answer.text()] as const;
    };
    try {
      const [status, page] = await open(digest);
      expect(status).toBe(200);
      for (const text of ['This document is genuine', 'Invoice NS-00001', 'agency.example', digest])
        expect(page).toContain(text);
      expect((await open(textIn(statement.ok ? statement.value : {}, 'digest')))[1]).toContain(
        'September 2026',
      );
      for (const other of ['0'.repeat(64), 'nonsense', digest.toUpperCase()])
        expect((await open(other))[0]).toBe(404);
      const [elsewhere] = [await module.request('GET', `/verified/${principal.id}/${digest}`)];
      expect(elsewhere.status).toBe(404);
    } finally {
      await module.close();
    }
  });
});

describe('a statement for people', () => {
  it('has the words of a person, the plan, impressions and what a thousand cost, and no differences for a client', async () => {
    const { run, clientId, select, organizationId, buy, bring, reconcile, berta } = await issued();
    await run('add_brand', { body: { domain: 'nova.example', name: 'Nova', client_id: clientId } });
    await select(
      `update media_buy set brand = '{"domain": "nova.example"}', brand_domain = 'nova.example' where id = $1`,
      [buy.mediaBuyId],
    );
    const about = {
      name: 'Autumn',
      client_id: clientId,
      brand: 'nova.example',
      currency: 'EUR',
      budget: '600',
    };
    const added = await run('add_campaign', { body: { ...about, from: '2026-09-01', to: '2026-09-30' } });
    const campaign = textIn(added.ok ? added.value : {}, 'campaign_id');
    expect(
      await run('assign_buy', { params: { id: campaign }, body: { media_buy_id: buy.mediaBuyId } }),
    ).toMatchObject({ ok: true });
    // The move is above what the campaign had when it was asked for.
    const open = await select<{ id: string }>(`select id from control_request where state = 'open'`);
    for (const request of open)
      await controlRequests(store).decide({ organizationId }, request.id, {
        ...{ state: 'approved', by: berta.principalId, at: clock.now() },
      });
    await bring('INV-1', '320');
    await reconcile();
    const note = 'Half of the plan is delivered. We go on in October.';
    const body = { period: '2026-09', scope: `client:${clientId}`, note };
    const own = await run('make_statement', { body });
    expect(own.ok ? rows((own.value['statement'] as JsonObject)['breaks']) : []).not.toEqual([]);
    expect(await run('share_document', { body: { statement: body } })).toMatchObject({ ok: true });
    const [row] = await select<{ page: PageDocument; document: JsonObject }>(
      'select page, document from shared_document where organization_id = $1',
      [organizationId],
    );
    if (row === undefined) throw new Error('Nothing was shared.');
    expect(row.document).toMatchObject({ breaks: [], invoices: [], note });
    expect(row.page).toMatchObject({
      lead: note,
      figures: [
        { name: 'Delivered', value: '300.00 EUR', note: '50 % of the plan' },
        { name: 'Planned', value: '600.00 EUR' },
        { name: 'Impressions', value: '30,000' },
        { name: 'CPM', value: '10.00 EUR' },
        { name: 'Sellers', value: '1' },
      ],
    });
    expect(row.page.bars?.bars[0]).toMatchObject({ label: '2026-09-01', value: 10, planned: 20 });
    expect(JSON.stringify(row.page)).not.toContain('INV-1');
    const folder = process.env['SWITCHYARD_PICTURES'];
    if (folder === undefined) return;
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'client-report.pdf'), await writePage(row.page));
    writeFileSync(join(folder, 'client-report.html'), pageHtml(row.page));
  });

  it('names sellers and clients instead of ids, says the zone, and has the digits of its currency', async () => {
    const { run, clientId, select, organizationId } = await issued();
    await select(`update connection set name = 'Harbor Media' where organization_id = $1`, [organizationId]);
    const body = { period: '2026-09', scope: `client:${clientId}` };
    const shared = await run('share_document', { body: { statement: body } });
    expect(shared).toMatchObject({ ok: true });
    const [row] = await select<{ page: JsonObject; document: JsonObject }>(
      'select page, document from shared_document',
    );
    const page = JSON.stringify(row?.page);
    expect(page).toContain('"=Nova"');
    expect(page).toContain('Harbor Media');
    expect(page).toContain('300.00');
    expect(page).toContain('UTC');
    expect(page).not.toContain(clientId);
    expect(row?.document).toMatchObject({ scope: { kind: 'client', id: clientId }, zones: [] });
  });
});

describe('an insertion order', () => {
  it('is written down in versions, each with what changed, and its number is a name that invoices are matched by', async () => {
    const { run, read, buy, bring, reconcile, select, anna } = await finance();
    const { mediaBuyId } = buy;
    const make = async (): Promise<JsonObject> =>
      rows((await read('make_orders', { body: { media_buy_id: mediaBuyId } }))['orders'])[0] ?? {};
    const first = await make();
    expect(first).toMatchObject({ number: 'IO-00001', version: 1, is_new: true, changes: [] });
    expect(await make()).toMatchObject({ version: 1, is_new: false });
    await select('update buy_package set budget_micros = budget_micros + 5000000 where media_buy_id = $1', [
      mediaBuyId,
    ]);
    const second = await make();
    expect(second).toMatchObject({ number: 'IO-00001', version: 2, is_new: true });
    expect(second['changes']).toEqual([expect.stringMatching(/budget/), expect.stringMatching(/^Total/)]);
    const render = async (format: string, of = second) => {
      const params = { id: textIn(of, 'insertion_order_id') };
      const answer = await read('render_order', { params, query: { format } });
      const { content } = (answer['file'] ?? {}) as { readonly content?: string };
      return {
        digest: textIn(answer, 'digest'),
        document: answer['document'],
        bytes: Buffer.from(content ?? '', 'base64'),
      };
    };
    const made = await Promise.all(['json', 'pdf', 'xlsx', 'html'].map((format) => render(format)));
    expect(new Set(made.map(({ digest }) => digest))).toEqual(new Set([second['digest']]));
    const text = canonicalJson(made[0]?.document ?? null);
    expect(createHash('sha256').update(text).digest('hex')).toBe(second['digest']);
    expect(made[1]?.bytes.subarray(0, 5).toString()).toBe('%PDF-');
    const html = made[3]?.bytes.toString() ?? '';
    expect(html).toMatch(/Insertion order IO-00001[\s\S]*Version 2 of[\s\S]*What changed since version 1/);
    expect(html).toContain(textIn(second, 'digest'));
    expect((await render('json', first)).digest).toBe(first['digest']);
    const shared = await run('share_document', {
      body: { insertion_order_id: textIn(second, 'insertion_order_id') },
    });
    expect(shared).toMatchObject({ value: { title: 'Insertion order IO-00001', digest: second['digest'] } });
    // The seller names nothing but the order.
    const file = { name: 'i.csv', text: 'po_number,amount\nio 1,300\n' };
    const defaults = { invoice_number: 'I-1', issued_on: '2026-10-02', currency: 'EUR', period: '2026-09' };
    expect(await run('import_invoice', { body: { seller: buy.seller, file, defaults } })).toMatchObject({
      ok: true,
    });
    expect(rows((await reconcile())['breaks'])).toEqual([]);
    expect(await bring('I-2', '1')).toMatchObject({ ok: true });
    const narrow = {
      ...anna,
      grants: [
        {
          permissions: { media_buys: ['read', 'write'] as const },
          scope: { kind: 'client' as const, id: randomUUID() },
        },
      ],
    };
    const others = { ...narrow, principalId: randomUUID() };
    expect(
      await call(others, 'render_order', { params: { id: textIn(second, 'insertion_order_id') } }),
    ).toMatchObject(err({ code: 'NOT_FOUND' }));
    expect(await call(others, 'make_orders', { body: { media_buy_id: mediaBuyId } })).toMatchObject(
      err({ code: 'NOT_FOUND' }),
    );
    expect(await call(others, 'list_orders')).toEqual(ok({ orders: [] }));
  });
});
