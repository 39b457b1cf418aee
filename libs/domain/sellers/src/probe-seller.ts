import {
  getCapabilities,
  getProducts,
  getSignals,
  readReply,
  sellerFormOf,
  type Capabilities,
  type Dialect,
  type Form,
  type Voice,
} from '@switchyard/protocol';
import { err, ok, type Result } from '@switchyard/values';
import type { DiscoveredSeller } from './connection-directory.js';
import type { SellerKind } from './connection.js';
import type { EgressFailureCode } from './egress-port.js';
import type { SellerTarget, SellerTransport, TransportFailure, TransportFailureCode } from './transport.js';

/** Why a seller cannot go live, in words that an admin can act on. */
export interface ProbeFailure {
  readonly code: TransportFailureCode | 'not_conformant' | 'sells_nothing';
  readonly message: string;
  /** Where the seller answered, and with an error. */
  readonly httpStatus?: number;
  /** Where it did not, and our door out knows why. */
  readonly egress?: EgressFailureCode;
}

type Tools = Readonly<Record<string, readonly string[]>>;

/**
 * Looks at a seller before it goes live: what it offers, what it says of itself, in which form to speak to it
 * (ruling 2), and whether it sells inventory, signals or both. Reads only, so it may be repeated at will.
 */
export async function probeSeller(
  transport: SellerTransport,
  target: SellerTarget,
  configured: 'auto' | Form,
  signal: AbortSignal,
): Promise<Result<DiscoveredSeller, ProbeFailure>> {
  const listed = await transport.listTools(target, signal);
  if (!listed.ok) return err(failureOf(listed.error));
  const tools = listed.value;
  const said = await askCapabilities(transport, target, tools, configured, signal);
  if (!said.ok) return said;
  const { capabilities } = said.value;
  const kinds = kindsOf(capabilities, tools);
  if (kinds.length === 0) {
    return err({
      code: 'sells_nothing',
      message:
        'The seller offers neither products nor signals: it lists no such task and declares no such protocol.',
    });
  }
  return ok({
    capabilities,
    form: said.value.form,
    kinds,
    ...(Object.keys(tools).length === 0 ? {} : { tools }),
  });
}

function failureOf({ code, message, httpStatus, egress }: TransportFailure): ProbeFailure {
  return {
    code,
    message,
    ...(httpStatus === undefined ? {} : { httpStatus }),
    ...(egress === undefined ? {} : { egress }),
  };
}

interface Said {
  readonly capabilities: Capabilities;
  readonly form: Form;
}

async function askCapabilities(
  transport: SellerTransport,
  target: SellerTarget,
  tools: Tools,
  configured: 'auto' | Form,
  signal: AbortSignal,
): Promise<Result<Said, ProbeFailure>> {
  const tool = capabilitiesTool(target, tools);
  if (tool === undefined) return ok(silent(configured, target.dialect));
  // No arguments: every release takes that, and none refuses it for a field that it does not know.
  const called = await transport.call(target, { tool, args: {} }, signal);
  if (!called.ok) {
    // Over A2A nobody promised the task. Asked and not understood is the same as not there.
    const absent = called.error.code === 'protocol_error' || called.error.code === 'malformed';
    if (absent && !Object.hasOwn(tools, tool)) return ok(silent(configured, target.dialect));
    return err(failureOf(called.error));
  }
  const { payload, isError, a2a } = called.value;
  const form = sellerFormOf(payload, configured, target.dialect);
  const voice: Voice = { dialect: target.dialect, form };
  const reply = readReply(getCapabilities.name, payload, isError, voice, a2a);
  const refused = isError || reply.status === 'failed' || reply.status === 'rejected';
  if (refused && !Object.hasOwn(tools, tool)) return ok(silent(configured, target.dialect));
  if (refused) {
    return err({ code: 'not_conformant', message: 'The seller refuses to say what it can do.' });
  }
  const read = getCapabilities.readAnswer(reply.payload, voice);
  // An answer without anything that we know is kept as it stands; what it sells may still be seen from its tools.
  const capabilities = read.ok ? read.value.answer : { ...nothingDeclared, original: reply.payload };
  return ok({ capabilities, form });
}

/** The seller's own dialect first; a seller that lists only the other name answers to that. */
function capabilitiesTool(target: SellerTarget, tools: Tools): string | undefined {
  const other: Dialect = target.dialect === 'ads' ? 'adcp' : 'ads';
  const names = [...getCapabilities.names[target.dialect], ...getCapabilities.names[other]];
  const listed = names.find((name) => Object.hasOwn(tools, name));
  return listed ?? (target.protocol === 'a2a' ? names[0] : undefined);
}

/** Of a seller that says nothing nothing is assumed, idempotency least of all. */
const nothingDeclared: Capabilities = {
  supportedVersions: [],
  protocols: [],
  idempotency: { supported: false },
  publisherDomains: [],
  pricingModels: [],
  reportingByWebhook: false,
  windowedPullGranularities: [],
  requestSigning: { supported: false, requiredFor: [] },
  webhookSigning: false,
  original: {},
};

function silent(configured: 'auto' | Form, dialect: Dialect): Said {
  return { capabilities: nothingDeclared, form: sellerFormOf(undefined, configured, dialect) };
}

function kindsOf(capabilities: Capabilities, tools: Tools): SellerKind[] {
  const kinds: SellerKind[] = [];
  if (capabilities.protocols.includes('media_buy') || offers(tools, getProducts.names)) kinds.push('sales');
  if (capabilities.protocols.includes('signals') || offers(tools, getSignals.names)) kinds.push('signals');
  return kinds;
}

function offers(tools: Tools, names: Readonly<Record<Dialect, readonly string[]>>): boolean {
  return [...names.ads, ...names.adcp].some((name) => Object.hasOwn(tools, name));
}
