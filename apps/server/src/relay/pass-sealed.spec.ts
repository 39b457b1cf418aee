import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { createMediaBuy, getMediaBuys, getProducts } from '@switchyard/protocol';
import { makeOperation, openBuyingHarness } from '@switchyard/testing';
import { err, ok } from '@switchyard/values';
import type { Ended } from '@switchyard/relay';
import type { SealedCallIn } from './relay.js';
import type { Admitted } from './admission/admit-sealed.js';
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
  const queried: string[] = [];
  const unexpected: string[] = [];
  const background: Promise<unknown>[] = [];
  const deps = {
    clock: harness.clock,
    lanes: {
      lane: () =>
        Promise.resolve(ok({ url: connection.agentUrl, headers: {}, forgetSession: () => undefined })),
    },
    egress: {
      post: () => Promise.resolve(ok({ status: 200, headers: { 'content-type': 'application/json' }, body })),
    },
    deferredAnswers: { add: (_bytes: number, work: () => Promise<void>) => void background.push(work()) },
    changes: {
      ...createChangesUnderWay(),
      add: (_of: object, recorded: Promise<unknown>) => void background.push(recorded),
    },
    custody: { ended: () => undefined },
    quotes: { gather: () => undefined },
    relearn: ({ organizationId }: { organizationId: string }, { slug }: { slug: string }) => {
      queried.push(`${organizationId === harness.scope.organizationId ? 'own' : 'other'} ${slug}`);
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
  const answer = await passSealed(deps, call, admitted);
  await new Promise(setImmediate);
  await Promise.all(background);
  await new Promise(setImmediate);
  return { answer, body, queried, unexpected };
}

const refusal = (code: string) => ({ errors: [{ code, message: 'Not here.' }] });

describe('a seller that refuses sealed bytes because its stored capabilities are outdated', () => {
  it.each<[string, Spec, string]>([
    ['a change, for its release,', createMediaBuy, 'VERSION_UNSUPPORTED'],
    ['a change, for its features,', createMediaBuy, 'UNSUPPORTED_FEATURE'],
    ['a read of products', getProducts, 'VERSION_UNSUPPORTED'],
    ['another read', getMediaBuys, 'VERSION_UNSUPPORTED'],
  ])('of %s is queried again, and the brand gets its answer unchanged', async (_what, spec, code) => {
    const { answer, body, queried } = await passed(spec, refusal(code));
    expect(answer).toMatchObject({ kind: 'passed', status: 200, body });
    expect(queried).toEqual(['own acme']);
  });

  it('is reported as unexpected if it cannot be queried', async () => {
    const unreachable = () => Promise.reject(new Error('unreachable'));
    const { unexpected } = await passed(createMediaBuy, refusal('VERSION_UNSUPPORTED'), unreachable);
    expect(unexpected).toEqual(['refreshing the capabilities of acme after a sealed request']);
  });

  it('is not queried if it refuses for another reason, or only mentions the code', async () => {
    expect((await passed(createMediaBuy, refusal('BUDGET_TOO_LOW'))).queried).toEqual([]);
    expect((await passed(getMediaBuys, { media_buys: [], note: 'VERSION_UNSUPPORTED' })).queried).toEqual([]);
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
      const deps = {
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
      await passSealed(deps, call, admitted);
      await apply?.(store);
      expect((await store.leg(scope, made?.id ?? ''))?.status).toBe(delivered === 'no' ? 'failed' : 'sent');
    },
  );
});
