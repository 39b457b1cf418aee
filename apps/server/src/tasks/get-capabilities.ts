import { replayTtlSeconds } from '@switchyard/buys';
import { impairmentWindowMs } from '@switchyard/events';
import {
  projectCapabilities,
  tasks,
  type CallerVersion,
  type GetCapabilitiesRequest,
} from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import type { Handled, HandledCall, HandlerDeps } from './handler.js';
import { publishersBehind } from './market/held-against-publishers.js';
import { rehearsedStates } from './ports/test-controller.js';
import { canPropose, canRefine, portfolioOf, specialismsOf } from './market/specialisms.js';
import type { Caller } from './task-call.js';

const inFlightMaxSeconds = 120;
/** A key in the vault signs with the first algorithm, one in a key service with the second. */
const webhookAlgorithms = ['ed25519', 'ecdsa-p256-sha256'];

/** The capabilities of this agent: what is built and a connected seller supports. */
export async function getCapabilities(
  deps: HandlerDeps,
  { call, scope, version, request }: HandledCall<GetCapabilitiesRequest>,
): Promise<Handled> {
  const { ports, rehearsal, declareOnFirstUse } = deps;
  const url = ports.callbackBase();
  const live = (await ports.connections.list(scope)).filter((connection) => connection.state === 'live');
  const known = live.flatMap((connection) => connection.capabilities ?? []);
  const all = (read: (capabilities: (typeof known)[number]) => readonly string[]): string[] =>
    [...new Set(known.flatMap(read))].sort();
  const sells = live.some((connection) => connection.kinds.includes('sales'));
  const signals = live.some((connection) => connection.kinds.includes('signals'));
  const payload = projectCapabilities(
    {
      protocols: [
        ...(sells || !signals ? ['media_buy' as const] : []),
        ...(signals ? ['signals' as const] : []),
      ],
      specialisms: specialismsOf(live),
      channels: portfolioOf(live, 'primary_channels'),
      countries: portfolioOf(live, 'primary_countries'),
      sandbox: declareOnFirstUse,
      extensions: ['switchyard'],
      ...(rehearsal?.isReady(live) === true ? { rehearsals: rehearsedStates } : {}),
      publisherDomains: await publishersBehind(deps, live),
      pricingModels: all((capabilities) => capabilities.pricingModels),
      idempotencyTtlSeconds: replayTtlSeconds,
      inFlightMaxSeconds,
      requestSigning: signingPolicy(call.caller, version),
      // An address without https cannot lead to a key.
      ...(url.startsWith('https://') ? { brandJsonUrl: `${url}/.well-known/brand.json` } : {}),
      perPrincipalKeyIsolation: true,
      ...(url.startsWith('https://')
        ? { keyOrigins: { request_signing: new URL(url).origin, webhook_signing: new URL(url).origin } }
        : {}),
      webhookSigning: true,
      webhookAlgorithms,
      // Only a caller that is marked legacy, or signs, may register an HMAC secret
      // (docs/protocol/webhooks-out.md#registration-by-buyers).
      legacyHmacFallback:
        call.caller.kind === 'principal' && (call.caller.legacy || call.caller.signedBy !== undefined),
      refines: canRefine(live),
      supportsProposals: canPropose(live),
      reportingByWebhook: true,
      propagationSurfaces: ['snapshot', 'webhook'],
      coalescenceSeconds: { impairment: impairmentWindowMs / 1_000, impairment_latency_sensitive: 0 },
      requireOperatorAuth: false,
      supportedBilling: ['operator'],
      requiredForProducts: false,
    },
    version.profile,
  );
  return { kind: 'done', status: 'completed', payload: onlyOf(payload, request.protocols) };
}

/** Limits the answer to the requested protocols; the list of protocols is always complete. */
function onlyOf(payload: JsonObject, protocols: readonly string[] | undefined): JsonObject {
  if (protocols === undefined) return payload;
  const isOther = (name: string): boolean =>
    (name === 'media_buy' || name === 'signals') && !protocols.includes(name);
  return Object.fromEntries(Object.entries(payload).filter(([name]) => !isOther(name)));
}

/**
 * What a caller must sign: every task that changes something, from 3.1 on, unless its principal is marked transitional
 * (docs/protocol/signing.md#unsigned-changes). A signature that is present is always verified, for every task.
 */
function signingPolicy(caller: Caller, { profile }: CallerVersion) {
  const namesOf = (wanted: (kind: 'read' | 'mutation') => boolean): string[] =>
    tasks
      .filter((spec) => wanted(spec.kind))
      // A name with a slash is a method of the protocol, which has a separate list; as a tool it has another name.
      .flatMap((spec) => spec.names[profile.dialect].find((name) => !isMethod(name)) ?? []);
  const isTransitional = caller.kind === 'principal' && caller.transitional;
  return {
    supported: true,
    coversContentDigest: 'required' as const,
    requiredFor: isTransitional ? [] : namesOf((kind) => kind === 'mutation'),
    supportedFor: namesOf(() => true),
    methodsSupportedFor: tasks.flatMap((spec) => spec.names[profile.dialect].find(isMethod) ?? []),
  };
}

function isMethod(name: string): boolean {
  return name.includes('/');
}
