import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openStore } from '@switchyard/store';
import { allPermissions } from '@switchyard/tenancy';
import { createOrganization, createPrincipal, createToken } from '@switchyard/testing';
import { buyRequest, Catalogue, list, type Json } from './harness/buy-request.js';
import { dataFolder, ownerUrlOf } from './harness/data-folder.js';
import { ownerView } from './harness/database.js';
import { callTask, endpointNames, post } from './harness/call-task.js';
import type { Instance } from './harness/instance.js';
import { Market } from './harness/market.js';
import { waitUntil } from './harness/wait-until.js';
import { admin } from './harness/own-everything.js';
import { openOrganization } from './harness/shared-instance.js';

const folder = dataFolder();
let instance: Instance;
let market: Market;
let catalogue: Catalogue;
let stranger: { readonly url: string; readonly token: string };

beforeAll(async () => {
  instance = await openOrganization(folder.path, ['prompt', 'courier', 'human', 'seed', 'auction']);
  market = Market.of(folder.path);
  catalogue = await Catalogue.read(instance);
  const store = openStore(ownerUrlOf(folder.path));
  const { id } = await createOrganization(store);
  const principal = await createPrincipal(store, id, { permissions: allPermissions });
  stranger = { url: instance.url, token: await createToken(store, principal) };
  await store.close();
});

afterAll(async () => {
  await instance.stop();
  await folder.remove();
});

const banner = { agent_url: 'https://creatives.market.example', id: 'display_300x250' };
const image = { asset_type: 'image', url: 'https://cdn.roaster.example/1.png', width: 300, height: 250 };
const creative = (id: string, name = `Banner ${id}`): Json => ({
  creative_id: id,
  name,
  format_id: banner,
  assets: { main: image },
});
const toSellers = (...sellers: readonly string[]): Json => ({ ext: { switchyard: { sellers } } });
const deciding = ['prompt', 'human', 'seed', 'auction'];
const aSecond = { interval: 1, unit: 'seconds' };
const modern = (more: Json): Json => ({
  adcp_version: '3.1',
  idempotency_key: randomUUID(),
  account: { brand: { domain: 'roaster.example' }, operator: 'agency.example' },
  ...more,
});
const sellersOf = (row: Json | undefined): Readonly<Record<string, unknown>> => {
  const ext = row?.['ext'] as { readonly switchyard?: { readonly sellers?: unknown } } | undefined;
  const rows = list(ext?.switchyard?.sellers ?? row?.['sellers']);
  return Object.fromEntries(rows.map(({ seller, status }): [string, unknown] => [String(seller), status]));
};
const listed = async (id: string): Promise<Json | undefined> => {
  const args = { adcp_version: '3.1', filters: { creative_ids: [id] } };
  return list((await callTask('REST', instance, 'list_creatives', args)).body['creatives'])[0];
};
const heldAt = async (seller: string): Promise<readonly string[]> => {
  const books = (await market.books()) as readonly Json[];
  const of = books.find(({ slug }) => slug === seller);
  return list(of?.['creatives'])
    .filter(({ status }) => status !== 'archived')
    .map(({ creative_id: id }) => String(id));
};

