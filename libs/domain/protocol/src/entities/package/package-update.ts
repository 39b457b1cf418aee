import { defined, err, ok, type JsonObject, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { Finding } from '../../losses/finding.js';
import { taskError } from '../../errors/task-error.js';
import type { TaskError } from '../../errors/task-fault.js';
import type { ExactNumbers } from '../../task-spec.js';
import type { Form } from '../../versions/wire-profile.js';
import { amountFaults, amountAt, numberOf } from '../../message/amount.js';
import { fittedTerms } from './fitted-terms.js';
import { is3x } from '../../message/form.js';
import { projectInline } from '../creative/inline-creatives.js';
import {
  booleanAt,
  listAt,
  member,
  numberAt,
  objectAt,
  objectsAt,
  patched,
  textAt,
  textsAt,
} from '../../message/pick.js';
import { packageMembers } from './package-members.js';
import { momentFaults } from '../media-buy/schedule.js';
import { targetingOf } from './package-request.js';
import { idText } from '../../message/shapes.js';
import { projectTargeting, unsupportedTargeting } from '../targeting/targeting.js';
import type { Creative } from '../creative/creative-messages.js';
import type { Original } from '../../message/original.js';

/** Changes of one package. Absent members stay unchanged; lists and targeting replace the old ones. */
export interface PackageUpdate {
  /** `packageId` or `buyerRef` names the package; the reference only in forms that have one. */
  readonly packageId?: string;
  readonly buyerRef?: string;
  /** Decimal text: the new budget, absolute. */
  readonly budget?: string;
  /** Decimal text. */
  readonly bidPrice?: string;
  readonly pacing?: string;
  readonly impressions?: number;
  readonly paused?: boolean;
  /** Irreversible. */
  readonly canceled?: true;
  readonly cancellationReason?: string;
  readonly startTime?: string;
  readonly endTime?: string;
  readonly targetingOverlay?: JsonObject;
  readonly creativeAssignments?: readonly JsonObject[];
  readonly creatives?: readonly JsonObject[];
  /** Our extension: creatives of the library sent with the package, because its seller does not have them yet. */
  readonly fromLibrary?: readonly Creative[];
  readonly context?: JsonObject;
  readonly original: Original;
}

export const packageUpdateShape = z.looseObject({
  package_id: idText.optional(),
  buyer_ref: idText.optional(),
  budget: z.number().optional().describe('The new budget, absolute, in major units.'),
  canceled: z.literal(true).optional().describe('Irreversible.'),
  cancellation_reason: z.string().max(500).optional(),
  ...packageMembers,
});

/** Members that no update can change: cancel the package and add another instead. */
const immutable = ['product_id', 'pricing_option_id', 'format_ids', 'format_option_refs', 'format_kind'];

/** Reads one package of an update whose shape was validated. `place` is its location, for field names. */
export function readPackageUpdate(
  value: JsonObject,
  place: { readonly field: string; readonly pointer: string },
  form: Form,
  exact: ExactNumbers,
): Result<PackageUpdate, readonly TaskError[]> {
  const field = (name: string): string => `${place.field}.${name}`;
  const budget = amountAt(value, 'budget', place.pointer, exact);
  const bidPrice = amountAt(value, 'bid_price', place.pointer, exact);
  const errors = [
    ...faultsOfNames(value, form, field),
    ...(budget === undefined ? [] : amountFaults(budget, field('budget'), 'The budget')),
    ...(bidPrice === undefined ? [] : amountFaults(bidPrice, field('bid_price'), 'The bid')),
    ...['start_time', 'end_time'].flatMap((name) => momentFaults(value, name, field(name))),
    ...immutable.filter((name) => member(value, name) !== undefined).map((name) => fixed(field(name), name)),
  ];
  if (errors.length > 0) return err(errors);
  return ok({
    ...defined({
      packageId: textAt(value, 'package_id'),
      buyerRef: textAt(value, 'buyer_ref'),
      budget,
      bidPrice,
      pacing: textAt(value, 'pacing'),
      impressions: numberAt(value, 'impressions'),
      paused: booleanAt(value, 'paused'),
      canceled: booleanAt(value, 'canceled') === true ? (true as const) : undefined,
      cancellationReason: textAt(value, 'cancellation_reason'),
      startTime: textAt(value, 'start_time'),
      endTime: textAt(value, 'end_time'),
      targetingOverlay: targetingOf(value),
      creativeAssignments: assignmentsOf(value),
      creatives: listAt(value, 'creatives') === undefined ? undefined : objectsAt(value, 'creatives'),
      context: objectAt(value, 'context'),
    }),
    original: { form, value },
  });
}

/** Writes a package's update for a form. Each member that the form does not have leaves a finding. */
export function projectPackageUpdate(
  wanted: PackageUpdate,
  to: Form,
  at: number,
): { readonly args: JsonObject; readonly findings: readonly Finding[] } {
  const { form, value } = wanted.original;
  const names = {
    package_id: wanted.packageId,
    buyer_ref: is3x(to) || wanted.packageId !== undefined ? undefined : wanted.buyerRef,
  };
  const amounts = {
    budget: wanted.budget === undefined ? undefined : numberOf(wanted.budget),
    bid_price: wanted.bidPrice === undefined ? undefined : numberOf(wanted.bidPrice),
  };
  const inline = projectInline(wanted.creatives, { form, to, field: `packages[${at}]` }, wanted.fromLibrary);
  const aimed =
    wanted.targetingOverlay === undefined ? undefined : projectTargeting(wanted.targetingOverlay, to);
  const unaimed = unsupportedTargeting(aimed?.unsupported ?? [], `packages[${at}].targeting_overlay`);
  if (form === to || (is3x(form) && is3x(to))) {
    const base = { ...value };
    if (wanted.packageId !== undefined) delete base['buyer_ref'];
    const targeting = { targeting_overlay: aimed?.targeting };
    const { creatives, findings } = inline;
    const terms = form === to ? base : fittedTerms(base, to).terms;
    return {
      args: patched(terms, { ...names, ...amounts, ...targeting, creatives }),
      findings: [...findings, ...unaimed],
    };
  }
  const creatives = projectCreatives(wanted, inline.creatives, to);
  const lost: string[] = [
    ...(is3x(form) ? onlyModern.filter((name) => member(value, name) !== undefined) : []),
    ...creatives.lost,
  ];
  const built = {
    ...names,
    ...amounts,
    pacing: wanted.pacing,
    impressions: wanted.impressions,
    paused: wanted.paused,
    targeting_overlay: aimed?.targeting,
    ...creatives.members,
    context: wanted.context,
  };
  const times = { start_time: wanted.startTime, end_time: wanted.endTime };
  const ending = { canceled: wanted.canceled, cancellation_reason: wanted.cancellationReason };
  if (to !== '2.5') {
    return {
      args: copied({ ...built, ...times, ...ending }),
      findings: [...lost.map((name) => notCarried(at, name, to)), ...inline.findings, ...unaimed],
    };
  }
  for (const [name, value] of Object.entries({ ...times, cancellation_reason: wanted.cancellationReason })) {
    if (value !== undefined) lost.push(name);
  }
  const findings = [...lost.map((name) => notCarried(at, name, to)), ...inline.findings, ...unaimed];
  if (wanted.canceled !== true) return { args: copied(built), findings };
  return {
    args: copied({ ...names, paused: true }),
    findings: [...findings, { ...cancelAsPause, field: `packages[${at}].canceled` }],
  };
}

/** The finding of a cancellation in a form that has none (2.5): the package is paused, and stays booked. */
export const cancelAsPause: Finding = {
  code: 'CANCEL_AS_PAUSE',
  message: 'The protocol version of this seller has no cancellation: it was paused instead.',
};

const onlyModern = [
  'catalogs',
  'optimization_goals',
  'keyword_targets_add',
  'keyword_targets_remove',
  'negative_keywords_add',
  'negative_keywords_remove',
];

/** Creatives by assignment in 3.x and 2.5, by id alone in the `service` form. */
function projectCreatives(
  { creativeAssignments: assigned }: PackageUpdate,
  creatives: readonly JsonObject[] | undefined,
  to: Form,
): { readonly members: Readonly<Record<string, unknown>>; readonly lost: readonly string[] } {
  if (is3x(to)) return { members: { creative_assignments: assigned, creatives }, lost: [] };
  const isBare = assigned?.every((assignment) => Object.keys(assignment).length === 1) ?? true;
  if (to === '2.5' && !isBare) return { members: { creative_assignments: assigned, creatives }, lost: [] };
  const ids = assigned?.map((assignment) => textAt(assignment, 'creative_id') ?? '');
  return { members: { creative_ids: ids, creatives }, lost: isBare ? [] : ['creative_assignments'] };
}

function notCarried(at: number, name: string, to: Form): Finding {
  return {
    code: 'NOT_CARRIED_OVER',
    message: `A seller that speaks ${to} has no place for ${name}.`,
    field: `packages[${at}].${name}`,
  };
}

function assignmentsOf(value: JsonObject): readonly JsonObject[] | undefined {
  if (listAt(value, 'creative_assignments') !== undefined) return objectsAt(value, 'creative_assignments');
  if (listAt(value, 'creative_ids') === undefined) return undefined;
  return textsAt(value, 'creative_ids').map((id) => ({ creative_id: id }));
}

function faultsOfNames(value: JsonObject, form: Form, field: (name: string) => string): readonly TaskError[] {
  const hasId = textAt(value, 'package_id') !== undefined;
  const hasReference = !is3x(form) && textAt(value, 'buyer_ref') !== undefined;
  if (hasId !== hasReference) return [];
  const message = hasId ? 'The package is named twice.' : 'The package is not named.';
  const suggestion = is3x(form) ? 'Send package_id.' : 'Send exactly one of package_id and buyer_ref.';
  return [taskError('VALIDATION_ERROR', message, { field: field('package_id'), suggestion })];
}

function fixed(field: string, name: string): TaskError {
  return taskError('VALIDATION_ERROR', `${name} of a package that was bought does not change.`, {
    field,
    suggestion: 'Cancel the package, and add another under new_packages.',
  });
}

function copied(members: Readonly<Record<string, unknown>>): JsonObject {
  return structuredClone(defined(members)) as JsonObject;
}
