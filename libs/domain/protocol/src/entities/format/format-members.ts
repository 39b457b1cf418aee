import { defined, isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import type { Original } from '../../message/original.js';
import type { Form } from '../../versions/wire-profile.js';
import { formatAssetsFor } from './format-assets.js';
import { readFormatId } from './format-id.js';
import { extName, is3x } from '../../message/form.js';
import { metricsIn } from '../product/reporting-capabilities.js';
import { listAt, member, objectAt, objectsAt, textAt, textsAt, without } from '../../message/pick.js';

/** A format as a release takes it, and the paths of what was left out and is not reported elsewhere. */
interface FittedFormat {
  readonly members: JsonObject;
  /** Lists are written `[]`. */
  readonly lost: readonly string[];
}

type Release = Exclude<Form, 'service'>;

/** Categories of formats in 2.5. */
const categories25 = ['audio', 'video', 'display', 'native', 'dooh', 'rich_media', 'universal'];
const parameters = ['dimensions', 'duration'];
/** Members that relate a format of 3.x to the canonical kinds of 3.1. */
const newest = ['canonical', 'canonical_parameters'];

/** Whether a form defines this capability of a creative agent: `delivery` came after 2.5. */
export function isAgentAbility(word: unknown, to: Form): boolean {
  const known = ['validation', 'assembly', 'generation', 'preview', ...(to === '2.5' ? [] : ['delivery'])];
  return to === 'service' || known.some((kind) => kind === word);
}

/** Whether 2.5 has this category of formats. */
export function isCategory(word: string): boolean {
  return categories25.includes(word);
}

/**
 * Fits the members of a format beside its name to another release: only members that the release has, with values that
 * it takes. The others are left out and listed as lost.
 */
export function fittedFormat(value: JsonObject, from: Original['form'], to: Release): FittedFormat {
  const { members, lost } = formatAssetsFor(value, to);
  // The releases 3.x differ little, so other members are copied unchanged.
  if (is3x(from) && is3x(to)) return { members: { ...fitted3x(value, to), ...members }, lost };
  const renders = objectsAt(value, 'renders').filter((render) => isRender(render, to));
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
      textsAt(value, 'accepts_parameters').filter((parameter) => parameters.includes(parameter)),
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
  const rewritten = ['supported_macros', 'reported_metrics', 'assets'];
  return { ...without(value, [...rewritten, ...(to === '3.0' ? newest : [])]), ...written };
}

/** The schema of 3.0 rejects the macros that it names itself, and takes any other text. */
function macrosFor(value: JsonObject, to: Release): JsonValue[] | undefined {
  const macros = textsAt(value, 'supported_macros');
  return someOf(to === '3.0' ? macros.filter((macro) => !/^[A-Z][A-Z0-9_]*$/.test(macro)) : macros);
}

/** 2.5 has whole pixels only. */
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
  const isSize = (value: JsonValue): boolean =>
    typeof value === 'number' && value > 0 && (!isWhole || Number.isInteger(value));
  return (!isWhole || unit === 'px') && isRatio && Object.values(numbers).every(isSize);
}

function formatIds(value: JsonObject): JsonValue[] | undefined {
  const ids = listAt(value, 'output_format_ids') ?? [];
  return someOf(ids.filter((id) => readFormatId(id) !== undefined));
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

/** The seller's own extensions, without ours: `ext.switchyard` is written by this product. */
function othersExt(value: JsonObject): JsonObject | undefined {
  const others = without(objectAt(value, 'ext') ?? {}, [extName]);
  return Object.keys(others).length === 0 ? undefined : others;
}
