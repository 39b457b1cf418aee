import { isSameFormat, type Product } from '@switchyard/protocol';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';

/** The type of each format kind of 3.1 that has the same type in all products. */
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

/** The protocol's creative agent puts the type in the names of its formats; the universal ones fit any type. */
const standardAgent = 'https://creative.adcontextprotocol.org';
const standardId = /^(display|video|audio|native|dooh)_/;

/**
 * Returns the types of the formats that a product declares: in `format_types`, or else by its options or its listed
 * formats. If one format of a list has an unknown type, the list is ignored: that format could be the requested one.
 */
export function formatTypesOf({ original: { value } }: Product): readonly string[] {
  const stated = listOf(value['format_types']).filter((text) => typeof text === 'string');
  if (stated.length > 0) return stated;
  // Options and ids of one product describe the same formats.
  const lists = ['format_options', 'formats', 'format_ids'].map((name) => listOf(value[name]).map(typeOf));
  const known = lists.find((types) => types.length > 0 && !types.includes(undefined)) ?? [];
  return known.filter((type) => type !== undefined);
}

/** Returns the type of a listed format: its declared type, else that of its kind or of its standard name. */
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
