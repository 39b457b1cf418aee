import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { answerApproval, sendDueAnswers, type ApprovalPorts, type ReadPorts } from '@switchyard/buys';
import type { SellerTransport } from '@switchyard/sellers';
import { controlRequests, approvalStore, creativeStore, internalApprovals } from '@switchyard/store';
import { createConnection, createOrganization } from '@switchyard/testing';
import { err, ok, Secret, type JsonObject } from '@switchyard/values';
import { approvalRoutes } from '../../buys/approvals.routes.js';
import { callRoutes } from '../../platform/routes/testkit/call-route.js';
import { applyInbox } from './apply-inbox.js';
import { createLegFollower } from '../../buys/legs/follow-legs.js';
import {
  specInbox,
  taskUpdate,
  type SellerOptions,
  type SpecInbox,
  type SpecSeller,
} from '../testkit/inbox.js';

/** Sellers' approval requests and the answers to them: real intake, real workers, real PostgreSQL. */
const inbox = await specInbox();
afterAll(() => inbox.close());

type Call = Parameters<SellerTransport['call']>[1];
type SellerReaction = 'nothing' | 'unreachable' | JsonObject;

/** One run of the process. What the seller received is stored over all runs. */
function startProcess(
  got: Call[],
  says: () => SellerReaction,
): ApprovalPorts & { readonly follow: () => Promise<void> } {
  const keySecret = new Secret(Buffer.alloc(32, 7));
  const ports: ApprovalPorts & ReadPorts = {
    ...inbox.deps.ports,
    approvals: approvalStore(inbox.store),
    lease: (_scope, connections) =>
      Promise.resolve(ok(new Map(connections.map(({ id }) => [id, { keySecret }])))),
    transport: {
      ...inbox.deps.ports.transport,
      call: (_target, call) => {
        const reported = says();
        if (reported === 'unreachable')
          return Promise.resolve(
            err({ code: 'unreachable', delivered: 'no', message: 'Nobody is there.' } as const),
          );
        if (call.tool === 'create_media_buy') got.push(call);
        return Promise.resolve(
          reported === 'nothing'
            ? err({ code: 'timeout', delivered: 'maybe', message: 'It says nothing.' } as const)
            : ok({ payload: reported, isError: false }),
        );
      },
    },
  };
  return {
    ...ports,
    follow: () => createLegFollower({ ...inbox.deps, ports, approvals: ports.approvals }).visit(inbox.scope),
  };
}

const promising = {
  capabilities: { idempotency: { supported: true } },
} as unknown as NonNullable<SellerOptions['connection']>;

/** A seller that requests input over A2A, where the task itself continues. */
async function asking(
  options: SellerOptions['connection'] = {},
): Promise<{ seller: SpecSeller; id: string }> {
  const seller = await inbox.seller({ connection: { protocol: 'a2a', ...options }, native: 'signed' });
  await notify(seller, 'input-required');
  const slug = seller.connection.slug;
  const [open] = await approvalStore(inbox.store).list(inbox.scope, {
    state: 'open',
    seller: slug,
    limit: 5,
  });
  return { seller, id: open?.id ?? 'none' };
}

async function notify(seller: SpecSeller, status: string): Promise<void> {
  const more = status === 'input-required' ? { result: { message: 'Which order?' } } : {};
  const timestamp = new Date(inbox.clock.now()).toISOString();
  inbox.clock.advance(1_000);
  await inbox.post(seller, taskUpdate(seller, status, { timestamp, ...more }), {
    address: seller.taskAddress,
  });
  await applyInbox(inbox.deps, inbox.scope);
}

const made = (seller: SpecSeller): JsonObject => ({
  media_buy_id: seller.sellerMediaBuyId,
  status: 'completed',
  media_buy_status: 'active',
  packages: [{ package_id: seller.packageRef, buyer_ref: 'package-0', product_id: 'ctv' }],
});
const stand = async (id: string) => (await approvalStore(inbox.store).find(inbox.scope, id))?.state;
const answer = { po_number: 'PO-1234' };
const person = randomUUID();
const minute = 60_000;

describe('an answer with creatives', () => {
  it.each([
    ['over an account that another organization may use, under ids of ours', true],
    ['over an account of its own alone, under the ids that it says', false],
  ])('is sent %s', async (_how, isShared) => {
    const { seller, id } = await asking();
    const { id: connectionId, agentUrl } = seller.connection;
    if (isShared) {
      const { id: other } = await createOrganization(inbox.store);
      await createConnection(inbox.store, other, { agentUrl });
    }
    const got: Call[] = [];
    const ports = { ...startProcess(got, () => made(seller)), creatives: creativeStore(inbox.store) };
    const reported = {
      packages: [{ creatives: [{ creative_id: 'spot' }], creative_ids: ['spot'] }],
      name: 'spot',
    };
    expect(await answerApproval(ports, inbox.scope, { by: person, id, answer: reported })).toMatchObject({
      ok: true,
    });
    const [{ creatives: brought, creative_ids: named } = {}] = got[0]?.args['packages'] as JsonObject[];
    const spot: unknown = isShared ? expect.stringMatching(/^spot-[0-9a-f]{24}$/) : 'spot';
    expect([brought, named, got[0]?.args['name']]).toEqual([[{ creative_id: spot }], [spot], 'spot']);
    expect(JSON.stringify(got)).not.toContain(connectionId);
  });
});

