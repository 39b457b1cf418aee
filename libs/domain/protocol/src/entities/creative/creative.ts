import {
  defined,
  isJsonObject,
  withoutEndSlashes,
  type JsonObject,
  type JsonValue,
} from '@switchyard/values';
import { z } from 'zod';
import type { Creative, CreativeStatus } from './creative-messages.js';
import type { Finding } from '../../losses/finding.js';
import type { Form } from '../../versions/wire-profile.js';
import { sentAssets } from './creative-assets.js';
import { is3x } from '../../message/form.js';
import { lostBeside, notCarried } from '../../losses/lost-members.js';
import {
  booleanAt,
  listAt,
  member,
  objectAt,
  patched,
  textAt,
  textsAt,
  without,
} from '../../message/pick.js';
import { anyObject, formatIdShape, idText } from '../../message/shapes.js';

export const creativeShape = z.looseObject({
  creative_id: idText.describe('Your own id; it comes back unchanged.'),
  name: z.string().min(1).max(1_000).optional(),
  format_id: formatIdShape.optional(),
  format_kind: idText.optional(),
  assets: anyObject.describe('By the role that the format names.'),
  tags: z.array(z.string().max(1_000)).max(200).optional(),
  approved: z.boolean().optional(),
  status: z.string().max(64).optional(),
});

/** Reads a creative whose shape was validated. */
export function readCreative(value: JsonObject, form: Form): Creative {
  const word = textAt(value, 'status');
  const approved = booleanAt(value, 'approved');
  const received = word === 'approved' || word === 'rejected' ? word : undefined;
  const older = approved === undefined ? undefined : approved ? 'approved' : 'rejected';
  return {
    creativeId: textAt(value, 'creative_id') ?? '',
    assets: objectAt(value, 'assets') ?? {},
    tags: textsAt(value, 'tags'),
    ...defined({
      name: textAt(value, 'name'),
      format: objectAt(value, 'format_id'),
      formatKind: textAt(value, 'format_kind'),
      verdict: received ?? older,
    }),
    original: { form, value },
  };
}

/** Members that 2.5 does not have, and members that only 3.1 has. */
const only3x = ['status', 'industry_identifiers', 'provenance', 'catalogs'];
const only31 = ['format_kind', 'format_option_ref', 'placement_refs'];
const inService = new Set(['creative_id', 'format_id', 'assets']);
const in25 = [
  'creative_id',
  'name',
  'format_id',
  'assets',
  'inputs',
  'tags',
  'approved',
  'weight',
  'placement_ids',
];

/** True where a seller of this form can receive the creative: before 3.1 it needs a format id. */
export function canCarry(creative: Creative, to: Form): boolean {
  return creative.format !== undefined || (to === '3.1' && creative.formatKind !== undefined);
}

/** A creative in the form of a peer. If the forms are equal, it is the original, so nothing is lost. */
export function projectCreative(creative: Creative, to: Form): JsonObject {
  const { form, value } = creative.original;
  if (form === to) return structuredClone(value);
  const assets = sentAssets(creative.assets, form, to);
  if (is3x(form) && is3x(to)) {
    const base = to === '3.1' ? structuredClone(value) : as30(value);
    return member(value, 'assets') === undefined ? base : { ...base, assets };
  }
  const base = Object.fromEntries(Object.entries(value).filter(([name]) => !leftOut(name, to)));
  const words = {
    name: to === 'service' ? undefined : (creative.name ?? creative.creativeId),
    approved: to === '2.5' && creative.verdict !== undefined ? creative.verdict === 'approved' : undefined,
    status: is3x(to) ? creative.verdict : undefined,
    assets,
  };
  return patched(base, words);
}

/** A creative of 3.1 without what 3.0 does not have: the state `suspended`, and some kinds of industry identifiers. */
function as30(value: JsonObject): JsonObject {
  const creative: Record<string, JsonValue> = { ...without(value, only31) };
  if (creative['status'] === 'suspended') delete creative['status'];
  const names = listAt(value, 'industry_identifiers');
  if (names !== undefined)
    creative['industry_identifiers'] = names.filter(
      (name) => !isJsonObject(name) || names30.has(textAt(name, 'type') ?? ''),
    );
  return creative;
}

