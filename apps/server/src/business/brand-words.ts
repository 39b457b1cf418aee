import type { SyncAccountsRequest } from '@switchyard/protocol';
import type { AccountRecord, BrandWord } from '@switchyard/tenancy';
import { taskError } from '@switchyard/protocol';
import type { HandledCall, HandlerDeps } from '../platform/tasks/call/handler.js';
import { refuseOutside } from '../platform/tasks/gates/reach-of-task.js';
import { judgeBrand, judgeOperator } from '../platform/tasks/gates/operator-check.js';

/** The most brands queried at once. */
const atATime = 16;
/** The total time for brands, in milliseconds: a list of many that do not answer must end before its task. */
const timeoutMs = 8_000;

/**
 * Verdicts on our acting for brands, by the place of the row: whether the declared operator is our organization, and
 * for a new account the brand's own document (docs/protocol/accounts.md#operators-of-a-brand). An open account is
 * checked when used. A brand that no scope of the caller covers gets no account. If the document cannot be read, a brand's own principal gets no account, and an agency's a
 * warning.
 */
export async function brandWords(
  deps: Pick<HandlerDeps, 'operators' | 'ports' | 'grants'>,
  handled: HandledCall<SyncAccountsRequest>,
  known: readonly AccountRecord[],
): Promise<ReadonlyMap<number, BrandWord>> {
  const { operators, ports } = deps;
  const { request, scope, principal, args } = handled;
  const words = new Map<number, BrandWord>();
  if (principal === undefined) return words;
  for (const [at, { account, operator }] of request.accounts.entries()) {
    if (account !== undefined || operators === undefined) continue;
    const judged = await judgeOperator(operators, scope, operator, `accounts[${String(at)}].operator`);
    if (!judged.ok) words.set(at, { refusal: judged.error });
    else if (judged.value[0] !== undefined) words.set(at, { warning: judged.value[0].message });
  }
  const requested = request.accounts.flatMap(({ account, brandDomain, brandId }, at) =>
    account !== undefined || words.get(at)?.refusal !== undefined || isOpen(known, brandDomain, brandId)
      ? []
      : [{ at, brandDomain, brandId }],
  );
  const until = ports.clock.now() + timeoutMs;
  for (let from = 0; from < requested.length; from += atATime) {
    const isLate = ports.clock.now() >= until;
    await Promise.all(
      requested.slice(from, from + atATime).map(async ({ at, ...brand }) => {
        const field = `accounts[${String(at)}].brand.domain`;
        const outside = await refuseOutside(deps, handled, brand);
        if (outside !== undefined) return void words.set(at, { refusal: { ...outside, field } });
        if (operators === undefined) return;
        if (isLate) return void words.set(at, unanswered(principal.principalKind === 'brand', field));
        const judged = await judgeBrand(operators, { scope, principal, args }, { ...brand, field });
        if (!judged.ok) return void words.set(at, { refusal: judged.error });
        const [finding] = judged.value;
        const before = words.get(at)?.warning;
        if (finding !== undefined)
          words.set(at, { warning: before === undefined ? finding.message : `${before} ${finding.message}` });
      }),
    );
  }
  return words;
}

function isOpen(known: readonly AccountRecord[], brandDomain: string, brandId: string): boolean {
  return known.some(
    (account) =>
      account.closedAt === undefined && account.brandDomain === brandDomain && account.brandId === brandId,
  );
}

function unanswered(isBrand: boolean, field: string): BrandWord {
  const warning = 'The request has too many brands to check the authorization of each.';
  if (!isBrand) return { warning };
  const suggestion = 'Declare these accounts in a separate request.';
  return { refusal: taskError('PERMISSION_DENIED', warning, { field, suggestion }) };
}