describe('sync_creatives', () => {
  it.each(endpointNames)(
    'sends a creative only to the sellers that the request names, at %s',
    async (endpoint) => {
      const id = `cr_${endpoint}_${randomUUID()}`;
      // At some sellers a person reviews it first, for longer than this buyer waits.
      const requested = modern({
        creatives: [creative(id)],
        time_budget: aSecond,
        ...toSellers(...deciding),
      });
      const { body } = await callTask(endpoint, instance, 'sync_creatives', requested);
      expect(body['status']).toBe('submitted');
      const decided = { prompt: 'approved', human: 'approved', seed: 'approved', auction: 'approved' };
      const sellers = await waitUntil('its sellers have decided', async () => {
        const now = sellersOf(await listed(id));
        return Object.entries(decided).every(([seller, status]) => now[seller] === status) ? now : undefined;
      });
      expect(sellers).toMatchObject(decided);
      // No request named this seller, so it did not get the creative.
      expect(sellers).not.toHaveProperty('courier');
      expect(await heldAt('prompt')).toContain(id);
      expect(await heldAt('courier')).not.toContain(id);
    },
  );

  it('replays the same request under the same key, and refuses another under it', async () => {
    const args = modern({ creatives: [creative('cr_replay')], ...toSellers('prompt') });
    const first = await callTask('REST', instance, 'sync_creatives', args);
    const before = await market.mutations();
    const again = await callTask('REST', instance, 'sync_creatives', args);
    expect(again.body).toMatchObject({ replayed: true, operation_id: first.body['operation_id'] });
    expect((await market.mutations())['prompt sync_creatives']).toBe(before['prompt sync_creatives']);
    const other = { ...args, creatives: [creative('cr_other')] };
    expect((await callTask('REST', instance, 'sync_creatives', other)).errors[0]?.code).toBe(
      'IDEMPOTENCY_CONFLICT',
    );
  });

  it('changes nothing with dry_run, neither in the library nor at a seller', async () => {
    const { body } = await callTask(
      'REST',
      instance,
      'sync_creatives',
      modern({ creatives: [creative('cr_dry')], dry_run: true }),
    );
    expect(body).toMatchObject({ dry_run: true, creatives: [{ creative_id: 'cr_dry', action: 'created' }] });
    expect(await listed('cr_dry')).toBeUndefined();
    for (const seller of ['prompt', 'human', 'auction', 'seed'])
      expect(await heldAt(seller)).not.toContain('cr_dry');
  });

  it('changes no row and no book with dry_run, even if the account is new', async () => {
    const database = await ownerView(folder.path);
    const tables = [
      ...['operation', 'leg', 'creative', 'creative_placement', 'creative_assignment', 'approval'],
      ...['principal_account', 'webhook_registration', 'buyer_registration', 'outbox_event', 'media_buy'],
    ];
    const state = async (): Promise<unknown> => {
      const known = await database.rows<{ name: string }>(
        "select table_name as name from information_schema.tables where table_schema = 'public'",
      );
      const there = tables.filter((table) => known.some(({ name }) => name === table));
      const counted = there.map(async (table) => {
        const text = `select count(*)::int as count, md5(coalesce(string_agg(t::text, '' order by t::text), '')) as sum from "${table}" t`;
        return [table, (await database.rows<Json>(text))[0]] as const;
      });
      return [Object.fromEntries(await Promise.all(counted)), await market.books()];
    };
    // Work of earlier tests must have ended, because it would change rows in between.
    await waitUntil('nothing is open', async () => {
      const text = `select 1 as one from leg where status in ('pending', 'sent', 'submitted', 'working')
                    union all select 1 from leg where lease_until is not null or next_poll_at is not null
                    union all select 1 from inbox_event where state = 'received'
                    union all select 1 from creative_placement where next_poll_at is not null`;
      return (await database.rows(text)).length === 0 ? true : undefined;
    });
    // A late update of a seller may change a row in between; a change by the dry run itself would occur every time.
    let [before, after]: unknown[] = [];
    for (let turn = 0; turn < 3 && (turn === 0 || !isDeepStrictEqual(before, after)); turn += 1) {
      before = await state();
      const brand = `${randomUUID()}.example`;
      const answer = await callTask('REST', instance, 'sync_creatives', {
        ...modern({ creatives: [creative('cr_dry')], delete_missing: true, dry_run: true }),
        account: { brand: { domain: brand }, operator: 'agency.example' },
      });
      expect([answer.errors, answer.body['dry_run']]).toEqual([[], true]);
      after = await state();
    }
    expect(after).toEqual(before);
    await database.close();
  });

  it('answers pending with a task_id in the service form when a person must review', async () => {
    const { body } = await callTask('REST', instance, 'sync_creatives', {
      creatives: [{ creative_id: 'cr_service', format_id: banner, assets: { main: image } }],
      ...toSellers('human'),
      time_budget: aSecond,
    });
    expect(body).toMatchObject({ status: 'pending', task_id: expect.any(String) });
  });

  it('shows a seller’s later verdict by polling when no webhook reports it', async () => {
    await callTask(
      'REST',
      instance,
      'sync_creatives',
      modern({ creatives: [creative('cr_rejected', 'reject me')], ...toSellers('prompt') }),
    );
    const row = await waitUntil('the seller has rejected it', async () => {
      const now = await listed('cr_rejected');
      return sellersOf(now)['prompt'] === 'rejected' ? now : undefined;
    });
    expect(sellersOf(row)).toMatchObject({ prompt: 'rejected' });
  });

  it('shows a seller’s own decision, including a purge, as soon as its signed webhook arrives', async () => {
    const id = `cr_purged_${randomUUID()}`;
    const named = creative(id, 'review and purge me');
    await callTask(
      'REST',
      instance,
      'sync_creatives',
      modern({ creatives: [named], ...toSellers('prompt') }),
    );
    // No answer of the seller lists it any more: a purge is reported only by its webhook.
    await waitUntil('the seller has purged it', async () =>
      sellersOf(await listed(id))['prompt'] === 'archived' ? true : undefined,
    );
    await waitUntil('both messages are marked as applied', async () => {
      const events = list((await admin(instance, 'GET', '/v1/events?seller=prompt'))['events']);
      const applied = events.filter(({ kind, state }) => kind === 'creative_status' && state === 'applied');
      return applied.length >= 2 ? true : undefined;
    });
  });

  it('assigns to a package at its own seller, and adds inline creatives of a buy to the library', async () => {
    const inline = creative(`cr_inline_${randomUUID()}`);
    const wanted = catalogue.packageOf('prompt', { creatives: [inline] });
    const bought = await callTask('REST', instance, 'create_media_buy', buyRequest([wanted]));
    const packageId = String(list(bought.body['packages'])[0]?.['package_id']);
    expect(packageId).toMatch(/^prompt:/);
    const known = await listed(String(inline['creative_id']));
    expect(known).toMatchObject({ assignments: { assigned_packages: [{ package_id: packageId }] } });

    const buys = modern({ media_buy_ids: [String(bought.body['media_buy_id'])] });
    const revisionNow = async (): Promise<unknown> =>
      list((await callTask('REST', instance, 'get_media_buys', buys)).body['media_buys'])[0]?.['revision'];
    const before = await revisionNow();
    expect(before).toBe(bought.body['revision']);
    const id = `cr_assigned_${randomUUID()}`;
    await callTask(
      'REST',
      instance,
      'sync_creatives',
      modern({ creatives: [creative(id)], assignments: [{ creative_id: id, package_id: packageId }] }),
    );
    const row = await waitUntil('the assignment is known', async () => {
      const now = await listed(id);
      const { assignments } = (now ?? {}) as { readonly assignments?: Json };
      return assignments?.['assignment_count'] === 1 ? now : undefined;
    });
    expect(row).toMatchObject({ assignments: { assigned_packages: [{ package_id: packageId }] } });
    // Library entries are no terms of the buy.
    expect(await revisionNow()).toBe(before);
    const missing = modern({
      creatives: [creative(id)],
      assignments: [{ creative_id: id, package_id: 'prompt:nobody' }],
    });
    expect((await callTask('REST', instance, 'sync_creatives', missing)).errors[0]?.code).toBe(
      'PACKAGE_NOT_FOUND',
    );
  });

  it('deletes with delete_missing at a seller that has only this organization’s creatives', async () => {
    const keep = `cr_keep_${randomUUID()}`;
    await callTask(
      'REST',
      instance,
      'sync_creatives',
      modern({ creatives: [creative(keep)], delete_missing: true, ...toSellers('prompt') }),
    );
    await waitUntil('the others are gone', async () => {
      const held = await heldAt('prompt');
      return held.length === 1 && held[0] === keep ? true : undefined;
    });
    expect(await listed('cr_replay')).toBeUndefined();
  });
});

