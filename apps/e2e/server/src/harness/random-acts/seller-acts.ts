import { buyRequest } from '../buy-request.js';
import { boughtAs, drawBuyFor } from './buys-acts.js';
import { NothingToDo, somebodyWho, textIn, type Act, type ActKind, type Stage } from './stage.js';

/** Sellers act by themselves, so an act of theirs is nobody's; its `by` says in whose organization. */
async function tellSeller(stage: Stage, scenario: string, params: object): Promise<boolean> {
  const agent = stage.of.market.agents.find(({ slug }) => slug === 'prompt');
  if (agent === undefined) throw new Error('The market has no seller with a test controller.');
  const answer = await fetch(agent.agent_url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${agent.token}`,
    },
    body: JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name: 'comply_test_controller', arguments: { scenario, params } },
    }),
  });
  return (await answer.text()).includes('"success":true');
}

/** The buy of `prompt` in a buy of ours, with what was agreed there. */
async function partAtPrompt(stage: Stage, act: Act) {
  const { buy } = boughtAs(stage, textIn(act, 'buy'));
  const [row] = await stage.of.view.rows<{ readonly id: string; readonly budget: string }>(
    `select s.seller_media_buy_id as id, sum(p.budget_micros)::text as budget from seller_buy s
     join buy_package p on p.media_buy_id = s.media_buy_id and p.seller = s.seller
     where s.media_buy_id = $1 and s.seller = 'prompt' and s.seller_media_buy_id is not null group by 1`,
    [buy.id],
  );
  if (row === undefined) throw new NothingToDo();
  return row;
}

const ofSeller = (
  name: string,
  weight: number,
  more: Readonly<Record<string, readonly number[]>>,
  play: (stage: Stage, act: Act) => Promise<void>,
): ActKind => ({
  name,
  weight,
  draw: (stage, random) => {
    const drawn = drawBuyFor(stage, random, 'media_buys.write', ({ sellers }) => sellers.includes('prompt'));
    const values = Object.entries(more).map(([member, all]) => [member, random.pick(all)] as const);
    return drawn && { act: name, ...drawn, ...Object.fromEntries(values) };
  },
  play,
});

/** The seller spends, and says so only in its next report. */
const deliver = ofSeller('deliver', 9, { percent: [40, 90, 100, 110] }, async (stage, act) => {
  const { id, budget } = await partAtPrompt(stage, act);
  const amount = (Number(BigInt(budget) / 1_000_000n) * Number(act['percent'])) / 100;
  await tellSeller(stage, 'simulate_delivery', {
    ...{ media_buy_id: id, impressions: 1_000, reported_spend: { amount, currency: 'USD' } },
  });
});

/** The seller ends the buy as delivered: it is over, and its final figures are asked for. */
const complete = ofSeller('complete', 2, {}, async (stage, act) => {
  const { id } = await partAtPrompt(stage, act);
  await tellSeller(stage, 'force_media_buy_status', { media_buy_id: id, status: 'completed' });
});

/** The next time to ask the sellers of a buy comes. */
const poll = ofSeller('poll', 4, {}, async (stage, act) => {
  const { buy } = boughtAs(stage, textIn(act, 'buy'));
  await stage.of.nudge(
    `update report_watch set due_at = now() where due_at is not null
       and seller_buy_id in (select id from seller_buy where media_buy_id = $1)`,
    [buy.id],
  );
});

/** The next buy at the seller is refused. */
const refuseNext = ofSeller('refuse next', 2, {}, async (stage) => {
  await tellSeller(stage, 'force_create_media_buy_arm', { arm: 'input-required', message: 'Not now.' });
});

/** An invoice of the seller for the buy, for less or more than was delivered. */
const invoice: ActKind = {
  name: 'import invoice',
  weight: 3,
  draw: (stage, random, label) => {
    const drawn = drawBuyFor(stage, random, 'ledger.write', ({ sellers }) => sellers.includes('prompt'));
    return drawn && { act: 'import invoice', ...drawn, number: label, amount: random.pick([100, 500, 1100]) };
  },
  play: async (stage, act) => {
    const actor = stage.actor(act.by);
    const { org, buy } = boughtAs(stage, textIn(act, 'buy'));
    const day = new Date().toISOString().slice(0, 10);
    const lines = [{ media_buy_id: buy.id, amount: String(act['amount']) }];
    const answer = await stage.request(actor, 'POST', '/v1/invoices/import', {
      seller: 'prompt',
      file: { name: 'invoice.json', text: JSON.stringify(lines) },
      defaults: { invoice_number: textIn(act, 'number'), issued_on: day, currency: 'USD' },
    });
    if (!answer.isDone) return;
    if (actor.program?.areas.includes('ledger') === false)
      stage.violate('program', `The program ${actor.label} imported an invoice without ledger:write.`);
    if (!stage.orgOf(actor).hasAnywhere(actor.principalId, 'ledger.write'))
      stage.violate('scope', `${actor.label} imported an invoice without ledger.write.`);
    if (org !== stage.orgOf(actor) && answer.text.includes(buy.id) && answer.text.includes('matched'))
      stage.violate('scope', `${actor.label} matched an invoice with a buy of another organization.`);
  },
};

/** A plan says what a buy would do, and changes nothing. */
const preview: ActKind = {
  name: 'preview buy',
  weight: 2,
  draw: (stage, random) => {
    const actor = somebodyWho(stage, random, 'media_buys.write');
    const brand = random.pick([...stage.orgOf(actor).clientOfBrand.keys()]);
    return { act: 'preview buy', by: actor.label, brand, budget: random.pick([500, 4000]) };
  },
  play: async (stage, act) => {
    const actor = stage.actor(act.by);
    const domain = textIn(act, 'brand');
    const wanted = stage.catalogueOf(actor).packageOf('prompt', { budget: act['budget'] });
    await stage.request(actor, 'POST', '/v1/buys/dry-run', {
      ...buyRequest([wanted], {
        account: { brand: { domain }, operator: stage.orgOf(actor).domain },
        brand: { domain },
      }),
    });
  },
};

export const sellerActs: readonly ActKind[] = [deliver, complete, poll, refuseNext, invoice, preview];