describe('an answer whose process was killed', () => {
  it('before sending is sent once after the restart, even by several workers', async () => {
    const { seller, id } = await asking();
    const got: Call[] = [];
    const dying = startProcess(got, () => made(seller));
    const ended = {
      ...dying,
      approvals: { ...dying.approvals, take: () => Promise.reject(new Error('The process ended.')) },
    };
    await expect(answerApproval(ended, inbox.scope, { by: person, id, answer })).rejects.toThrow('ended');
    expect([got.length, await stand(id)]).toEqual([0, 'answering']);
    const after = startProcess(got, () => made(seller));
    await Promise.all([after.follow(), after.follow(), after.follow()]);
    await after.follow();
    expect(got).toHaveLength(1);
    expect(got[0]).toMatchObject({ a2aTaskId: 'a2a-1', args: answer });
    expect(await stand(id)).toBe('answered');
    expect((await inbox.deps.ports.store.leg(inbox.scope, seller.legId))?.status).toBe('completed');
  });

  it('during sending is sent again after its lease, with the same key and bytes', async () => {
    const { seller, id } = await asking(promising);
    const got: Call[] = [];
    const dying = startProcess(got, () => made(seller));
    const ended: ApprovalPorts = {
      ...dying,
      transport: {
        ...dying.transport,
        call: async (...of) => {
          await dying.transport.call(...of);
          throw new Error('The process ended.');
        },
      },
    };
    await expect(answerApproval(ended, inbox.scope, { by: person, id, answer })).rejects.toThrow('ended');
    const after = startProcess(got, () => made(seller));
    await after.follow();
    expect(got).toHaveLength(1);
    inbox.clock.advance(minute);
    await Promise.all([after.follow(), after.follow()]);
    expect(got).toHaveLength(2);
    expect(got[1]?.args).toEqual(got[0]?.args);
    expect(got[0]?.args['idempotency_key']).toEqual(expect.any(String));
    expect(await stand(id)).toBe('answered');
  });
});

describe('an answer to a seller that signs nothing', () => {
  it('is sent with the shared secret, and stored without it', async () => {
    const { id } = await asking();
    const got: Call[] = [];
    const harness = startProcess(got, () => 'nothing');
    const place = { authentication: { schemes: ['HMAC-SHA256'], credentials: '[webhook-secret:c1]' } };
    const outbound = JSON.stringify({ push_notification_config: place });
    await harness.approvals.claim(inbox.scope, id, { answer, by: person, outbound, at: inbox.clock.now() });
    await harness.follow();
    expect(got).toEqual([]);
    const secret = new Secret(Buffer.from('shared-between-the-two-of-us-0001'));
    inbox.clock.advance(minute);
    const own = { webhookSecret: { credentialId: 'c1', secret } };
    const lease: ApprovalPorts['lease'] = (_scope, connections) =>
      Promise.resolve(ok(new Map(connections.map((connection) => [connection.id, own]))));
    await sendDueAnswers({ ...harness, lease }, inbox.scope);
    expect(JSON.stringify(got)).not.toContain('[webhook-secret:');
    expect(JSON.stringify(await harness.approvals.find(inbox.scope, id))).not.toContain('shared-between');
  });
});

describe('an answer without a response', () => {
  it('is sent six times to a seller that declares idempotency, and then the task is polled', async () => {
    const { id } = await asking(promising);
    const got: Call[] = [];
    const harness = startProcess(got, () => 'nothing');
    await answerApproval(harness, inbox.scope, { by: person, id, answer });
    for (let round = 0; round < 9; round += 1) {
      inbox.clock.advance(2 * minute);
      await harness.follow();
    }
    expect(got).toHaveLength(6);
    expect(new Set(got.map(({ args }) => JSON.stringify(args))).size).toBe(1);
    expect(await stand(id)).toBe('unknown');
  });

  it('is sent once to a seller that declares none, because a second one could act twice', async () => {
    const { seller, id } = await asking();
    const got: Call[] = [];
    const harness = startProcess(got, () => 'nothing');
    await answerApproval(harness, inbox.scope, { by: person, id, answer });
    for (let round = 0; round < 3; round += 1) {
      inbox.clock.advance(2 * minute);
      await harness.follow();
    }
    expect(got).toHaveLength(1);
    expect(await stand(id)).toBe('unknown');
    // The leg is still polled, so that the result of the answer arrives.
    expect(await inbox.deps.ports.store.leg(inbox.scope, seller.legId)).toMatchObject({
      status: 'input-required',
      nextPollAt: expect.any(Number),
    });
  });

  it('is open again if such a seller cannot have received it', async () => {
    const { seller, id } = await asking();
    const got: Call[] = [];
    const says: { now: SellerReaction } = { now: 'unreachable' };
    const harness = startProcess(got, () => says.now);
    const refused = await answerApproval(harness, inbox.scope, { by: person, id, answer });
    expect(refused).toMatchObject({ value: { state: 'refused', outcome: 'not_sent' } });
    const slug = seller.connection.slug;
    const [again] = await harness.approvals.list(inbox.scope, { state: 'open', seller: slug, limit: 5 });
    expect(again).toMatchObject({ round: 2, reason: 'Which order?' });
    says.now = made(seller);
    expect(
      await answerApproval(harness, inbox.scope, { by: person, id: again?.id ?? '', answer }),
    ).toMatchObject({
      value: { state: 'answered' },
    });
    expect(got).toHaveLength(1);
  });
});

