import { replayTtlSeconds } from '@switchyard/buys';
import { impairmentWindowMs } from '@switchyard/events';
import {
  lifecycleTasksOf,
  projectCapabilities,
  tasks,
  type CallerVersion,
  type GetCapabilitiesRequest,
  type taskTable,
} from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import type { Connection } from '@switchyard/sellers';
import type { Handled, HandledCall, HandlerDeps } from '../platform/tasks/call/handler.js';
import { publishersBehind } from './verify-publishers.js';
import { forcibleScenarios } from '../platform/tasks/call/test-controller.js';
import type { Caller } from '../platform/tasks/call/task-call.js';

const inFlightMaxSeconds = 120;
/** A key in the vault signs with the first algorithm, one in a key service with the second. */
const webhookAlgorithms = ['ed25519', 'ecdsa-p256-sha256'];

type Row = keyof typeof taskTable;

/**
 * Specialisms that we can forward, each with the tasks it needs: rows of the task table, so that none can be claimed
 * for a task that is not built. Only specialisms of connected sellers are claimed.
 */
export const passedOn: Readonly<Record<string, readonly [Row, ...Row[]]>> = {
  'sales-guaranteed': [
    'getProducts',
    'createMediaBuy',
    'getTask',
    'getMediaBuys',
    'syncCreatives',
    'getMediaBuyDelivery',
  ],
  'sales-non-guaranteed': [
    'getProducts',
    'createMediaBuy',
    'updateMediaBuy',
    'getMediaBuys',
    'getMediaBuyDelivery',
  ],
  'sales-proposal-mode': ['getProducts', 'createMediaBuy'],
  'signal-marketplace': ['getSignals', 'activateSignal'],
};

/** What live sellers declare, as far as we forward it; in alphabetical order, each once. */
export function specialismsOf(live: readonly Connection[]): readonly string[] {
  const declared = live.flatMap(({ capabilities }) => {
    const listed = capabilities?.original['specialisms'];
    return Array.isArray(listed) ? listed.filter((name) => typeof name === 'string') : [];
  });
  return [...new Set(declared)].filter((text) => Object.hasOwn(passedOn, text)).sort();
}

/** Whether a live seller declares that it accepts refinements: it gets its part of them. */
export function canRefine(live: readonly Connection[]): boolean {
  return buyingOf(live).some(({ buying_modes: modes }) => Array.isArray(modes) && modes.includes('refine'));
}

/** Whether a live seller declares that it makes, finalizes and sells proposals: we forward all of that. */
export function canPropose(live: readonly Connection[]): boolean {
  return buyingOf(live).some((buying) => buying['supports_proposals'] === true);
}

/** Channels or countries of the supply, from the sellers' own portfolios. */
export function portfolioOf(
  live: readonly Connection[],
  member: 'primary_channels' | 'primary_countries',
): readonly string[] {
  const named = live.flatMap(({ capabilities }) => {
    const buying = capabilities?.original['media_buy'];
    const portfolio = isObject(buying) ? buying['portfolio'] : undefined;
    const listed = isObject(portfolio) ? portfolio[member] : undefined;
    return Array.isArray(listed) ? listed.filter((name): name is string => typeof name === 'string') : [];
  });
  return [...new Set(named)].sort();
}

/** The capabilities of this agent: what is built and a connected seller supports. */
export async function getCapabilities(
  deps: HandlerDeps,
  { call, scope, version, request }: HandledCall<GetCapabilitiesRequest>,
): Promise<Handled> {
  const { ports, testController, declareOnFirstUse } = deps;
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
      ...(testController?.isReady(live) === true ? { testScenarios: forcibleScenarios } : {}),
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
      lifecycleTools: lifecycleTasksOf(version.profile).map(({ name }) => name),
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

function buyingOf(live: readonly Connection[]): readonly Readonly<Record<string, unknown>>[] {
  return live.flatMap(({ capabilities }) => {
    const buying: unknown = capabilities?.original['media_buy'];
    return isObject(buying) ? [buying] : [];
  });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