describe('creatives on packages', () => {
  it('have the state that the seller reports on the buy, also if its own library differs', async () => {
    const id = `cr_package_${randomUUID()}`;
    const wanted = catalogue.packageOf('prompt', { creatives: [creative(`cr_other_${randomUUID()}`)] });
    const bought = await callTask('REST', instance, 'create_media_buy', buyRequest([wanted]));
    const packageId = String(list(bought.body['packages'])[0]?.['package_id']);
    const named = creative(id, 'unfit for one package');
    const assignments = [{ creative_id: id, package_id: packageId }];
    await callTask('REST', instance, 'sync_creatives', modern({ creatives: [named], assignments }));
    const requested = { adcp_version: '3.1', media_buy_ids: [bought.body['media_buy_id']] };
    const reported = {
      creative_id: id,
      approval_status: 'rejected',
      rejection_reason: 'It does not fit this package.',
    };
    await waitUntil('the seller has the creative on the package', async () => {
      const { body } = await callTask('REST', instance, 'get_media_buys', requested);
      const [item] = list(list(body['media_buys'])[0]?.['packages']);
      return list(item?.['creative_approvals']).some(
        (creativeApproval) => creativeApproval['creative_id'] === id,
      )
        ? true
        : undefined;
    });
    const { body } = await callTask('MCP', instance, 'get_media_buys', requested);
    const [item] = list(list(body['media_buys'])[0]?.['packages']);
    expect(item?.['creative_approvals']).toContainEqual(reported);
    const row = await listed(id);
    expect(sellersOf(row)).toMatchObject({ prompt: 'approved' });
    const ext = row?.['ext'] as { readonly switchyard: { readonly sellers: readonly Json[] } };
    expect(ext.switchyard.sellers.find(({ seller }) => seller === 'prompt')).toMatchObject({
      packages: [
        {
          package_id: packageId,
          approval_status: 'rejected',
          rejection_reason: 'It does not fit this package.',
          as_of: expect.any(String),
        },
      ],
    });
  });

  it('follow an update of the buy: new ones are assigned, and those the seller lacks are sent', async () => {
    const bought = await callTask(
      'REST',
      instance,
      'create_media_buy',
      buyRequest([catalogue.packageOf('prompt'), catalogue.packageOf('courier')], {
        end_time: '2099-01-01T00:00:00Z',
      }),
    );
    const ids = list(bought.body['packages']).map(({ package_id: packageId }) => String(packageId));
    const [prompt, courier] = ['prompt:', 'courier:'].map((slug) => ids.find((id) => id.startsWith(slug)));
    const inline = creative(`cr_brought_${randomUUID()}`);
    const changed = await callTask(
      'REST',
      instance,
      'update_media_buy',
      modern({
        media_buy_id: bought.body['media_buy_id'],
        packages: [
          { package_id: prompt, creatives: [inline] },
          { package_id: courier, creative_assignments: [{ creative_id: 'cr_lacking' }] },
        ],
      }),
    );
    expect(changed.errors).toEqual([]);
    const row = await listed(String(inline['creative_id']));
    expect(row).toMatchObject({ assignments: { assigned_packages: [{ package_id: prompt }] } });
    // An id missing in our library may exist at the seller; a creative that only the seller lacks is sent along.
    expect(JSON.stringify(changed.body)).not.toContain('CREATIVE_NOT_AT_SELLER');
    const again = await callTask(
      'REST',
      instance,
      'update_media_buy',
      modern({
        media_buy_id: bought.body['media_buy_id'],
        packages: [{ package_id: courier, creative_assignments: [{ creative_id: inline['creative_id'] }] }],
      }),
    );
    expect(again.errors).toEqual([]);
    expect(sellersOf(await listed(String(inline['creative_id'])))).toHaveProperty('courier');
  });
});

