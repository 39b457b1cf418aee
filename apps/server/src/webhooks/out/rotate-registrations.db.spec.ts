import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { OperationDraft } from '@switchyard/buys';
import type { BuyerRegistration, CallbackSecrets } from '@switchyard/events';
import { makeOperation } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import { endBuy, makeBuy, reportDay } from '../testkit/delivered-buy.js';
import { headerOf, registrationOf } from '../testkit/outbox.js';
import { useOutboxStage } from '../testkit/outbox-stage.js';

const stage = useOutboxStage();

const inShort = (): readonly string[] =>
  stage.receiver.posts.map(({ path, json }) => {
    const { sequence_number: number, notification_type: type } = json['result'] as Record<string, unknown>;
    return `${path} ${String(number)} ${String(type)} ${JSON.stringify(json['operation_id'])}`;
  });

/** A buy confirmed by its one seller. */
async function buy(addresses: readonly Partial<BuyerRegistration>[]): Promise<OperationDraft> {
  const draft = await stage.spec.order(addresses, { sellers: ['acme'], answered: 'submitted' });
  return makeBuy(stage, draft);
}

/** An update of the buy with new addresses, stored as by the endpoint, without an answer yet. */
async function update(
  { buy: made }: OperationDraft,
  addresses: readonly Partial<BuyerRegistration>[],
): Promise<OperationDraft> {
  const drafted = makeOperation(stage.spec.scope, {
    principalId: stage.spec.principalId,
    createdAt: stage.spec.clock.now(),
    sellers: ['acme'],
  });
  const { buy: _none, ...rest } = drafted;
  const draft: OperationDraft = {
    ...rest,
    operation: { ...rest.operation, task: 'update_media_buy' },
    sellerBuys: [],
    packages: [],
  };
  const mediaBuyId = made?.id ?? '';
  const callbacks = addresses.map((address) =>
    registrationOf(draft, { buyerOperationId: 'buyers.own:2', mediaBuyId, ...address }),
  );
  await stage.spec.operations.begin(stage.spec.scope, { ...draft, callbacks });
  return draft;
}

const answer = ({ operation }: OperationDraft, status: string): Promise<void> =>
  stage.spec.operations.saveAnswer(stage.spec.scope, operation.id, { status }, stage.spec.clock.now());

const report = (draft: OperationDraft, day: number, type: 'scheduled' | 'final'): Promise<void> =>
  reportDay(stage, draft, {
    seller: 'acme',
    day,
    spend: String(day),
    packageId: 'p0',
    sequenceNumber: day,
    type,
  });

const at = (path: string): Partial<BuyerRegistration> => ({
  channel: 'report',
  url: `${stage.receiver.url}${path}`,
  frequency: 'daily',
});

