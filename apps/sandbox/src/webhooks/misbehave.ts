import type { Agent } from '../agent/agent.js';
import type { Tool } from '../agent/tool.js';
import type { Json, JsonObject } from '../json.js';

/** What happens to a call before its task runs. */
type Misbehaviour = 'answer' | 'fail' | 'hang' | 'garble' | 'lose';

/**
 * `count` is the number of calls other than capabilities in this process, this one included; `isFirst` is whether this
 * call's key is new.
 */
export function misbehaviourOf(agent: Agent, tool: Tool, count: number, isFirst: boolean): Misbehaviour {
  if (tool.name === agent.names.capabilitiesTask) return 'answer';
  switch (agent.personality.misbehaviour) {
    case 'none':
      return 'answer';
    case 'flapping':
      return count % 3 === 0 ? 'fail' : 'answer';
    case 'hanging':
      return 'hang';
    case 'malformed':
      return 'garble';
    case 'losing':
      return tool.mutates && isFirst ? 'lose' : 'answer';
  }
}

/** A malformed answer: some JSON, or text that is not JSON. */
type Garbled = { readonly body: JsonObject } | { readonly text: string };

/**
 * Makes an answer malformed, in another way each time. The first way leaves one valid item among invalid ones, so that
 * a reader that sets invalid items aside still gets something.
 */
export function garble(tool: string, body: JsonObject, count: number): Garbled {
  const list = Object.entries(body).find(([, value]) => Array.isArray(value));
  const items: readonly Json[] = list && Array.isArray(list[1]) ? list[1] : [];
  const name = list?.[0] ?? 'products';
  switch (count % 5) {
    case 1:
      return { body: { ...body, [name]: [...items.slice(0, 1), ...badItems(items[1] ?? items[0])] } };
    case 2:
      return { text: '<html><body>502 from the answer factory</body></html>' };
    case 3:
      return { body: { ...body, [name]: 'as discussed' } };
    case 4:
      return { body: lie(tool) };
    default:
      return { text: '{"products": [{"product_id": "cut_off' };
  }
}

function badItems(item: Json | undefined): Json[] {
  const good = typeof item === 'object' && item !== null && !Array.isArray(item) ? item : {};
  return [
    null,
    42,
    'a product, honestly',
    {},
    { ...good, product_id: 7, signal_agent_segment_id: 7, media_buy_id: 7 },
    { ...good, product_id: 'no_price', pricing_options: [] },
    {
      ...good,
      product_id: 'odd_price',
      pricing_options: [{ pricing_option_id: 'x', pricing_model: 'cpm', fixed_price: '12' }],
    },
    {
      ...good,
      product_id: 'negative',
      pricing_options: [{ pricing_option_id: 'x', pricing_model: 'cpm', currency: 'USD', fixed_price: -3 }],
    },
    { ...good, product_id: 'x'.repeat(5000), name: ['not', 'a', 'name'] },
  ];
}

/** Well formed and untrue: an empty success, another caller's task, a buy that was never made. */
function lie(tool: string): JsonObject {
  if (tool === 'create_media_buy')
    return { status: 'completed', media_buy_id: 'mb_of_somebody_else', packages: [] };
  return { status: 'completed', task_id: 'task_of_somebody_else', products: [], media_buys: [], formats: [] };
}