describe('list_creatives', () => {
  it('returns the library page by page, without gap or duplicate, while creatives are added', async () => {
    const ids = Array.from({ length: 7 }, (_, index) => `walk_${String(index)}`);
    await callTask('REST', instance, 'sync_creatives', modern({ creatives: ids.map((id) => creative(id)) }));
    const filters = { name_contains: 'banner walk_' };
    const seen: string[] = [];
    let cursor: unknown;
    for (let page = 0; page < 10; page += 1) {
      const pagination = { max_results: 2, ...(cursor === undefined ? {} : { cursor }) };
      const { body } = await callTask('MCP', instance, 'list_creatives', {
        adcp_version: '3.1',
        filters,
        pagination,
      });
      seen.push(...list(body['creatives']).map(({ creative_id: id }) => String(id)));
      if (page === 0)
        await callTask('REST', instance, 'sync_creatives', modern({ creatives: [creative('walk_late')] }));
      ({ cursor } = body['pagination'] as { readonly cursor?: unknown });
      if (cursor === undefined) break;
    }
    expect([...seen].sort()).toEqual(ids);
  });

  it('refuses a cursor of another query', async () => {
    const query = (more: Json): ReturnType<typeof callTask> =>
      callTask('REST', instance, 'list_creatives', { adcp_version: '3.1', ...more });
    const { body } = await query({ pagination: { max_results: 1 } });
    const { cursor } = body['pagination'] as { readonly cursor?: unknown };
    const other = await query({ filters: { tags: ['x'] }, pagination: { max_results: 1, cursor } });
    expect(other.errors[0]).toMatchObject({ code: 'INVALID_REQUEST', field: 'pagination.cursor' });
  });

  it('shows another organization nothing', async () => {
    const { body } = await callTask('REST', stranger, 'list_creatives', { adcp_version: '3.1' });
    expect(body).toMatchObject({ creatives: [], query_summary: { total_matching: 0 } });
  });
});