describe('an update of a media buy with another reporting_webhook', () => {
  it('continues the stream from the next report after its acknowledgment', async () => {
    const made = await buy([at('/old')]);
    await report(made, 3, 'scheduled');
    await stage.spec.send(stage.dispatch);
    const changed = await update(made, [at('/new')]);
    await report(made, 4, 'scheduled');
    await stage.spec.send(stage.dispatch);
    await stage.spec.become(changed, 'completed');
    await report(made, 5, 'scheduled');
    await stage.spec.send(stage.dispatch);
    await answer(changed, 'completed');
    await endBuy(stage, made);
    await report(made, 6, 'final');
    await stage.spec.send(stage.dispatch);
    await stage.spec.send(stage.dispatch);
    expect(inShort()).toEqual([
      '/old 1 scheduled "buyers.own:1"',
      '/old 2 scheduled "buyers.own:1"',
      '/old 3 scheduled "buyers.own:1"',
      '/new 4 final "buyers.own:2"',
    ]);
  });

  it('waits for a pending update, and sends its end as for any task', async () => {
    const made = await buy([at('/old')]);
    const changed = await update(made, [at('/new'), { url: `${stage.receiver.url}/task` }]);
    await answer(changed, 'submitted');
    await report(made, 3, 'scheduled');
    await stage.spec.send(stage.dispatch);
    await stage.spec.become(changed, 'completed');
    await report(made, 4, 'scheduled');
    await stage.spec.send(stage.dispatch);
    expect(inShort().filter((line) => !line.startsWith('/task'))).toEqual([
      '/old 1 scheduled "buyers.own:1"',
      '/new 2 scheduled "buyers.own:2"',
    ]);
    expect(stage.receiver.posts.filter(({ path }) => path === '/task')).toHaveLength(1);
  });

  it('changes nothing if the update fails', async () => {
    const made = await buy([at('/old')]);
    const changed = await update(made, [at('/new')]);
    await answer(changed, 'submitted');
    await stage.spec.become(changed, 'failed');
    await report(made, 3, 'scheduled');
    await stage.spec.send(stage.dispatch);
    expect(inShort()).toEqual(['/old 1 scheduled "buyers.own:1"']);
  });

  it('opens a stream if the buy had none, with earlier delivery', async () => {
    const made = await buy([]);
    await report(made, 3, 'scheduled');
    const changed = await update(made, [at('/new')]);
    await stage.spec.become(changed, 'completed');
    await answer(changed, 'completed');
    await stage.spec.send(stage.dispatch);
    expect(inShort()).toEqual(['/new 1 scheduled "buyers.own:2"']);
  });

  it('does not reopen a stream after its final report', async () => {
    const made = await buy([at('/old')]);
    await endBuy(stage, made);
    await report(made, 3, 'final');
    await stage.spec.send(stage.dispatch);
    const changed = await update(made, [at('/new')]);
    await stage.spec.become(changed, 'completed');
    await answer(changed, 'completed');
    stage.spec.clock.advance(86_400_000);
    await stage.spec.send(stage.dispatch);
    expect(inShort()).toEqual(['/old 1 final "buyers.own:1"']);
  });

  it('sends the final report only after earlier reports to the old address have ended', async () => {
    const made = await buy([at('/old')]);
    stage.receiver.answer = ({ path }) => ({ status: path === '/old' ? 503 : 200 });
    await report(made, 3, 'scheduled');
    await stage.spec.send(stage.dispatch);
    const changed = await update(made, [at('/new')]);
    await stage.spec.become(changed, 'completed');
    await answer(changed, 'completed');
    await endBuy(stage, made);
    await report(made, 4, 'final');
    await stage.spec.send(stage.dispatch);
    expect(inShort().filter((line) => line.startsWith('/new'))).toEqual([]);
    stage.receiver.answer = () => ({ status: 200 });
    stage.spec.clock.advance(60_000);
    await stage.spec.send(stage.dispatch);
    await stage.spec.send(stage.dispatch);
    expect(inShort().at(-1)).toBe('/new 2 final "buyers.own:2"');
  });

  it('changes the token or the proof from the next report on, and not for written ones', async () => {
    const seal = async (secrets: CallbackSecrets): Promise<{ readonly credentialId: string }> => {
      const credentialId = await stage.spec.callbacks.seal(stage.spec.scope, secrets, stage.receiver.url);
      if (credentialId === undefined) throw new Error('The vault seals.');
      return { credentialId };
    };
    const secret = 'Uq2vT8xLr5Zk1Wm9Jd4Hs7Gb3Nf6Py0C';
    const made = await buy([{ ...at('/in'), ...(await seal({ token: 'the-first-token-of-all' })) }]);
    stage.receiver.answer = () => ({ status: 503 });
    await report(made, 3, 'scheduled');
    await stage.spec.send(stage.dispatch);
    const renewed = await update(made, [
      { ...at('/in'), ...(await seal({ token: 'the-second-token-of-all' })) },
    ]);
    await stage.spec.become(renewed, 'completed');
    await answer(renewed, 'completed');
    stage.receiver.answer = () => ({ status: 200 });
    await report(made, 4, 'scheduled');
    stage.spec.clock.advance(5_000);
    await stage.spec.send(stage.dispatch);
    await stage.spec.send(stage.dispatch);
    const older = await update(made, [
      { ...at('/in'), mode: 'hmac-sha256', ...(await seal({ credentials: secret })) },
    ]);
    await stage.spec.become(older, 'completed');
    await answer(older, 'completed');
    await report(made, 5, 'scheduled');
    await stage.spec.send(stage.dispatch);
    const seen = stage.receiver.posts.map((post) => [
      (post.json['result'] as JsonObject)['sequence_number'],
      post.json['token'],
      headerOf(post, 'signature-input') === undefined ? 'hmac' : 'signed',
    ]);
    // Two registrations are two streams, without an order between them.
    expect(seen.sort(([item], [other]) => Number(item) - Number(other))).toEqual([
      [1, 'the-first-token-of-all', 'signed'],
      [1, 'the-first-token-of-all', 'signed'],
      [2, 'the-second-token-of-all', 'signed'],
      [3, undefined, 'hmac'],
    ]);
    const last = stage.receiver.posts.find((post) => headerOf(post, 'x-adcp-signature') !== undefined);
    const stamp = headerOf(last, 'x-adcp-timestamp') ?? '';
    const digest = createHmac('sha256', secret)
      .update(`${stamp}.`)
      .update(last?.body ?? '')
      .digest('hex');
    expect(headerOf(last, 'x-adcp-signature')).toBe(`sha256=${digest}`);
  });

  it('continues its numbers in a new process', async () => {
    const made = await buy([at('/in')]);
    await report(made, 3, 'scheduled');
    await stage.spec.send(stage.dispatch);
    await stage.dispatch.stop();
    stage.dispatch = stage.spec.dispatch();
    await stage.spec.send(stage.dispatch);
    await report(made, 4, 'scheduled');
    await stage.spec.send(stage.dispatch);
    expect(inShort().map((line) => line.split(' ').slice(1, 3).join(' '))).toEqual([
      '1 scheduled',
      '2 scheduled',
    ]);
  });
});
