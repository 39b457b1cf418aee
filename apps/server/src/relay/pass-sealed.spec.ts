import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { createMediaBuy, getMediaBuys, getProducts } from '@switchyard/protocol';
import { makeOperation, openBuyingHarness } from '@switchyard/testing';
import { err, ok } from '@switchyard/values';
import type { Ended } from '@switchyard/relay';
import type { SealedCallIn } from '../tasks/ports/relay.js';
import type { Admitted } from './admit-sealed.js';
import { createChangesUnderWay } from './changes-under-way.js';
import { passSealed } from './pass-sealed.js';
import type { RelayDeps } from './relay-deps.js';

type Spec = Admitted['request']['call']['spec'];

/** Forwards a request to a seller with this answer. Returns the sellers queried again, and unexpected errors. */
async function passed(spec: Spec, payload: object, relearn = () => Promise.resolve(undefined)) {
  const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
  const connection = harness.connection('acme');
  const result = { content: [], structuredContent: payload };
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, result }));
  const asked: string[] = [];
  const unexpected: string[] = [];
  const behind: Promise<unknown>[] = [];
  const parts = {
    clock: harness.clock,
    lanes: {
      lane: () =>
        Promise.resolve(ok({ url: connection.agentUrl, headers: {}, forgetSession: () => undefined })),
    },
    egress: {
      post: () => Promise.resolve(ok({ status: 200, headers: { 'content-type': 'application/json' }, body })),
    },
    notes: { add: (_bytes: number, note: () => Promise<void>) => void behind.push(note()) },
    changes: {
      ...createChangesUnderWay(),
      add: (_of: object, noted: Promise<unknown>) => void behind.push(noted),
    },
    custody: { ended: () => undefined },
    quotes: { keep: () => undefined },
    relearn: ({ organizationId }: { organizationId: string }, { slug }: { slug: string }) => {
      asked.push(`${organizationId === harness.scope.organizationId ? 'ours' : 'theirs'} ${slug}`);
      return relearn();
    },
    onUnexpected: (_error: unknown, where: string) => unexpected.push(where),
  } as unknown as RelayDeps;
  const caller = { organizationId: harness.scope.organizationId, principalId: harness.principalId };
  const call = { caller, protocol: 'mcp', body: Buffer.from('{}') } as unknown as SealedCallIn;
  const admitted = {
    connection,
    secrets: {},
    record: { id: 'the-record', arrived: { at: 0 } },
    request: { headers: { forwarded: {} }, call: { rpcId: 1, spec } },
  } as unknown as Admitted;
  const answer = await passSealed(parts, call, admitted);
  await new Promise(setImmediate);
  await Promise.all(behind);
  await new Promise(setImmediate);
  return { answer, body, asked, unexpected };
}

const refusal = (code: string) => ({ errors: [{ code, message: 'Not here.' }] });

describe('a seller that refuses sealed bytes because our capabilities of it are outdated', () => {
  it.each<[string, Spec, string]>([
    ['a change, for its release,', createMediaBuy, 'VERSION_UNSUPPORTED'],
    ['a change, for its features,', createMediaBuy, 'UNSUPPORTED_FEATURE'],
    ['a question for products', getProducts, 'VERSION_UNSUPPORTED'],
    ['any other question', getMediaBuys, 'VERSION_UNSUPPORTED'],
  ])('of %s is asked anew, and the brand has its answer as it came', async (_what, spec, code) => {
    const { answer, body, asked } = await passed(spec, refusal(code));
    expect(answer).toMatchObject({ kind: 'passed', status: 200, body });
    expect(asked).toEqual(['ours acme']);
  });

  it('is reported as unexpected if it cannot be queried', async () => {
    const away = () => Promise.reject(new Error('away'));
    const { unexpected } = await passed(createMediaBuy, refusal('VERSION_UNSUPPORTED'), away);
    expect(unexpected).toEqual(['a look at the seller acme after a sealed request']);
  });

  it('is not queried if it refuses for another reason, or only mentions the code', async () => {
    expect((await passed(createMediaBuy, refusal('BUDGET_TOO_LOW'))).asked).toEqual([]);
    expect((await passed(getMediaBuys, { media_buys: [], note: 'VERSION_UNSUPPORTED' })).asked).toEqual([]);
  });
});

describe('a sealed change without an answer', () => {
  it.each(['no', 'maybe'] as const)(
    'ends its leg as failed only if it was never delivered: delivered %s',
    async (delivered) => {
      const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
      const { scope, store, clock, principalId } = harness;
      const connection = harness.connection('acme');
      const connectionIds = { acme: connection.id };
      const draft = makeOperation(scope, { principalId, sellers: ['acme'], connectionIds });
      await store.begin(scope, draft);
      const [made] = draft.legs;
      const leg = await store.takeLeg(scope, made?.id ?? '', clock.now(), clock.now() + 60_000);
      let apply: Ended['apply'];
      const parts = {
        clock,
        store,
        notice: () => undefined,
        lanes: { lane: () => Promise.resolve(ok({ url: connection.agentUrl, headers: {} })) },
        egress: {
          post: () =>
            Promise.resolve(
              err({ code: delivered === 'no' ? 'unreachable' : 'interrupted', delivered, message: 'Away.' }),
            ),
        },
        custody: { ended: (_scope: unknown, ended: Ended) => void (apply = ended.apply) },
      } as unknown as RelayDeps;
      const call = {
        caller: { organizationId: scope.organizationId, principalId },
        protocol: 'mcp',
        body: Buffer.from('{}'),
      } as unknown as SealedCallIn;
      const admitted = {
        connection,
        secrets: {},
        leg,
        record: { id: 'the-record', arrived: { at: 0 } },
        request: { headers: { forwarded: {} }, call: { rpcId: 1, spec: createMediaBuy } },
      } as unknown as Admitted;
      await passSealed(parts, call, admitted);
      await apply?.(store);
      expect((await store.leg(scope, made?.id ?? ''))?.status).toBe(delivered === 'no' ? 'failed' : 'sent');
    },
  );
});