describe('approvals', () => {
  const inbox = async (to: { url: string; token: string } = instance): Promise<readonly Json[]> =>
    list((await admin(to, 'GET', '/v1/approvals?state=open'))['approvals']);
  const reply = (id: unknown, answer: Json): ReturnType<typeof post> =>
    post('REST', instance, `/v1/approvals/${String(id)}/answer`, JSON.stringify({ answer }));
  const stateOf = async (taskId: unknown): Promise<unknown> => {
    const requested = { adcp_version: '3.1', task_id: taskId, include_result: true };
    return (await callTask('MCP', instance, 'tasks/get', requested)).body['status'];
  };

  it.each(['prompt', 'courier'])(
    'returns one answer to %s, whatever its protocol, and the buy continues',
    async (seller) => {
      const wanted = catalogue.packageOf(seller, { budget: 600_000 });
      const bought = await callTask('REST', instance, 'create_media_buy', buyRequest([wanted]));
      expect(bought.body['status']).toBe('input-required');
      const [question] = (await inbox()).filter((row) => row['seller'] === seller);
      expect(question).toMatchObject({
        kind: 'seller',
        task: 'create_media_buy',
        can_answer: true,
        reason: expect.stringContaining('purchase order'),
        errors: [{ field: 'po_number' }],
      });
      expect(await inbox(stranger)).toEqual([]);

      // An answer that the seller refuses becomes a new approval; the first one stays answered.
      expect((await reply(question?.['approval_id'], { po_number: 'none' })).httpStatus).toBe(200);
      const [second] = (await inbox()).filter((row) => row['seller'] === seller);
      expect(second).toMatchObject({ round: 2, reason: expect.stringContaining('PO-1234') });
      expect((await reply(question?.['approval_id'], { po_number: 'PO-1' })).httpStatus).toBe(409);

      const duplicates = await Promise.all(
        ['PO-4711', 'PO-4712'].map((po) => reply(second?.['approval_id'], { po_number: po })),
      );
      expect(duplicates.map(({ httpStatus }) => httpStatus).sort()).toEqual([200, 409]);
      await waitUntil('the buy is made', async () =>
        (await stateOf(bought.body['task_id'])) === 'completed' ? true : undefined,
      );
      const books = await market.booksOf(seller);
      expect(books.filter(({ budget_micros: micros }) => micros === '600000000000')).toHaveLength(1);
      expect((await inbox()).filter((row) => row['seller'] === seller)).toEqual([]);
    },
  );

  it('refuses an answer that changes the caller, or that contains a credential', async () => {
    const wanted = catalogue.packageOf('prompt', { budget: 700_000 });
    await callTask('REST', instance, 'create_media_buy', buyRequest([wanted]));
    const ours = async (): Promise<readonly Json[]> =>
      (await inbox()).filter((row) => row['seller'] === 'prompt');
    const [question] = await ours();
    const before = (await ours()).length;
    for (const answer of [{ account: { account_id: 'x' } }, { password: 'hunter2' }, {}]) {
      expect((await reply(question?.['approval_id'], answer)).httpStatus).toBeGreaterThanOrEqual(400);
    }
    expect(await ours()).toHaveLength(before);
  });
});
