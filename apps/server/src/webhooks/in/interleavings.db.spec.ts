import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateSigningKey, type SigningKey } from '@switchyard/signing';
import { specInbox, type SpecInbox, type SpecSeller } from '../testkit/inbox.js';
import { playStory, type StoryStage } from '../testkit/story.js';

/**
 * The stories of `interleavings.spec.ts` on PostgreSQL: every webhook is signed, posted over HTTP to the real endpoints,
 * and applied by the real workers.
 */
let inbox: SpecInbox;
let sellers: readonly SpecSeller[];
let stage: StoryStage;

beforeAll(async () => {
  inbox = await specInbox();
  sellers = [await inbox.seller(), await inbox.seller(), await inbox.seller()];
  const keys = new Map<string, SigningKey>(sellers.map((seller) => [seller.connection.id, seller.key]));
  stage = {
    parts: inbox.deps,
    scope: inbox.scope,
    clock: inbox.clock,
    answerWith: (answers) => inbox.answerWith(answers),
    fire: async (deal, { channel, body }) => {
      const seller = sellers.find(({ connection }) => connection.id === deal.connection.id);
      if (seller === undefined) throw new Error('It is one of the three.');
      const answer = await inbox.post(seller, body, {
        address: channel === 'report' ? deal.reportAddress : deal.taskAddress,
        key: keys.get(deal.connection.id) ?? generateSigningKey('none'),
      });
      expect([body, answer.status]).toEqual([body, 200]);
    },
  };
});
afterAll(() => inbox.close());

const first = Number(process.env['STORY_SEED'] ?? 20_261_121);
const count = 24;

describe('one buy over three sellers, in PostgreSQL', () => {
  it('ends in the state of its sellers, by whichever channel, with repeated, late and lost messages', async () => {
    for (let seed = first; seed < first + count; seed += 1) {
      const { got, wanted, script } = await playStory(
        seed,
        stage,
        sellers.map(({ connection }) => connection),
      );
      expect({ seed, script, ...got }).toEqual({ seed, script, ...wanted });
    }
    expect(await inbox.deps.ledger.verify(inbox.scope)).toMatchObject({ ok: true });
  }, 300_000);
});
