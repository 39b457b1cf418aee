import {
  type AccountRef,
  getMediaBuys,
  getProducts,
  getSignals,
  listAccounts,
  listOfItems,
  projectExtras,
  readReply,
  type SellerReply,
  type TaskError,
  type TaskSpec,
  type WireProfile,
  profileOf,
} from '@switchyard/protocol';
import type { Result } from '@switchyard/values';
import { isAboutAccount, wantsAccountForProducts } from '../accounts/client-account.js';
import { cut } from '../keys/discovery-failure.js';
import type { TransportFailure } from '../transport.js';
import { callTask, said, type Called } from './call-task.js';
import type { CheckResult, Finding } from './check.js';
import type { GateContext } from './gate-context.js';

/** What the test read asks for: something that every seller of inventory may have. */
export const testBrief = 'Display advertising for a general audience';
const authCodes = /^AUTH_|^UNAUTHORIZED$/;
/** Of a seller that answers as usual the next time. */
const busyCodes = /^(?:RATE_LIMITED|SERVICE_UNAVAILABLE|UNAVAILABLE|REQUEST_TIMEOUT)$/;

/**
 * Reads what a seller offers, as a buyer would, and checks the answer against its release; then reads something that needs
 * our credential, with it and without it. A seller that is garbage fails here and goes no further.
 */
export async function readSeller(context: GateContext): Promise<CheckResult> {
  const { kinds } = context.connection();
  if (kinds.includes('sales')) {
    const read = await readProducts(context);
    return read.state === 'passed' ? withProtectedRead(context, read) : read;
  }
  if (kinds.includes('signals')) {
    const request = { signalSpec: testBrief, ...(await placesFor(context)) };
    const read = await readOffer(context, getSignals, request, 'signal', context.connection().account);
    return read.state === 'passed' ? withProtectedRead(context, read) : read;
  }
  return {
    state: 'skipped',
    code: 'sells_nothing',
    words: 'It sells nothing, so there is no offer to read.',
  };
}

/** Where signals are wanted: the older forms require a place. Nothing is activated. */
async function placesFor(context: GateContext) {
  const { form } = context.connection();
  if (form !== 'service' && form !== '2.5') return { destinations: [], countries: [] };
  const agentUrl = `https://${await context.ownDomain()}`;
  return { destinations: [{ type: 'agent' as const, agentUrl }], countries: ['US'] };
}

/** Without an account, and with ours where the seller wants one: a refusal for that is remembered. */
async function readProducts(context: GateContext): Promise<CheckResult> {
  const connection = context.connection();
  const read = () => {
    const { account } = context.connection();
    const named = wantsAccountForProducts(context.connection()) ? account : undefined;
    return readOffer(context, getProducts, { brief: testBrief, buyingMode: 'brief' }, 'product', named);
  };
  const first = await read();
  if (first.code !== 'account_needed' || wantsAccountForProducts(connection)) return first;
  await context.wantAccount();
  return connection.account === undefined ? first : read();
}

async function readOffer<Request, Answer>(
  context: GateContext,
  spec: TaskSpec<Request, Answer>,
  request: Request,
  item: 'product' | 'signal',
  account: AccountRef | undefined,
): Promise<CheckResult> {
  const connection = context.connection();
  const profile: WireProfile = profileOf(connection);
  const args = {
    ...spec.projectRequest(request, profile).args,
    ...(account === undefined ? {} : projectExtras({ account }, profile, 'read')),
  };
  const sent = `a brief${account === undefined ? '' : ' with our account'}`;
  const called = await callTask(context, spec.names[connection.dialect], args);
  const finding = (more: Pick<Finding, 'grade' | 'came' | 'cost' | 'mend'>): Finding => ({
    task: spec.names[connection.dialect][0],
    release: connection.form,
    sent,
    allowed: `An answer with a list of ${item}s, each with the members that the release requires.`,
    ...more,
  });
  if (!called.ok) return failedRead(context, called.error, item);
  const { payload, isError, a2a, tool } = called.value;
  const reply = readReply(spec.name, payload, isError, a2a);
  if (reply.status === 'submitted' || reply.status === 'working')
    return { state: 'passed', code: 'answers_later', words: `It takes the question and answers it later.` };
  if (reply.status !== 'completed' && reply.status !== 'unknown')
    return refusedRead(await wordsOf(context, reply), reply.errors);
  const { list = '' } = listOfItems(spec.name) ?? {};
  const items = reply.payload[list];
  const read = Array.isArray(items) ? spec.readAnswer(reply.payload, profile) : undefined;
  if (!Array.isArray(items) || read?.ok !== true) {
    const came = Array.isArray(items)
      ? 'an answer that breaks the release'
      : `an answer without a list "${list}"`;
    return {
      state: 'failed',
      code: 'not_conformant',
      words: `The answer to ${tool} does not follow the protocol: it is ${came}.`,
      next: 'Send the report to the seller: switchyard sellers report SLUG',
      findings: [
        finding({
          grade: 'blocks',
          came,
          cost: `We cannot show what it sells, so nobody can buy it.`,
          mend: `Answer with "${list}", as the release describes it.`,
        }),
      ],
    };
  }
  const aside = read.value.setAside;
  const findings = aside.slice(0, 20).map(({ code, message }) =>
    finding({
      grade: aside.length === items.length ? 'blocks' : 'limits',
      came: `${code}: ${cut(message)}`,
      cost: `This ${item} is not shown, so nobody can buy it.`,
      mend: `Add what is missing to the ${item}.`,
    }),
  );
  const usable = items.length - aside.length;
  const evidence = { [`${item}s`]: items.length, usable };
  if (usable <= 0)
    return {
      state: 'failed',
      code: items.length === 0 ? `no_${item}s` : 'not_conformant',
      words:
        items.length === 0
          ? `It answered, and offers no ${item} for a general question.`
          : `None of its ${items.length} ${item}s has what the release requires.`,
      next: 'Send the report to the seller: switchyard sellers report SLUG. Then try again.',
      evidence,
      findings:
        findings.length > 0
          ? findings
          : [
              finding({
                grade: 'blocks',
                came: `an empty list "${list}"`,
                cost: 'There is nothing to buy.',
                mend: `Offer at least one ${item} to our account.`,
              }),
            ],
    };
  const words = `It offers ${usable} ${item}${usable === 1 ? '' : 's'} that can be used${aside.length === 0 ? '' : `, and ${aside.length} that cannot`}.`;
  return { state: 'passed', code: 'offers', words, evidence, findings };
}

