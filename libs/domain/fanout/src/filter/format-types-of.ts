import { isSameFormat, type Product } from '@switchyard/protocol';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';

/** The type of each kind of 3.1 that is of one type, whatever a product makes of it. */
const typeOfKind: Readonly<Record<string, string>> = {
  image: 'display',
  html5: 'display',
  display_tag: 'display',
  image_carousel: 'display',
  video_hosted: 'video',
  video_vast: 'video',
  audio_hosted: 'audio',
  audio_daast: 'audio',
  native_in_feed: 'native',
};

/** A format of this type can be any of the others. */
export const anyType = 'universal';

/** The protocol's own creative agent names its formats by their type; the universal ones are of any. */
const standardAgent = 'https://creative.adcontextprotocol.org';
const standardId = /^(display|video|audio|native|dooh)_/;

/**
 * The types of the formats that a product takes, as far as it says so itself: in `format_types`, by the kinds of its
 * options, or by the formats it lists. One of unknown type makes a whole list unknown: that one could be what is wanted.
 */
export function formatTypesOf({ original: { value } }: Product): readonly string[] {
  const stated = listOf(value['format_types']).filter((one) => typeof one === 'string');
  if (stated.length > 0) return stated;
  // Options and ids of one product are two ways of saying the same.
  const lists = ['format_options', 'formats', 'format_ids'].map((name) => listOf(value[name]).map(typeOf));
  const known = lists.find((types) => types.length > 0 && !types.includes(undefined)) ?? [];
  return known.filter((type) => type !== undefined);
}

/** The type of one format as it is listed: its own word for it, its kind, or the name of a standard one. */
export function formatTypeOf(listed: JsonObject): string | undefined {
  const { type, format_kind: kind, canonical, format_id: id } = listed;
  if (typeof type === 'string') return type;
  const named = kind ?? (isJsonObject(canonical) ? canonical['kind'] : undefined);
  if (typeof named === 'string' && Object.hasOwn(typeOfKind, named)) return typeOfKind[named];
  return standardType(isJsonObject(id) ? id : listed);
}

function typeOf(listed: JsonValue): string | undefined {
  const type = isJsonObject(listed) ? formatTypeOf(listed) : undefined;
  return type === anyType ? undefined : type;
}

function standardType({ agent_url: agentUrl, id }: JsonObject): string | undefined {
  if (typeof agentUrl !== 'string' || typeof id !== 'string') return undefined;
  return isSameFormat({ agentUrl, id }, { agentUrl: standardAgent, id })
    ? standardId.exec(id)?.[1]
    : undefined;
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
