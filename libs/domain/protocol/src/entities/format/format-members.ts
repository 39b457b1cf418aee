import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import type { Original } from '../../message/original.js';
import type { Form } from '../../versions/wire-profile.js';
import { formatAssetsFor } from './format-assets.js';
import { readFormatId } from './format-id.js';
import { extName, is3x } from '../../message/form.js';
import { metricsIn } from '../product/reporting-capabilities.js';
import {
  defined,
  listAt,
  member,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
  without,
} from '../../message/pick.js';

/** A format as a release takes it, and the paths of what it does not take that nobody else tells of. */
export interface FittedFormat {
  readonly members: JsonObject;
  /** Lists stand as `[]`. */
  readonly lost: readonly string[];
}

type Release = Exclude<Form, 'service'>;

/** Media that 2.5 sorts formats by. */
const categories25 = ['audio', 'video', 'display', 'native', 'dooh', 'rich_media', 'universal'];
const parameters = ['dimensions', 'duration'];
/** How a format of 3.x stands to the kinds that 3.1 knows. */
const newest = ['canonical', 'canonical_parameters'];

/** Whether a form has a word for what an agent of creatives can do: delivery came after 2.5. */
export function isAgentAbility(word: unknown, to: Form): boolean {
  const known = ['validation', 'assembly', 'generation', 'preview', ...(to === '2.5' ? [] : ['delivery'])];
  return to === 'service' || known.some((one) => one === word);
}

/** Whether 2.5 sorts formats by this word. */
export function isCategory(word: string): boolean {
  return categories25.includes(word);
}

/**
 * What a format says of itself beside its name, in the words of another release: only what has a place there, and only
 * where it is what the release takes. What is not among it stays away, and is told as lost.
 */
export function fittedFormat(value: JsonObject, from: Original['form'], to: Release): FittedFormat {
  const { members, lost } = formatAssetsFor(value, to);
  // Between these two almost everything is alike, and what else a seller says stands where it stood.
  if (is3x(from) && is3x(to)) return { members: { ...fitted3x(value, to), ...members }, lost };
  const renders = objectsAt(value, 'renders').filter((one) => isRender(one, to));
  const isLess = renders.length < (listAt(value, 'renders')?.length ?? 0);
  return {
    members: { ...membersFor(value, to), ...defined({ renders: someOf(renders) }), ...members },
    lost: isLess ? [...lost, 'renders'] : lost,
  };
}

function membersFor(value: JsonObject, to: Release): JsonObject {
  return defined({
    description: textAt(value, 'description'),
    example_url: textAt(value, 'example_url'),
    accepts_parameters: someOf(
      textsAt(value, 'accepts_parameters').filter((one) => parameters.includes(one)),
    ),
    delivery: objectAt(value, 'delivery'),
    supported_macros: macrosFor(value, to),
    output_format_ids: formatIds(value),
    format_card: cardAt(value, 'format_card'),
    format_card_detailed: cardAt(value, 'format_card_detailed'),
    ext: othersExt(value),
  });
}

function fitted3x(value: JsonObject, to: '3.0' | '3.1'): JsonObject {
  const written = defined({
    supported_macros: macrosFor(value, to),
    reported_metrics: someOf(metricsIn(textsAt(value, 'reported_metrics'), to)),
  });
  const anew = ['supported_macros', 'reported_metrics', 'assets'];
  return { ...without(value, [...anew, ...(to === '3.0' ? newest : [])]), ...written };
}

/** By its schema 3.0 takes none of the macros that it has a name for, and any other word. */
function macrosFor(value: JsonObject, to: Release): JsonValue[] | undefined {
  const macros = textsAt(value, 'supported_macros');
  return someOf(to === '3.0' ? macros.filter((macro) => !/^[A-Z][A-Z0-9_]*$/.test(macro)) : macros);
}

/** 2.5 counts in whole pixels alone. */
function isRender(render: JsonObject, to: Release): boolean {
  const sizes = objectAt(render, 'dimensions');
  const isByFormat = member(render, 'parameters_from_format_id');
  if (textAt(render, 'role') === undefined || (sizes === undefined) === (isByFormat === undefined))
    return false;
  if (sizes === undefined) return isByFormat === true;
  const { unit = 'px', aspect_ratio: ratio = '1:1', responsive: _fluid, ...numbers } = sizes;
  const isWhole = to === '2.5';
  const ratios = isWhole ? /^\d+:\d+$/ : /^\d+(\.\d+)?:\d+(\.\d+)?$/;
  const isRatio = typeof ratio === 'string' && ratios.test(ratio);
  const isSize = (one: JsonValue): boolean =>
    typeof one === 'number' && one > 0 && (!isWhole || Number.isInteger(one));
  return (!isWhole || unit === 'px') && isRatio && Object.values(numbers).every(isSize);
}

function formatIds(value: JsonObject): JsonValue[] | undefined {
  const ids = listAt(value, 'output_format_ids') ?? [];
  return someOf(ids.filter((one) => readFormatId(one) !== undefined));
}

function cardAt(value: JsonObject, name: string): JsonObject | undefined {
  const card = objectAt(value, name);
  const isCard =
    readFormatId(member(card, 'format_id')) !== undefined && isJsonObject(member(card, 'manifest'));
  return isCard ? card : undefined;
}

function someOf<T extends JsonValue>(list: readonly T[]): T[] | undefined {
  return list.length === 0 ? undefined : [...list];
}

/** Extensions of the seller's own: whose format it is we say ourselves. */
function othersExt(value: JsonObject): JsonObject | undefined {
  const others = without(objectAt(value, 'ext') ?? {}, [extName]);
  return Object.keys(others).length === 0 ? undefined : others;
}
