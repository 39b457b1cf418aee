import { describe, expect, it } from '@jest/globals';
import type { Connection } from '@switchyard/sellers';
import { openBuyingHarness } from '@switchyard/testing';
import { ok, Secret, type JsonObject } from '@switchyard/values';
import type { HandlerDeps } from '../platform/tasks/call/handler.js';
import { harnessCall, marketPorts } from '../platform/tasks/testkit/harness-call.js';
import { taskService } from '../main/testkit/task-service.js';

const product = (more: JsonObject = {}): JsonObject => ({
  product_id: 'p',
  name: 'P',
  description: '',
  delivery_type: 'guaranteed',
  publisher_properties: [{ publisher_domain: 'news.example', selection_type: 'all' }],
  format_ids: [{ agent_url: 'https://formats.example', id: 'f' }],
  pricing_options: [{ pricing_option_id: 'x', pricing_model: 'cpm', currency: 'USD', fixed_price: 5 }],
  reporting_capabilities: {},
  ...more,
});
const proposal = {
  proposal_id: 'q',
  name: 'Q',
  allocations: [{ product_id: 'p', allocation_percentage: 100 }],
};
const brief = { adcp_version: '3.1', buying_mode: 'brief', brief: 'shoes' };
const push = { push_notification_config: { url: 'https://buyer.example/hook', operation_id: 'op-1' } };

/** One question for products, in front of one seller that knows us by a credential and an account. */
async function query(
  args: JsonObject,
  {
    isPublic = false,
    isFull = false,
    says = {},
    next,
    refusal,
    wantsAccount,
  }: {
    isPublic?: boolean;
    isFull?: boolean;
    says?: JsonObject;
    next?: JsonObject;
    /** Of the first question. */
    refusal?: JsonObject;
    wantsAccount?: true;
  },
) {
  const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
  const pages = [
    ...(refusal === undefined ? [] : [refusal]),
    { products: [product()], ...says },
    ...(next === undefined ? [] : [next]),
  ];
  harness.seller('acme').fate('get_products', ...pages.map((page) => ({ says: page })));
  const known: Connection = {
    ...harness.connection('acme'),
    credentialId: 'credential',
    account: { accountId: 'acct-of-ours' },
    ...(wantsAccount && { wantsAccount }),
  };
  const learnt: string[] = [];
  const leased: string[] = [];
  const signers: string[] = [];
  const ports = {
    ...marketPorts(harness),
    connections: { ...harness.ports.connections, list: () => Promise.resolve([known]) },
    lease: (...[, requested]: Parameters<typeof harness.ports.lease>) => {
      leased.push(...requested.map(({ slug }) => slug));
      const secret = () => new Secret(Buffer.from('of acme'));
      const credential = () => ({ id: 'c', version: 1, scheme: 'bearer' as const, secret: secret() });
      const secrets = () => ({ keySecret: secret(), credential: credential() });
      return Promise.resolve(ok(new Map(requested.map(({ id }) => [id, secrets()]))));
    },
    store: {
      ...harness.ports.store,
      saveProposals: () => (isFull ? Promise.reject(new Error('The disk is full.')) : Promise.resolve()),
      proposals: () => Promise.resolve(new Map([['acme:q', {}]])),
    },
    notice: () => undefined,
    learnAccount: (_scope: unknown, { slug }: Pick<Connection, 'slug'>) => {
      learnt.push(slug);
      return Promise.resolve();
    },
    signerFor: (_scope: unknown, principalId: string) => {
      signers.push(principalId);
      return undefined;
    },
  };
  const parts = { ports, refuseCallback: () => Promise.resolve(undefined) } as unknown as HandlerDeps;
  const call = harnessCall(harness, 'get_products', args);
  const { organizationId } = harness.scope;
  const { body } = await taskService(parts).call(
    isPublic ? { ...call, caller: { kind: 'public', organizationId } } : call,
  );
  const asked = harness.seller('acme').received.map(({ args: sent }) => sent);
  const [received] = asked;
  if (received === undefined) throw new Error(`Nobody was asked: ${JSON.stringify(body)}`);
  return { body, received, accounts: asked.map(({ account }) => account), leased, signers, learnt };
}