describe('an approval that the seller no longer waits for', () => {
  it('accepts no answer: the person gets an error, and nothing is sent', async () => {
    const { seller, id } = await asking();
    await notify(seller, 'working');
    const got: Call[] = [];
    const admin = specApprovals(startProcess(got, () => made(seller)));
    expect(await admin.answer(mayApprove(), id, answer)).toMatchObject({
      error: { code: 'CONFLICT', message: expect.stringContaining('gone on without an answer') },
    });
    expect(got).toEqual([]);
    const shown = await admin.list(mayApprove(), { seller: seller.connection.slug, state: 'moved_on' });
    expect(shown).toMatchObject([{ approval_id: id, outcome: 'working', can_answer: false }]);
  });

  it('gives the same error if it ends while a person is answering', async () => {
    const { seller, id } = await asking();
    const got: Call[] = [];
    const harness = startProcess(got, () => made(seller));
    const late: ApprovalPorts = {
      ...harness,
      approvals: {
        ...harness.approvals,
        claim: async (...of) => {
          await notify(seller, 'completed');
          return harness.approvals.claim(...of);
        },
      },
    };
    expect(await answerApproval(late, inbox.scope, { by: person, id, answer })).toMatchObject({
      error: { code: 'SELLER_MOVED_ON' },
    });
    expect(got).toEqual([]);
  });
});

describe('an approval that cannot be answered', () => {
  it('is dismissed with a person and a reason, stays dismissed, and its task is polled to its end', async () => {
    const { seller, id } = await asking({ protocol: 'mcp' });
    const got: Call[] = [];
    const admin = specApprovals(startProcess(got, () => made(seller)));
    const caller = mayApprove();
    expect(await admin.answer(caller, id, answer)).toMatchObject({ error: { code: 'CONFLICT' } });
    const reason = 'Told them by phone.';
    expect(await admin.dismiss(caller, id, reason)).toMatchObject({
      value: {
        state: 'dismissed',
        answered_by: caller.principalId,
        outcome: reason,
        closed_at: expect.any(String),
      },
    });
    expect(await admin.dismiss(caller, id, reason)).toMatchObject({ error: { code: 'CONFLICT' } });
    await notify(seller, 'input-required');
    expect(await admin.list(caller, { seller: seller.connection.slug, state: 'open' })).toEqual([]);
    await notify(seller, 'completed');
    expect(await stand(id)).toBe('dismissed');
    expect((await inbox.deps.ports.store.leg(inbox.scope, seller.legId))?.status).toBe('completed');
    expect(got).toEqual([]);
  });

  it('is not dismissed if it can be answered, nor by a caller without approve, another principal or another tenant', async () => {
    const answerable = await asking();
    const harness = startProcess([], () => 'nothing');
    const admin = specApprovals(harness);
    expect(await admin.dismiss(mayApprove(), answerable.id, 'No.')).toMatchObject({
      error: { code: 'CONFLICT', message: expect.stringContaining('can take one') },
    });
    const mute = await asking({ protocol: 'mcp' });
    for (const caller of [
      { ...mayApprove(), permissions: { sellers: ['read' as const], media_buys: ['read' as const] } },
      { ...mayApprove(), permissions: { media_buys: ['read' as const, 'approve' as const] } },
      { ...mayApprove(), organizationId: randomUUID() },
    ])
      expect(await admin.dismiss(caller, mute.id, 'No.')).toMatchObject({ error: { code: 'NOT_FOUND' } });
    expect([await stand(answerable.id), await stand(mute.id)]).toEqual(['open', 'open']);
  });
});

function mayApprove(): SpecInbox['caller'] {
  return { ...inbox.caller, permissions: { sellers: ['read'], media_buys: ['read', 'write', 'approve'] } };
}

/** People's actions on approvals, through the routes. */
function specApprovals(ports: ApprovalPorts) {
  const call = callRoutes(approvalRoutes, {
    approvalPorts: { ...ports, internal: internalApprovals(inbox.store) },
    controls: controlRequests(inbox.store),
    clock: inbox.clock,
  });
  type Caller = SpecInbox['caller'];
  return {
    answer: (by: Caller, id: string, given: object) =>
      call(by, 'answer_approval', { params: { id }, body: { answer: given } }),
    dismiss: (by: Caller, id: string, reason: string) =>
      call(by, 'dismiss_approval', { params: { id }, body: { reason } }),
    list: async (by: Caller, query: Readonly<Record<string, string>>) => {
      const listed = await call(by, 'list_approvals', { query });
      return listed.ok ? listed.value['approvals'] : listed.error;
    },
  };
}
