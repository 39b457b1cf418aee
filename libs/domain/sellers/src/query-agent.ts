import {
  askedRelease,
  getCapabilities,
  readReply,
  sellerFormOf,
  type Capabilities,
  type Dialect,
  type Form,
  type SettingForm,
  type WireProfile,
} from '@switchyard/protocol';
import { defined, err, ok, type Result } from '@switchyard/values';
import type { EgressFailureCode } from './egress-port.js';
import { traitsOf } from './seller-protocol.js';
import type {
  SellerAnswer,
  SellerTarget,
  SellerTransport,
  TransportFailure,
  TransportFailureCode,
} from './transport.js';

/** Tools by name with their argument names, as an agent lists them. */
export type Tools = Readonly<Record<string, readonly string[]>>;

interface AgentRequest {
  readonly configured: SettingForm;
  readonly signal: AbortSignal;
  /** Maximum answer size of the capabilities task in bytes; absent: the limit of all tasks. */
  readonly maxAnswerBytes?: number;
}

/** An agent's tools and capabilities, as it reports them itself. */
export interface SelfDescription {
  readonly tools: Tools;
  readonly capabilities: Capabilities;
  readonly form: Form;
}

/** Why an agent could not be queried, with a text for an admin about what to do. */
export interface AgentFailure {
  readonly code: TransportFailureCode | 'not_conformant';
  readonly message: string;
  /** Set if the agent answered with an error status. */
  readonly httpStatus?: number;
  /** The egress failure, if egress failed. */
  readonly egress?: EgressFailureCode;
}

/** Queries the tools and capabilities of any agent. It only reads, so it may be repeated. */
export async function queryAgent(
  transport: SellerTransport,
  target: SellerTarget,
  query: AgentRequest,
): Promise<Result<SelfDescription, AgentFailure>> {
  const listed = await transport.listTools(target, query.signal);
  if (!listed.ok) return err(introductionFailure(listed.error, target.protocol));
  const reported = await queryCapabilities(transport, target, listed.value, query);
  return reported.ok ? ok({ ...reported.value, tools: listed.value }) : reported;
}

function failureOf({ code, message, httpStatus, egress }: TransportFailure): AgentFailure {
  return {
    code,
    message,
    ...defined({ httpStatus, egress }),
  };
}

/** Before any task, an unreadable answer or a missing path means that the address has no agent of this protocol. */
export function introductionFailure(
  failure: TransportFailure,
  protocol: SellerTarget['protocol'],
): AgentFailure {
  const { code, httpStatus } = failure;
  const received = failureOf(failure);
  const name = protocol.toUpperCase();
  if (code === 'malformed' || code === 'protocol_error')
    return { ...received, message: `What answers at this address does not speak ${name}.` };
  if (httpStatus === 404 || httpStatus === 405)
    return { ...received, message: `No ${name} agent is at this path (${httpStatus}): check the address.` };
  return received;
}

interface ReportedCapabilities {
  readonly capabilities: Capabilities;
  readonly form: Form;
}

async function queryCapabilities(
  transport: SellerTransport,
  target: SellerTarget,
  tools: Tools,
  { configured, signal, maxAnswerBytes }: AgentRequest,
): Promise<Result<ReportedCapabilities, AgentFailure>> {
  const tool = capabilitiesTool(target, tools);
  if (tool === undefined) return ok(silent(configured, target.dialect));
  // Without arguments: every release accepts that, and none can refuse an unknown field.
  const called = await transport.call(
    target,
    { tool, args: {}, ...(maxAnswerBytes === undefined ? {} : { maxAnswerBytes }) },
    signal,
  );
  if (!called.ok) {
    // An A2A agent need not offer this task. An answer that is not understood means that it does not.
    const absent = called.error.code === 'protocol_error' || called.error.code === 'malformed';
    if (absent && !Object.hasOwn(tools, tool)) return ok(silent(configured, target.dialect));
    return err(failureOf(called.error));
  }
  const answer = await named(transport, target, { tool, configured, signal }, called.value);
  const { payload, isError, a2a } = answer;
  const form = sellerFormOf(payload, configured, target.dialect);
  const profile: WireProfile = { dialect: target.dialect, form };
  const reply = readReply(getCapabilities.name, payload, isError, a2a);
  const refused = isError || reply.status === 'failed' || reply.status === 'rejected';
  if (refused && !Object.hasOwn(tools, tool)) return ok(silent(configured, target.dialect));
  if (refused) {
    return err({ code: 'not_conformant', message: 'The seller refuses to say what it can do.' });
  }
  const read = getCapabilities.readAnswer(reply.payload, profile);
  // An answer without known members is stored unchanged; the tools may still show what the seller sells.
  const capabilities = read.ok ? read.value.answer : { ...nothingDeclared, original: reply.payload };
  return ok({ capabilities, form });
}

/**
 * The answer of a seller that names its release only to who names one: it is asked once more at our highest. One that
 * refuses that, or does not repeat the release, is taken as it answered first.
 */
async function named(
  transport: SellerTransport,
  target: SellerTarget,
  { tool, configured, signal }: Pick<AgentRequest, 'configured' | 'signal'> & { readonly tool: string },
  first: SellerAnswer,
): Promise<SellerAnswer> {
  const args = first.isError ? undefined : askedRelease(first.payload, configured, target.dialect);
  if (args === undefined) return first;
  const again = await transport.call(target, { tool, args }, signal);
  if (!again.ok || again.value.isError) return first;
  const isNamed = Object.entries(args).some(
    ([, release]) => sellerFormOf(again.value.payload, configured, target.dialect) === release,
  );
  return isNamed ? again.value : first;
}

/** Prefers the name in the seller's own dialect, then the other name if the seller lists only that. */
function capabilitiesTool(target: SellerTarget, tools: Tools): string | undefined {
  const other: Dialect = target.dialect === 'ads' ? 'adcp' : 'ads';
  const names = [...getCapabilities.names[target.dialect], ...getCapabilities.names[other]];
  const listed = names.find((name) => Object.hasOwn(tools, name));
  return listed ?? (traitsOf(target.protocol).listsTools ? undefined : names[0]);
}

/** Defaults for a seller that declares nothing. No feature is assumed, in particular not idempotency. */
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

function silent(configured: SettingForm, dialect: Dialect): ReportedCapabilities {
  return { capabilities: nothingDeclared, form: sellerFormOf(undefined, configured, dialect) };
}
