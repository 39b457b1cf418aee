import { createEgress } from '@switchyard/egress';
import { microsOf, microsToDecimal } from '@switchyard/money';
import { parseStrictJson, type JsonObject } from '@switchyard/values';
import { table } from '../table.js';
import type { PlayedBuy } from './buy-step.js';
import { notTrue } from './campaign-failure.js';
import { objectsOf, textOf } from './json-reading.js';
import type { Campaign } from './campaign.js';
import type { SandboxAgent } from './sandbox-process.js';
import { verifiedLedger } from './verify-only.js';
import { waitFor } from './wait-for.js';

/** Reads the ledger: it is intact, and equals the sellers' own books to the micro. */
export async function ledgerStep(campaign: Campaign, buy: PlayedBuy): Promise<void> {
  const { client, story, deps, agents } = campaign;
  story.step('The ledger adds up');
  const settled = await waitFor(
    async () => {
      const rows = await compare(campaign, buy);
      return rows.every((row) => row.ours === row.theirs) ? rows : undefined;
    },
    60_000,
    500,
  );
  const rows = settled ?? (await compare(campaign, buy));
  const named = new Map(agents.map((agent) => [agent.slug, agent.name]));
  story.block(
    table(
      deps,
      ['Seller', 'Our ledger', "The seller's own books", ''],
      rows.map((row) => [
        named.get(row.seller) ?? row.seller,
        `${microsToDecimal(row.ours)} ${row.currency}`,
        `${microsToDecimal(row.theirs)} ${row.currency}`,
        row.ours === row.theirs ? 'equal' : 'DIFFERENT',
      ]),
    ),
  );
  if (settled === undefined) notTrue("The ledger and the sellers' own books differ.");
  const { entries, head } = await verifiedLedger(client);
  story.line(`Verified: ${entries} entries, each balanced, chained to head ${head}….`);
}

interface Compared {
  readonly seller: string;
  readonly currency: string;
  readonly ours: bigint;
  readonly theirs: bigint;
}

async function compare({ client, agents }: Campaign, buy: PlayedBuy): Promise<readonly Compared[]> {
  const spend = await client.get('/v1/ledger/spend');
  if (!spend.ok) notTrue(spend.error.message);
  const ours = objectsOf(spend.value['spend']);
  return Promise.all(
    buy.sellers.map(async (seller) => {
      const row = ours.find((each) => each['seller'] === seller);
      const agent = agents.find((each) => each.slug === seller);
      const theirs = agent === undefined ? [] : await booksOf(agent);
      return {
        seller,
        currency: textOf(row?.['currency']) || 'USD',
        ours: microsOf(textOf(row?.['spend']) || '0'),
        theirs: theirs.reduce((sum, each) => sum + BigInt(textOf(each['spend_micros']) || '0'), 0n),
      };
    }),
  );
}

/** The seller's own books, which are not part of the protocol and only serve this check. */
async function booksOf(agent: SandboxAgent): Promise<readonly JsonObject[]> {
  const egress = createEgress({ allowLoopback: true });
  try {
    const got = await egress.request({
      method: 'GET',
      url: agent.booksUrl,
      maxBytes: 8 * 1024 * 1024,
      timeoutMs: 5_000,
    });
    const parsed = got.ok ? parseStrictJson(got.value.body) : undefined;
    return parsed?.ok === true ? objectsOf(parsed.value.value) : [];
  } finally {
    await egress.close();
  }
}
