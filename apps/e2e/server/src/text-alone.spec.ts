import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buyRequest, Catalogue, type Json } from './harness/buy-request.js';
import { dataFolder } from './harness/data-folder.js';
import { callTask, type EndpointName } from './harness/call-task.js';
import type { Instance } from './harness/instance.js';
import { openOrganization } from './harness/shared-instance.js';

const folder = dataFolder();
let instance: Instance;

beforeAll(async () => {
  instance = await openOrganization(folder.path, ['prompt', 'courier', 'signals-now']);
  await Catalogue.read(instance, 3);
});

afterAll(async () => {
  await instance.stop();
  await folder.remove();
});

interface Shown {
  readonly result?: {
    readonly content?: readonly { readonly text: string }[];
    readonly status?: { readonly message?: { readonly parts: readonly { readonly text?: string }[] } };
  };
}

/** Returns what a model sees that is shown texts alone. */
async function textOf(endpoint: EndpointName, task: string, args: Json): Promise<string> {
  const { text } = await callTask(endpoint, instance, task, args);
  const { result } = JSON.parse(text) as Shown;
  const parts = endpoint === 'MCP' ? result?.content : result?.status?.message?.parts;
  return (parts ?? []).map((part) => part.text ?? '').join('\n');
}

function found(text: string, pattern: RegExp): readonly string[] {
  const match = pattern.exec(text);
  if (match === null) throw new Error(`${String(pattern)} is not in:\n${text}`);
  return match.slice(1);
}

const asked = {
  adcp_version: '3.1',
  buying_mode: 'brief',
  brief: 'everything there is',
  brand: { domain: 'roaster.example' },
};

describe.each(['MCP', 'A2A'] as const)('a model that sees only the texts of answers over %s', (endpoint) => {
  it('buys a product by its id, its price and its format, and follows the buy to its figures', async () => {
    const products = await textOf(endpoint, 'get_products', asked);
    const [product, format, agent] = found(
      products,
      /^- (prompt:[^,]+),.*formats (\S+) of (\S+?)(?: and .*)?$/m,
    );
    const [option, amount] = found(
      products.slice(products.indexOf(`- ${product}`)),
      /^ {2}price: ([^,]+), cpm, (\d+(?:\.\d+)?) USD/m,
    );
    expect(Number(amount)).toBeGreaterThan(0);
    const asset = { asset_type: 'image', url: 'https://cdn.roaster.example/1.png', width: 300, height: 250 };
    const creative = {
      creative_id: `cr_${randomUUID()}`,
      name: 'One',
      format_id: { agent_url: agent, id: format },
      assets: { main: asset },
    };
    const bought = await textOf(
      endpoint,
      'create_media_buy',
      buyRequest([{ product_id: product, pricing_option_id: option, budget: 1000, creatives: [creative] }]),
    );
    const [buy] = found(bought, /^media_buy_id: (\S+)$/m);
    const [pack] = found(bought, /^- (prompt:[^,]+),.*budget 1000 USD/m);
    const named = { adcp_version: '3.1', account: buyRequest([])['account'], media_buy_ids: [buy] };
    const shown = await textOf(endpoint, 'get_media_buys', named);
    expect(shown).toContain(`- ${buy}`);
    expect(shown).toMatch(new RegExp(`^ {2}packages: ${pack}.*budget 1000 USD`, 'm'));
    expect(await textOf(endpoint, 'get_media_buy_delivery', named)).toMatch(
      new RegExp(`^- ${buy}, .*impressions \\d+.*spend [\\d.]+ USD`, 'm'),
    );
    const creatives = await textOf(endpoint, 'list_creatives', { adcp_version: '3.1' });
    expect(creatives).toMatch(
      new RegExp(`^- ${creative.creative_id}, One, \\w+.* formats ${format} of`, 'm'),
    );
  });

  it('reads the rest of a long answer by the cursor in the text', async () => {
    const page = { ...asked, pagination: { max_results: 2 } };
    const seen: string[] = [];
    let text = await textOf(endpoint, 'get_products', page);
    const total = Number(found(text, /\((\d+) items in all\)/)[0]);
    for (let turn = 0; turn < 50; turn += 1) {
      const [listed] = found(text, /^products: \d+\n((?:- .*\n| {2}.*\n)*)/m);
      seen.push(...(listed ?? '').split('\n').filter((line) => line.startsWith('- ')));
      const cursor = /pagination\.cursor "([^"]+)"/.exec(text)?.[1];
      if (cursor === undefined) break;
      text = await textOf(endpoint, 'get_products', { ...page, pagination: { max_results: 2, cursor } });
    }
    expect([seen.length, new Set(seen).size]).toEqual([total, total]);
    expect(total).toBeGreaterThan(4);
  });

  it('sees what a signal costs and which key is live, and activates it', async () => {
    const at = { type: 'platform', platform: 'dsp' };
    const asking = { signal_spec: 'sports fans', deliver_to: { deployments: [at], countries: ['US'] } };
    const signals = await textOf(endpoint, 'get_signals', asking);
    const [signal] = found(signals, /^- ([\w-]+:[^,]+), [^\n]+\n {2}price: (?:\S+, )?cpm, [\d.]+ USD$/m);
    const activated = await textOf(endpoint, 'activate_signal', {
      signal_agent_segment_id: signal,
      deployments: [at],
    });
    expect(activated).toMatch(/deployments: 1\n- .*platform dsp/);
  });
});
