import { defined, ok, type JsonObject } from '@switchyard/values';
import { z } from 'zod';
import type { Capabilities, GetCapabilitiesRequest } from '../entities/capabilities/capabilities.js';
import { projectCapabilities, type LocalCapabilities } from '../entities/capabilities/local-capabilities.js';
import { capabilityBlocks, declaredReleases } from '../versions/seller-form.js';
import type { TaskSpec } from '../task-spec.js';
import { unusable } from '../message/answer.js';
import { projectExtras, readExtras } from '../message/extras.js';
import { inputSchemaOf, extras, idText, readShape } from '../message/shapes.js';
import { booleanAt, countAt, listAt, member, objectAt, textAt, textsAt } from '../message/pick.js';

const shape = z.looseObject({ ...extras, protocols: z.array(idText).max(20).optional() });

/** A capabilities document has at least one of these members. */
const signs = [
  'ads',
  'adcp',
  'supported_protocols',
  'request_signing',
  'media_buy',
  'signals',
  'publisher_domains',
];

export const getCapabilities: TaskSpec<GetCapabilitiesRequest, Capabilities> = {
  name: 'get_ads_capabilities',
  names: { ads: ['get_ads_capabilities'], adcp: ['get_adcp_capabilities'] },
  access: 'public',
  kind: 'read',
  area: 'products',
  permission: 'read',
  serves: 'platform',
  deadlineMs: 10_000,
  mayBeAsync: false,
  inputSchema: inputSchemaOf(shape),

  readRequest(args) {
    const checked = readShape(shape, args);
    if (!checked.ok) return checked;
    const protocols = textsAt(args, 'protocols');
    return ok({
      ...readExtras(args),
      ...defined({ protocols: protocols.length === 0 ? undefined : protocols }),
    });
  },

  projectRequest(request, to) {
    const { context, ext } = request;
    const args = {
      ...projectExtras(defined({ context, ext }), to, 'read'),
      ...(request.protocols === undefined ? {} : { protocols: [...request.protocols] }),
    } as JsonObject;
    return { args, findings: [] };
  },

  readAnswer(payload) {
    if (!signs.some((name) => member(payload, name) !== undefined))
      return unusable('it declares no capability');
    return ok({ answer: readCapabilities(payload), setAside: [] });
  },

  projectAnswer(capabilities, to) {
    return projectCapabilities(ownOf(capabilities), to);
  },
};

function readCapabilities(payload: JsonObject): Capabilities {
  const [block] = capabilityBlocks(payload);
  const sales = objectAt(payload, 'media_buy');
  const idempotency = objectAt(block, 'idempotency') ?? objectAt(payload, 'idempotency');
  const portfolio = objectAt(sales, 'portfolio') ?? payload;
  return {
    supportedVersions: declaredReleases(payload),
    protocols: protocolsOf(payload),
    idempotency: {
      supported: booleanAt(idempotency, 'supported') === true,
      ...defined({ replayTtlSeconds: countAt(idempotency, 'replay_ttl_seconds') }),
    },
    publisherDomains: textsAt(portfolio, 'publisher_domains'),
    pricingModels: textsAt(sales, 'supported_pricing_models'),
    reportingByWebhook: textsAt(sales, 'reporting_delivery_methods').includes('webhook'),
    windowedPullGranularities: textsAt(sales, 'windowed_pull_granularities'),
    requestSigning: signingOf(objectAt(payload, 'request_signing')),
    webhookSigning: booleanAt(objectAt(payload, 'webhook_signing'), 'supported') === true,
    ...webhookFaultOf(objectAt(payload, 'webhook_signing')),
    ...identityOf(objectAt(payload, 'identity')),
    original: payload,
  };
}

function identityOf(identity: JsonObject | undefined): Pick<Capabilities, 'brandJsonUrl' | 'keyOrigins'> {
  const origins = objectAt(identity, 'key_origins');
  const texts = Object.entries(origins ?? {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return defined({
    brandJsonUrl: textAt(identity, 'brand_json_url'),
    keyOrigins: origins === undefined ? undefined : Object.fromEntries(texts),
  });
}

/** The webhook profile has two algorithms; a sender without webhooks leaves the block out. */
const webhookAlgorithms: ReadonlySet<string> = new Set(['ed25519', 'ecdsa-p256-sha256']);

function webhookFaultOf(signing: JsonObject | undefined): Pick<Capabilities, 'webhookFault'> {
  const supported = booleanAt(signing, 'supported');
  if (supported === false) return { webhookFault: 'unsigned' };
  const isKnown = textsAt(signing, 'algorithms').every((name) => webhookAlgorithms.has(name));
  return supported === true && !isKnown ? { webhookFault: 'unknown_algorithm' } : {};
}

function signingOf(signing: JsonObject | undefined): Capabilities['requestSigning'] {
  const digest = textAt(signing, 'covers_content_digest');
  // A seller that only warns about missing signatures gets signed requests too.
  const supportedFor = [...textsAt(signing, 'supported_for'), ...textsAt(signing, 'warn_for')];
  const methodsRequiredFor = textsAt(signing, 'protocol_methods_required_for');
  const methodsSupportedFor = [
    ...textsAt(signing, 'protocol_methods_supported_for'),
    ...textsAt(signing, 'protocol_methods_warn_for'),
  ];
  return {
    supported: booleanAt(signing, 'supported') === true,
    requiredFor: textsAt(signing, 'required_for'),
    ...(supportedFor.length === 0 ? {} : { supportedFor }),
    ...(methodsRequiredFor.length === 0 ? {} : { methodsRequiredFor }),
    ...(methodsSupportedFor.length === 0 ? {} : { methodsSupportedFor }),
    ...(booleanAt(signing, 'required') === true ? { required: true } : {}),
    ...(digest === 'required' || digest === 'forbidden' || digest === 'either'
      ? { contentDigest: digest }
      : {}),
  };
}

/** Without the list, the protocols are derived from the blocks in the document. */
function protocolsOf(payload: JsonObject): readonly string[] {
  if (listAt(payload, 'supported_protocols') !== undefined) return textsAt(payload, 'supported_protocols');
  return ['media_buy', 'signals'].filter((name) => objectAt(payload, name) !== undefined);
}

function ownSigningOf({ contentDigest, ...lists }: Capabilities['requestSigning']) {
  return { ...lists, ...(contentDigest === undefined ? {} : { coversContentDigest: contentDigest }) };
}

function ownOf(capabilities: Capabilities): LocalCapabilities {
  return {
    protocols: capabilities.protocols,
    publisherDomains: capabilities.publisherDomains,
    pricingModels: capabilities.pricingModels,
    reportingByWebhook: capabilities.reportingByWebhook,
    windowedPullGranularities: capabilities.windowedPullGranularities,
    requestSigning: ownSigningOf(capabilities.requestSigning),
    webhookSigning: capabilities.webhookSigning,
    ...defined({
      idempotencyTtlSeconds: capabilities.idempotency.replayTtlSeconds,
      brandJsonUrl: capabilities.brandJsonUrl,
      keyOrigins: capabilities.keyOrigins,
      versions: capabilities.supportedVersions.length === 0 ? undefined : capabilities.supportedVersions,
    }),
  };
}
