import { servedBy } from '../served-by.js';
import { err, ok, type JsonObject } from '@switchyard/values';
import { z } from 'zod';
import { splitId } from '../../../ids.js';
import { keyFaults, missing } from '../../../message/require.js';
import { numberAt, objectAt, objectsAt, textAt } from '../../../message/pick.js';
import { anyObject, idText } from '../../../message/shapes.js';
import type { LifecycleTask } from '../../lifecycle-task.js';
import { criteriaShape, discoveryOf, flightIn } from './criteria.js';
import { around, findingsOf, isFailed, submittedIn } from './ours.js';
import { compactProducts } from './product.js';
import { proposalsIn, termsKey } from './proposals.js';
import { searchEnvelopeOf, noted, notedFindings, readArgs, inputOf } from './request.js';

const currency = z.string().regex(/^[A-Z]{3}$/);
const amount = z.number().min(0);
const moment = z.iso.datetime({ offset: true });

/** Bounds that a seller is told as sentences: what is not read here would be left out of them. */
const constraintsShape = z.strictObject({
  total_budget: z.strictObject({ min: amount.optional(), max: amount.optional(), currency }).optional(),
  cpm: z.strictObject({ max: z.number().positive(), currency }).optional(),
  impressions: z.strictObject({ min: z.number().positive() }).optional(),
  flight: z
    .strictObject({ start_no_later_than: moment.optional(), end_no_earlier_than: moment.optional() })
    .optional(),
});

const shape = {
  refinements: z
    .array(
      z.looseObject({
        proposal_id: idText,
        action: z.enum(['revise', 'finalize']),
        change_kind: z.enum(['amendment', 'cancellation']).optional(),
        constraints: constraintsShape.optional(),
        product_changes: z.record(idText, z.enum(['include', 'omit'])).optional(),
        alternatives: anyObject.optional(),
        ask: z.string().max(20_000).optional(),
        criteria: criteriaShape.optional(),
      }),
    )
    .min(1)
    .max(25)
    .optional(),
};

const needed = ['refinements'];

export const refineProposals: LifecycleTask = {
  name: 'refine_proposals',
  servedBy: servedBy.refine_proposals,
  inputSchema: inputOf(shape, ['idempotency_key', ...needed]),
  isRepeatable: true,
  recalls: (args) =>
    objectsAt(args, 'refinements').map((item) => termsKey(textAt(item, 'proposal_id') ?? '')),

  serve(args, recalled) {
    const read = readArgs(shape, args);
    if (!read.ok) return read;
    const faults = [...keyFaults(args, '3.1'), ...missing(args, needed)];
    if (faults.length > 0) return err(faults);
    const refinements = objectsAt(args, 'refinements');
    const unable = refinements.map((item) => whyUnable(item, refinements.length));
    const sent = refinements.filter((_, place) => unable[place] === undefined);
    const results = refinements.map((item, place) => unable[place] ?? { source_proposal_id: idOf(item) });
    if (sent.length === 0) return ok({ body: { results, products: [], ...around(args) } });
    const first = recalled.get(termsKey(idOf(sent[0] ?? {})));
    const terms = objectAt(objectAt(first, 'proposal'), 'commercial_terms');
    const brand = objectAt(terms, 'brand');
    const criteria = objectAt(sent[0], 'criteria');
    const { members, findings } = discoveryOf(criteria);
    const flight = { ...objectAt(first, 'flight'), ...flightIn(criteria) };
    const changes = sent.map(changesOf);
    const notes = {
      brand,
      flight,
      results,
      counts: changes.map((each) => each.length),
      finalizes: sent.map((item) => item['action'] === 'finalize'),
    };
    return ok({
      args: {
        ...searchEnvelopeOf(args),
        ...(brand === undefined ? {} : { brand }),
        ...members,
        buying_mode: 'refine',
        refine: changes.flat(),
        ...noted('refine_proposals', notes, findings),
      },
    });
  },

  answer(body, asked, { at }) {
    const open = submittedIn(body);
    if (open !== undefined) return { body: open };
    if (isFailed(body)) return { body };
    const lost = new Set<string>();
    const products = compactProducts(body, lost);
    const results = objectsAt(asked, 'results');
    const sources = results
      .filter((result) => result['outcome'] === undefined)
      .map((result) => idOf(result, 'source_proposal_id'));
    const parentOf = (proposal: JsonObject) =>
      sources.find((id) => sellerOf(id) === sellerOf(idOf(proposal)));
    const made = proposalsIn(body, products, { asked, at, parentOf });
    const verdicts = verdictsIn(body, asked);
    let place = -1;
    const written = results.map((result) => {
      if (result['outcome'] !== undefined) return result;
      place += 1;
      const source = idOf(result, 'source_proposal_id');
      const own = made.proposals.filter((proposal) => proposal['parent_proposal_id'] === source);
      return resultOf(source, own, verdicts[place]);
    });
    return {
      body: {
        status: 'completed',
        results: written,
        products,
        ...around(body, [...notedFindings(asked), ...made.findings, ...findingsOf(lost)]),
      },
      kept: made.kept,
    };
  },
};

interface Verdict {
  readonly finalizes: boolean;
  readonly status: string;
  readonly notes?: string;
}

