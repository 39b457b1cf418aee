import type { JsonObject } from './json.js';

/** Formats belong to one creative agent of the market, so one creative fits every seller that takes its format. */
export const creativeAgentUrl = 'https://creatives.market.example';

interface Format {
  readonly id: string;
  readonly name: string;
  readonly type: 'display' | 'video' | 'audio';
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

/** The formats with these ids, of these types where types are asked for. */
export function showFormats(ids: ReadonlySet<string>, types: readonly string[] | undefined): JsonObject[] {
  return formats
    .filter((format) => ids.has(format.id) && (types === undefined || types.includes(format.type)))
    .map(({ id, name, type, size }) => ({
      format_id: formatId(id),
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
    }));
}
