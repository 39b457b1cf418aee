import { createHash } from 'node:crypto';
import { replayTtlSeconds } from '@switchyard/buys';
import { impairmentWindowMs } from '@switchyard/events';
import {
  findTask,
  lifecycleTasksOf,
  projectCapabilities,
  releaseNames,
  tasks,
  type CallerVersion,
  type GetCapabilitiesRequest,
  type LocalCapabilities,
  type taskTable,
  type WireProfile,
} from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import { canonicalJson, defined, type JsonObject } from '@switchyard/values';
import type { Connection } from '@switchyard/sellers';
import type { Handled, HandledCall, HandlerDeps } from '../platform/tasks/call/handler.js';
import { publishersBehind } from './verify-publishers.js';
import { forcibleScenarios } from '../platform/tasks/call/test-controller.js';
import type { Caller } from '../platform/tasks/call/task-call.js';

const inFlightMaxSeconds = 120;
/** How long a caller may keep the document without news of a change. */
const cacheMaxSeconds = 86_400;
/** How often a change is looked for, in milliseconds. */
export const subscribersEveryMs = 30_000;
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

/** What is built and connected sellers support, whoever asks. Publishers are those that sellers name. */
function agentWide(
  { ports, testController, declareOnFirstUse }: CapabilityParts,
  live: readonly Connection[],
): LocalCapabilities {
  const url = ports.callbackBase();
  const known = live.flatMap((connection) => connection.capabilities ?? []);
  const all = (read: (capabilities: (typeof known)[number]) => readonly string[]): string[] =>
    [...new Set(known.flatMap(read))].sort();
  const sells = live.some((connection) => connection.kinds.includes('sales'));
  const signals = live.some((connection) => connection.kinds.includes('signals'));
  return {
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
    publisherDomains: all((capabilities) => capabilities.publisherDomains),
    pricingModels: all((capabilities) => capabilities.pricingModels),
    idempotencyTtlSeconds: replayTtlSeconds,
    inFlightMaxSeconds,
    // An address without https cannot lead to a key.
    ...(url.startsWith('https://')
      ? {
          brandJsonUrl: `${url}/.well-known/brand.json`,
          keyOrigins: { request_signing: new URL(url).origin, webhook_signing: new URL(url).origin },
        }
      : {}),
    perPrincipalKeyIsolation: true,
    webhookSigning: true,
    webhookAlgorithms,
    refines: canRefine(live),
    supportsProposals: canPropose(live),
    reportingByWebhook: true,
    propagationSurfaces: ['snapshot', 'webhook'],
    coalescenceSeconds: { impairment: impairmentWindowMs / 1_000, impairment_latency_sensitive: 0 },
    requireOperatorAuth: false,
    supportedBilling: ['operator'],
    requiredForProducts: false,
  };
}

type CapabilityParts = Pick<HandlerDeps, 'testController' | 'declareOnFirstUse'> & {
  readonly ports: Pick<HandlerDeps['ports'], 'callbackBase' | 'connections'>;
};

const newest: WireProfile = { dialect: 'adcp', form: '3.1', ...defined({ release: releaseNames.at(-1) }) };

/** Tasks of a release by which its callers search and buy. */
function marketTools(profile: WireProfile): readonly string[] {
  return lifecycleTasksOf(profile)
    .filter(({ servedBy }) => findTask(servedBy)?.serves !== 'platform')
    .map(({ name }) => name);
}

function versionOf(own: LocalCapabilities): string {
  const document = projectCapabilities({ ...own, lifecycleTools: marketTools(newest) }, newest);
  return createHash('sha256').update(canonicalJson(document)).digest('hex').slice(0, 32);
}

async function liveOf({ ports }: CapabilityParts, scope: TenantScope): Promise<readonly Connection[]> {
  return (await ports.connections.list(scope)).filter((connection) => connection.state === 'live');
}

/**
 * The version of what this agent offers to an organization's callers: it changes with sellers and with this software, and not
 * with the caller. Which publishers deny a seller is left out: it depends on what could be read just then.
 */
export async function capabilitiesVersion(parts: CapabilityParts, scope: TenantScope): Promise<string> {
  return versionOf(agentWide(parts, await liveOf(parts, scope)));
}

/** The capabilities of this agent: what is built and a connected seller supports. */
export async function getCapabilities(
  deps: HandlerDeps,
  { call, scope, version, request }: HandledCall<GetCapabilitiesRequest>,
): Promise<Handled> {
  const live = await liveOf(deps, scope);
  const own = agentWide(deps, live);
  const payload = projectCapabilities(
    {
      ...own,
      publisherDomains: await publishersBehind(deps, live),
      requestSigning: signingPolicy(call.caller, version),
      // Only a caller that is marked legacy, or signs, may register an HMAC secret
      // (docs/protocol/webhooks-out.md#registration-by-buyers).
      legacyHmacFallback:
        call.caller.kind === 'principal' && (call.caller.legacy || call.caller.signedBy !== undefined),
      lifecycleTools: marketTools(version.profile),
      changes: {
        version: versionOf(own),
        cacheSeconds: cacheMaxSeconds,
        coalescenceSeconds: subscribersEveryMs / 1_000,
      },
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