/** Kinds of industry identifiers that 3.0 defines. */
const names30: ReadonlySet<string> = new Set(['ad_id', 'isci', 'clearcast_clock']);

/** One finding for each member that the projection of a creative left out or derived. */
export function creativeFindings(creative: Creative, to: Form): readonly Finding[] {
  const { form, value } = creative.original;
  if (form === to || form === 'ours') return [];
  const names = Object.keys(value);
  const hasVerdict = (name: string): boolean =>
    (name === 'status' || name === 'approved') && to !== 'service';
  const lost =
    is3x(form) && is3x(to)
      ? names.filter((name) => to === '3.0' && only31.includes(name))
      : names.filter((name) => leftOut(name, to) && !hasVerdict(name));
  const field = (name: string): string => `creatives[${creative.creativeId}].${name}`;
  const findings: Finding[] = lost.map((name) => ({
    code: 'CREATIVE_MEMBER_LEFT_OUT',
    message: `The seller's protocol version has no member ${name} of a creative.`,
    field: field(name),
  }));
  if (to !== 'service' && creative.name === undefined) {
    const message = 'The creative has no name: this seller gets its id instead.';
    findings.push({ code: 'CREATIVE_NAME_MADE', message, field: field('name') });
  }
  const written = projectCreative(creative, to);
  const count = (sent: JsonObject): number => listAt(sent, 'industry_identifiers')?.length ?? 0;
  if (count(written) < count(value)) findings.push(notCarried(field('industry_identifiers')));
  return [
    ...findings,
    ...lostBeside(findings, { reported: value, written, carriage: verdicts, place: field('') }),
  ];
}

/** `status` and `approved` carry the same decision on a draft in different forms. */
const verdicts = { aliases: { approved: ['status'], status: ['approved'] } };

function leftOut(name: string, to: Form): boolean {
  if (to === 'service') return !inService.has(name);
  if (to === '2.5') return !in25.includes(name) && (only3x.includes(name) || only31.includes(name));
  return name === 'approved' || (to === '3.0' && only31.includes(name));
}

const statusWords: ReadonlySet<string> = new Set<CreativeStatus>([
  'processing',
  'pending_review',
  'approved',
  'suspended',
  'rejected',
  'archived',
]);

/** Reads a peer's value for a creative's state. Some peers use `pending` for a review that has not started. */
export function readCreativeStatus(word: unknown): CreativeStatus | undefined {
  if (word === 'pending') return 'pending_review';
  return typeof word === 'string' && statusWords.has(word) ? (word as CreativeStatus) : undefined;
}

/** The state in a form's own words: `suspended` is `rejected` before 3.1, `archived` is in 2.5. */
export function projectCreativeStatus(status: CreativeStatus, to: Form): string {
  if (status === 'suspended' && to !== '3.1') return 'rejected';
  return status === 'archived' && to === '2.5' ? 'rejected' : status;
}

/**
 * Key of a format; equal formats have equal keys. Addresses are compared without case of the host, default port and
 * final slash, and ids and sizes exactly (docs/protocol/products.md#formats).
 */
export function formatKey(format: JsonObject): string {
  const address = textAt(format, 'agent_url') ?? '';
  const sizes = ['width', 'height', 'duration_ms'].map((name) => {
    const value = member(format, name);
    return typeof value === 'number' ? String(value) : '';
  });
  return JSON.stringify([plainAddress(address), textAt(format, 'id') ?? '', ...sizes]);
}

function plainAddress(address: string): string {
  try {
    const url = new URL(address);
    return `${url.protocol}//${url.host}${withoutEndSlashes(url.pathname)}${url.search}`;
  } catch {
    return address;
  }
}

/** The key of a format without its sizes and duration. */
export function bareFormatKey(format: JsonObject): string {
  const { width: _width, height: _height, duration_ms: _duration, ...bare } = format;
  return formatKey(bare);
}
