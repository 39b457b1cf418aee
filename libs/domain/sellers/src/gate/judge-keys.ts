import { defined } from '@switchyard/values';
import { explanationOf, shownAddress, type DiscoveryFailure } from '../keys/discovery-failure.js';
import type { KeyInspection } from '../keys/inspect-keys.js';
import type { CheckResult, Finding } from './check.js';
import type { GateContext } from './gate-context.js';

/** Failures that are no outage: the documents contradict each other, and nothing signed would be believed. */
const contradictions: ReadonlySet<DiscoveryFailure['code']> = new Set([
  'brand_json_malformed',
  'brand_origin_mismatch',
  'brand_json_ambiguous',
  'key_origin_mismatch',
  'key_origin_missing',
  'jwks_untrusted',
]);

const askSeller = 'Send the report to the seller: switchyard sellers report SLUG';

/**
 * Finds the keys that the seller's webhooks are verified with, as it will be done then: by an admin's address, its
 * publishers' pins, or its brand.json and key set. What contradicts itself fails; what is missing limits.
 */
export async function judgeKeys(context: GateContext): Promise<CheckResult> {
  const { legacyWebhooks } = context.connection();
  if (legacyWebhooks !== false)
    return {
      state: 'skipped',
      code: 'not_wanted',
      words: 'Its webhooks are proved by a shared secret, as an admin has agreed with it.',
    };
  const found = await context.inspectKeys();
  return found.ok ? judged(context, found.value) : withoutKeys(context, found.error);
}

function judged(context: GateContext, keys: KeyInspection): CheckResult {
  const { kids, published, refusedByPins, jwksUri, brandUrl, sha256 } = keys;
  const evidence = {
    jwks: shownAddress(jwksUri),
    ...defined({ brand_json: brandUrl === undefined ? undefined : shownAddress(brandUrl) }),
    kids: kids.slice(0, 20),
    sha256,
  };
  const host = URL.canParse(jwksUri) ? new URL(jwksUri).host : 'its key set';
  if (kids.length === 0)
    return {
      ...limit(context, {
        code: published > 0 ? 'test_keys' : 'no_keys',
        came:
          published > 0
            ? 'a key set of published test keys, which anybody may sign with'
            : 'an empty key set',
        mend: 'Publish the keys that webhooks are signed with.',
      }),
      evidence,
    };
  if (refusedByPins !== undefined && refusedByPins.length === kids.length)
    return {
      state: 'failed',
      code: 'pins_disagree',
      words:
        'A publisher pins other keys for this agent than the agent publishes: nothing it signs would be believed.',
      next: askSeller,
      evidence,
      findings: [
        finding(context, {
          grade: 'blocks',
          came: `${String(kids.length)} keys, and none of them is pinned by the publisher`,
          mend: "Have the publisher's signing_keys list the keys of the key set.",
        }),
      ],
    };
  const pinned = refusedByPins === undefined ? '' : ', and its publisher pins them';
  return {
    state: 'passed',
    code: refusedByPins === undefined ? 'found' : 'pinned',
    words: `Its ${kids.length === 1 ? 'key is' : `${String(kids.length)} keys are`} published at ${host}${pinned}.`,
    evidence,
  };
}

function withoutKeys(context: GateContext, failure: DiscoveryFailure): CheckResult {
  const { capabilities, pinnedJwksUri, pinnedBrandJsonUrl } = context.connection();
  const { code } = failure;
  const { seen } = explanationOf(failure);
  const isPromised =
    capabilities?.webhookSigning === true ||
    capabilities?.brandJsonUrl !== undefined ||
    pinnedJwksUri !== undefined ||
    pinnedBrandJsonUrl !== undefined;
  if (isPromised && contradictions.has(code))
    return {
      state: 'failed',
      code,
      words: `What it publishes about its keys contradicts itself: ${seen}.`,
      next: askSeller,
      findings: [finding(context, { grade: 'blocks', came: seen, mend: 'Mend the document that it names.' })],
    };
  if (context.decides !== undefined)
    return {
      state: 'failed',
      code,
      words: `Its keys cannot be found (${seen}), and an event of an agent that decides counts only with its signature.`,
      next: askSeller,
      findings: [finding(context, { grade: 'blocks', came: seen, mend: 'Publish its keys.' })],
    };
  if (!isPromised)
    return {
      state: 'skipped',
      code: 'unproved',
      words: 'It promises no signed webhooks and publishes no keys that we find: its buys are polled.',
    };
  return limit(context, { code, came: seen, mend: 'Publish the document, and let everybody read it.' });
}

/** Something is missing: nothing is forged by that, and its buys are polled. */
function limit(
  context: GateContext,
  { code, came, mend }: Pick<Finding, 'came' | 'mend'> & { readonly code: string },
): CheckResult {
  return {
    state: 'skipped',
    code,
    words: `No key of it was found (${came}): its webhooks are not believed, and its buys are polled.`,
    next: askSeller,
    findings: [finding(context, { grade: 'limits', came, mend })],
  };
}

function finding(context: GateContext, more: Pick<Finding, 'grade' | 'came' | 'mend'>): Finding {
  return {
    task: 'webhook_signing',
    release: context.connection().form,
    sent: 'a reading of its public documents',
    allowed: 'A key set that the brand.json of its site, or its publisher, names.',
    cost: 'We believe none of its webhooks, and learn from polling alone.',
    ...more,
  };
}
