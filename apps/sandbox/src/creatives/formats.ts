import type { Agent } from '../agent/agent.js';
import type { CatalogueProduct } from '../buys/catalogue.js';
import { textOf, type JsonObject } from '../json.js';
import type { FormatType } from './format-type.js';
import type { SeededFormat } from './seeded-format.js';

/** Formats belong to one creative agent of the market, so one creative fits every seller that accepts its format. */
export const creativeAgentUrl = 'https://creatives.market.example';

interface Format {
  readonly id: string;
  readonly name: string;
  readonly type: FormatType;
  readonly size?: { readonly width: number; readonly height: number };
}

const formats: readonly Format[] = [
  { id: 'display_300x250', name: 'Medium rectangle', type: 'display', size: { width: 300, height: 250 } },
  { id: 'display_728x90', name: 'Leaderboard', type: 'display', size: { width: 728, height: 90 } },
  { id: 'video_15s', name: 'Video, 15 seconds', type: 'video' },
  { id: 'video_30s', name: 'Video, 30 seconds', type: 'video' },
  { id: 'audio_30s', name: 'Audio, 30 seconds', type: 'audio' },
];

export function formatId(id: string): JsonObject {
  return { agent_url: creativeAgentUrl, id };
}

/** A format as an option of a product of release 3.1: the kind that it narrows, and the older format that it is. */
export function formatOption(id: string): JsonObject {
  const found = formats.find((format) => format.id === id);
  const option = { format_option_id: id, display_name: found?.name ?? id, v1_format_ref: [formatId(id)] };
  if (found?.size !== undefined) return { ...option, format_kind: 'image', params: { ...found.size } };
  const seconds = Number(/(\d+)s$/.exec(id)?.[1] ?? 30);
  const kind = found?.type === 'audio' ? 'audio_hosted' : 'video_hosted';
  return { ...option, format_kind: kind, params: { duration_ms_exact: seconds * 1_000 } };
}

/** The formats of this seller's products, limited to the requested types and ids. */
export function showFormats(
  agent: Pick<Agent, 'products' | 'books'>,
  types?: readonly string[],
  named?: readonly string[],
): JsonObject[] {
  const sold = new Set(agent.products.flatMap((product) => product.formatIds));
  const own = formats
    .filter(({ id }) => sold.has(id))
    .map((format): SeededFormat & Pick<Format, 'size'> => ({ ...format, agentUrl: creativeAgentUrl }));
  return [...own, ...agent.books.formats.values()]
    .filter(({ type }) => types === undefined || types.includes(type))
    .filter(({ id }) => named === undefined || named.includes(id))
    .map(showFormat);
}

/** True if the library accepts a creative in this format: one of the products' own, or a seeded one. */
export function takesFormat(agent: Pick<Agent, 'products' | 'books'>, formatId: JsonObject): boolean {
  return agent.products.some((product) => productTakes(agent, product, formatId));
}

/** True if a product accepts a creative in this format: one of its own, or a seeded one. */
export function productTakes(
  agent: Pick<Agent, 'books'>,
  product: Pick<CatalogueProduct, 'formatIds'>,
  formatId: JsonObject,
): boolean {
  const id = textOf(formatId['id']) ?? '';
  const agentUrl = textOf(formatId['agent_url'])?.replace(/\/$/, '') ?? '';
  if (agent.books.formats.has(`${agentUrl} ${id}`)) return true;
  return agentUrl === creativeAgentUrl && product.formatIds.includes(id);
}

function showFormat({ agentUrl, id, name, type, size }: SeededFormat & Pick<Format, 'size'>): JsonObject {
  return {
    format_id: { agent_url: agentUrl, id },
    name,
    type,
    description: `${name}, hosted by the buyer.`,
    ...(size ? { renders: [{ role: 'primary', dimensions: { ...size, unit: 'px' } }] } : {}),
    assets: [
      {
        item_type: 'individual',
        asset_id: 'main',
        asset_type: type === 'display' ? 'image' : type,
        asset_role: 'main',
        required: true,
        requirements: {},
      },
    ],
  };
}