function failedRead(
  context: GateContext,
  { code, message, httpStatus }: TransportFailure,
  item: string,
): CheckResult {
  const { credentialId } = context.connection();
  if (code === 'unauthorized' || httpStatus === 403) {
    if (credentialId === undefined)
      return {
        state: 'needs_person',
        code: 'credential_needed',
        words: `It says what it can do to everybody, and shows no ${item} without a credential.`,
        next: 'Add it again with its token: switchyard sellers add INPUT --slug SLUG --token-stdin',
      };
    return {
      state: 'failed',
      code: 'refused',
      words: `It does not accept our credential (${httpStatus ?? 401}).`,
      next: 'Enter another one.',
    };
  }
  const isSlow = code === 'timeout' || code === 'aborted';
  if (isSlow && context.isPractice)
    return {
      state: 'passed',
      code: 'slow',
      words: 'This practice seller takes longer than a test waits; that is what it is for.',
    };
  return {
    state: 'failed',
    code: isSlow ? 'slow' : code,
    words: isSlow
      ? 'It did not answer the test question in time.'
      : `The test question failed: ${cut(message)}`,
    next: 'Try again, or ask the seller.',
    ...(httpStatus === undefined ? {} : { evidence: { status: httpStatus } }),
  };
}

/** The seller's own words, or what it answered where it has none. */
const wordsOf = async (context: GateContext, { status, errors }: SellerReply): Promise<string> =>
  errors.length === 0
    ? `It answered ${status}, without a reason.`
    : `Its words: ${await said(context, errors)}`;

function refusedRead(words: string, errors: readonly TaskError[]): CheckResult {
  if (errors.some(isAboutAccount))
    return {
      state: 'needs_person',
      code: 'account_needed',
      words: `It wants to know our account. ${words}`,
      next: 'Choose one: switchyard sellers add INPUT --slug SLUG --account ID',
    };
  if (errors.some(({ code }) => authCodes.test(code)))
    return {
      state: 'failed',
      code: 'refused',
      words: `It does not accept our credential. ${words}`,
      next: 'Enter another one.',
    };
  return {
    state: 'failed',
    code: errors.length > 0 && errors.every(({ code }) => busyCodes.test(code)) ? 'busy' : 'seller_refused',
    words: `It refused the test question. ${words}`,
    next: 'Ask the seller, and try again.',
  };
}

/** Reads something of our own with the credential, and sees that it is refused without. */
async function withProtectedRead(context: GateContext, read: CheckResult): Promise<CheckResult> {
  const { credentialId, tools, dialect, form } = context.connection();
  const task = [listAccounts, getMediaBuys].find(({ names }) =>
    names[dialect].some((name) => Object.hasOwn(tools ?? {}, name)),
  );
  if (credentialId === undefined || task === undefined) return read;
  const names = task.names[dialect];
  const withIt = await callTask(context, names, {});
  if (isRefusal(task.name, withIt))
    return {
      ...read,
      state: 'failed',
      code: 'refused',
      words: 'It shows its offer, and refuses our credential where one is needed.',
      next: 'Enter another one.',
    };
  const without = await callTask(context, names, {}, ({ credential: _, ...target }) => ({
    ...target,
    sessionOf: 'nobody',
  }));
  if (!without.ok || isRefusal(task.name, without) || !withIt.ok)
    return { ...read, evidence: { ...read.evidence, protected: true } };
  const finding: Finding = {
    grade: 'limits',
    task: names[0],
    release: form,
    sent: 'the same question with our credential and without it',
    came: 'an answer both times',
    allowed: 'Without a credential: AUTH_MISSING, or HTTP 401.',
    cost: 'Whether it accepts our credential cannot be proved before a purchase.',
    mend: 'Refuse callers without a credential.',
  };
  return {
    ...read,
    evidence: { ...read.evidence, protected: false },
    findings: [...(read.findings ?? []), finding],
  };
}

function isRefusal(task: string, called: Result<Called, TransportFailure>): boolean {
  if (!called.ok) return called.error.code === 'unauthorized' || called.error.httpStatus === 403;
  const reply = readReply(task, called.value.payload, called.value.isError, called.value.a2a);
  return reply.errors.some(({ code }) => authCodes.test(code));
}