/** What sellers said to each refinement: the worst of what they said to its parts. */
function verdictsIn(body: JsonObject, asked: JsonObject): readonly Verdict[] {
  const applied = objectsAt(body, 'refinement_applied');
  const counts = Array.isArray(asked['counts']) ? asked['counts'] : [];
  const finalizes = Array.isArray(asked['finalizes']) ? asked['finalizes'] : [];
  let from = 0;
  return counts.map((count, place) => {
    const own = applied.slice(from, from + Number(count));
    from += Number(count);
    const words = own.map((verdict) => textAt(verdict, 'status') ?? 'applied');
    const status =
      words.every((word) => word === 'unable') && words.length > 0
        ? 'unable'
        : (words.find((word) => word !== 'applied') ?? 'applied');
    const notes = own.map((verdict) => textAt(verdict, 'notes')).find((text) => text !== undefined);
    return { finalizes: finalizes[place] === true, status, ...(notes === undefined ? {} : { notes }) };
  });
}

function resultOf(source: string, own: readonly JsonObject[], verdict: Verdict | undefined): JsonObject {
  const { finalizes = false, status = 'applied', notes = 'The seller did not say why.' } = verdict ?? {};
  const committed = own.find((proposal) => proposal['proposal_status'] === 'committed');
  if (finalizes && committed !== undefined)
    return { source_proposal_id: source, outcome: 'finalized', proposal: committed };
  const drafts = own.filter((proposal) => proposal['proposal_status'] === 'draft');
  if (finalizes || drafts.length === 0 || status === 'unable')
    return {
      source_proposal_id: source,
      outcome: 'unable',
      reason_code: finalizes ? 'hold_unavailable' : 'commercially_declined',
      reason: status === 'applied' ? 'The seller returned no proposal whose terms are told whole.' : notes,
    };
  const proposals = [...drafts];
  return status === 'applied'
    ? { source_proposal_id: source, outcome: 'revised', proposals }
    : {
        source_proposal_id: source,
        outcome: 'partial',
        proposals,
        reason_code: 'uninterpreted',
        reason: notes,
      };
}

/** A refinement in the words of the older task: wishes about products and the proposal, and one text. */
function changesOf(refinement: JsonObject): JsonObject[] {
  const proposal = { scope: 'proposal', proposal_id: idOf(refinement) };
  if (refinement['action'] === 'finalize') return [{ ...proposal, action: 'finalize' }];
  const products = Object.entries(objectAt(refinement, 'product_changes') ?? {}).map(([id, action]) => ({
    scope: 'product',
    product_id: id,
    action,
  }));
  const ask = [textAt(refinement, 'ask'), ...constraintsAsked(objectAt(refinement, 'constraints'))]
    .filter((text) => text !== undefined)
    .join(' ');
  const criteria = objectAt(refinement, 'criteria') !== undefined;
  return [
    ...products,
    ...(ask !== '' || criteria || products.length === 0
      ? [{ ...proposal, action: 'include', ...(ask === '' ? {} : { ask }) }]
      : []),
  ];
}

/** Constraints as sentences: older releases have no members for them, and sellers answer whether they met them. */
function constraintsAsked(constraints: JsonObject | undefined): readonly string[] {
  const total = objectAt(constraints, 'total_budget');
  const cpm = objectAt(constraints, 'cpm');
  const flight = objectAt(constraints, 'flight');
  const currency = textAt(total, 'currency') ?? '';
  const told = [
    numbered('The total budget must be at least', numberAt(total, 'min'), currency),
    numbered('The total budget must be at most', numberAt(total, 'max'), currency),
    numbered('The CPM must be at most', numberAt(cpm, 'max'), textAt(cpm, 'currency') ?? ''),
    numbered('Impressions must be at least', numberAt(objectAt(constraints, 'impressions'), 'min'), ''),
    worded('The flight must start no later than', textAt(flight, 'start_no_later_than')),
    worded('The flight must end no earlier than', textAt(flight, 'end_no_earlier_than')),
  ];
  return told.filter((text) => text !== undefined);
}

function numbered(words: string, amount: number | undefined, unit: string): string | undefined {
  return amount === undefined ? undefined : `${words} ${amount}${unit === '' ? '' : ` ${unit}`}.`;
}

function worded(words: string, text: string | undefined): string | undefined {
  return text === undefined ? undefined : `${words} ${text}.`;
}

/** The result of a refinement that no seller can be asked for, with the reason. */
function whyUnable(refinement: JsonObject, count: number): JsonObject | undefined {
  const unable = (what: string): JsonObject => ({
    source_proposal_id: idOf(refinement),
    outcome: 'unable',
    reason_code: 'unsupported_dimension',
    reason: `${what} cannot be asked of the seller of this proposal.`,
  });
  if (refinement['change_kind'] === 'cancellation') return unable('A negotiated cancellation');
  if (refinement['alternatives'] !== undefined) return unable('A number of alternatives');
  if (refinement['criteria'] !== undefined && count > 1)
    return unable('Criteria of one refinement among several');
  return undefined;
}

function idOf(value: JsonObject, name = 'proposal_id'): string {
  return textAt(value, name) ?? '';
}

function sellerOf(id: string): string {
  const split = splitId(id);
  return split.ok ? split.value.slug : '';
}