describe('a query for products', () => {
  it('is sent without an account, and without our credential for a caller that has none', async () => {
    const ours = await query(brief, {});
    expect([ours.leased, ours.accounts]).toEqual([['acme'], [undefined]]);
    const nobodys = await query(brief, { isPublic: true });
    expect([nobodys.leased, nobodys.accounts]).toEqual([[], [undefined]]);
    // Whose signature should it be?
    expect([ours.signers.length, nobodys.signers.length]).toEqual([1, 0]);
  });

  it('is sent with our account to a seller that refuses it without, which is remembered', async () => {
    const refusal = { errors: [{ code: 'ACCOUNT_REQUIRED', message: 'Whose prices?' }] };
    const account = { account_id: 'acct-of-ours' };
    const { body, accounts, learnt } = await query(brief, { refusal });
    expect([accounts, learnt]).toEqual([[undefined, account], ['acme']]);
    expect(body['products']).toMatchObject([{ product_id: 'acme:p' }]);
    const later = await query(brief, { wantsAccount: true });
    expect([later.accounts, later.learnt]).toEqual([[account], []]);
    const nobodys = await query(brief, { refusal, isPublic: true });
    expect([nobodys.accounts, nobodys.learnt]).toEqual([[undefined], []]);
  });

  it('shows the public neither buyer-specific products nor proposals', async () => {
    const says = {
      products: [product(), product({ product_id: 'own', is_custom: true })],
      proposals: [proposal],
    };
    const shown = await query(brief, { isPublic: true, says });
    expect(shown.body['products']).toMatchObject([{ product_id: 'acme:p' }]);
    expect(shown.body).not.toHaveProperty('proposals');
  });

  it('shows no proposal that could not be stored, since it could not be bought, and reports it', async () => {
    const says = { proposals: [proposal] };
    expect((await query(brief, { says })).body['proposals']).toMatchObject([{ proposal_id: 'acme:q' }]);
    const { body } = await query(brief, { says, isFull: true });
    expect(body).not.toHaveProperty('proposals');
    expect(body['ext']).toMatchObject({ switchyard: { findings: [{ code: 'PROPOSALS_NOT_KEPT' }] } });
  });

  it('reads a seller to its last page, with its proposals and what it reports as incomplete', async () => {
    const incomplete = (description: string) => ({ incomplete: [{ scope: 'pricing', description }] });
    const { body } = await query(brief, {
      says: { proposals: [proposal], pagination: { has_more: true, cursor: 'two' }, ...incomplete('one') },
      next: {
        products: [product({ product_id: 'p2' })],
        proposals: [{ ...proposal, proposal_id: 'q2' }],
        ...incomplete('two'),
      },
    });
    expect(body).toMatchObject({
      products: [{ product_id: 'acme:p' }, { product_id: 'acme:p2' }],
      proposals: [{ proposal_id: 'acme:q' }, { proposal_id: 'acme:q2' }],
      incomplete: [{ description: 'acme: one' }, { description: 'acme: two' }],
    });
  });

  it('names an address for later answers, except for the complete catalogue, which has none', async () => {
    expect((await query({ ...brief, ...push }, {})).received).toHaveProperty('push_notification_config');
    const whole = { adcp_version: '3.1', buying_mode: 'wholesale', ...push };
    expect((await query(whole, {})).received).not.toHaveProperty('push_notification_config');
  });

  it('names the time limit, except for a finalization, which commits its seller and is awaited', async () => {
    const time_budget = { interval: 5, unit: 'seconds' };
    const refined = (action: string) => ({
      ...{ adcp_version: '3.1', buying_mode: 'refine', time_budget },
      refine: [{ scope: 'proposal', proposal_id: 'acme:q', action }],
    });
    expect((await query(refined('include'), {})).received).toHaveProperty('time_budget');
    expect((await query(refined('finalize'), {})).received).not.toHaveProperty('time_budget');
    expect((await query({ ...brief, time_budget }, {})).received['time_budget']).toEqual({
      interval: 4,
      unit: 'seconds',
    });
  });

  it('says whether every answer applied a list of properties', async () => {
    const listed = { ...brief, property_list: { agent_url: 'https://lists.example', list_id: 'l' } };
    const applied = await query(listed, { says: { property_list_applied: true } });
    expect(applied.body['property_list_applied']).toBe(true);
    expect((await query(listed, {})).body['property_list_applied']).toBe(false);
    const nobody = await query(listed, { says: { products: 'none' } });
    expect(nobody.body['property_list_applied']).toBe(false);
    expect((await query(brief, {})).body).not.toHaveProperty('property_list_applied');
  });
});
