import { isoOf, type Instant, type JsonObject } from '@switchyard/values';
import { notCarried } from '../../../losses/lost-members.js';
import type { Finding } from '../../../losses/finding.js';
import { numberAt, objectsAt, textAt } from '../../../message/pick.js';
import { same } from './keep.js';
import { around, failedIn, isFailed, submittedIn } from './ours.js';
import { notedFindings } from './request.js';
import { digestOf } from './terms.js';

const controls = [
  ...['pause', 'resume', 'cancel', 'update_name', 'increase_budget', 'decrease_budget', 'reallocate_budget'],
  ...[
    'update_budget_allocation',
    'update_targeting',
    'update_pacing',
    'update_bidding',
    'update_frequency_caps',
  ],
  ...['update_keywords', 'update_optimization_goals', 'update_impression_goal', 'update_spend_target'],
  ...['update_reporting_webhook', 'remove_packages'],
];
const ofCreatives = ['replace_creative', 'update_creative_assignments', 'remove_creative'];

/** Actions with the task that each is called by. Changes of flights and added packages are changes of terms. */
export function compactActions(body: JsonObject): {
  readonly actions: JsonObject[];
  readonly findings: readonly Finding[];
} {
  const listed = objectsAt(body, 'available_actions');
  const actions = listed.flatMap((entry): JsonObject[] => {
    const action = textAt(entry, 'action') ?? '';
    const task = controls.includes(action)
      ? 'control_media_buy'
      : ofCreatives.includes(action)
        ? 'sync_creatives'
        : undefined;
    return task === undefined ? [] : [{ task, ...same(entry, ['action', 'mode']) }];
  });
  return { actions, findings: actions.length < listed.length ? [notCarried('available_actions')] : [] };
}

interface Accepted {
  /** Terms without times that the buy resolves; `asap` stands where it begins at once. */
  readonly terms: JsonObject;
  readonly name: string;
  /** The proposal that was accepted; absent where products were bought from a list. */
  readonly proposal?: JsonObject;
}

/** The answer to a purchase: what was accepted, and which package came of which part. */
export function commitmentOf(
  body: JsonObject,
  asked: JsonObject,
  at: Instant,
  accepted: (acceptedAt: string) => Accepted,
): JsonObject {
  const open = submittedIn(body);
  if (open !== undefined) return open;
  const mediaBuyId = textAt(body, 'media_buy_id');
  if (isFailed(body) || mediaBuyId === undefined) return failedIn(body);
  const acceptedAt = textAt(body, 'confirmed_at') ?? isoOf(at);
  const { terms, name, proposal } = accepted(acceptedAt);
  const { actions, findings } = compactActions(body);
  const bindings = bindingsOf(terms, body);
  return {
    status: 'completed',
    media_buy_id: mediaBuyId,
    revision: numberAt(body, 'revision') ?? 1,
    ...same(body, ['media_buy_status', 'confirmed_at']),
    accepted_proposal: {
      ...(proposal ?? {
        proposal_id: `bought-${mediaBuyId}`,
        proposal_kind: 'new_media_buy',
        name,
        commercial_terms: terms,
        terms_digest: digestOf(terms),
      }),
      proposal_status: 'accepted',
      media_buy_id: mediaBuyId,
      accepted_at: acceptedAt,
    },
    purchase_bindings: bindings.bound,
    available_actions: actions,
    ...around(body, [...notedFindings(asked), ...findings, ...bindings.findings]),
  };
}

/** Each part with its package: by product and price, in order. */
function bindingsOf(
  terms: JsonObject,
  body: JsonObject,
): { readonly bound: JsonObject[]; readonly findings: readonly Finding[] } {
  const left = [...objectsAt(body, 'packages')];
  const findings: Finding[] = [];
  const bound = objectsAt(terms, 'purchases').flatMap((purchase, place): JsonObject[] => {
    const product = purchase['product_id'];
    const ofProduct = left.filter((made) => made['product_id'] === product);
    const meant =
      ofProduct.find((made) => made['pricing_option_id'] === purchase['pricing_option_id']) ?? ofProduct[0];
    if (meant === undefined) {
      const message =
        'No package of the buy names the product of this part, so it is unknown which one it became.';
      findings.push({ code: 'NOT_TOLD', message, field: `purchase_bindings[${place}]` });
      return [];
    }
    left.splice(left.indexOf(meant), 1);
    return [{ purchase_index: place, product_id: product ?? '', package_id: meant['package_id'] ?? '' }];
  });
  return { bound, findings };
}
