import { Loader } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, ApiFailure, type Answer, type JsonObject } from '../../../api/client.js';
import { Checks, type Check } from '../../../parts/checks.js';
import { ErrorPanel } from '../../../parts/error-panel.js';
import { Go } from '../../../parts/go.js';
import { moneyText } from '../../../parts/money.js';
import { clean } from '../../../parts/name.js';
import { Panel } from '../../../parts/panel.js';
import { StatusBadge } from '../../../parts/status.js';
import { dayText, rangeText } from '../../../parts/time.js';
import { EditCampaign } from '../edit-campaign.js';

type Preview = Answer<'POST /v1/buys/dry-run'>;
type Campaign = Answer<'GET /v1/campaigns'>['campaigns'][number];

/** How long nothing is typed before the plan is checked, in milliseconds. */
const pauseMs = 700;

/** Checks a complete plan with its sellers, without buying: their catalogues are read, and nothing is ordered. */
export function usePlanCheck(request: JsonObject | undefined) {
  const { idempotency_key: _key, ...plan } = request ?? {};
  const text = JSON.stringify(plan);
  const [settled] = useDebouncedValue(text, pauseMs);
  const isSettled = settled === text;
  const query = useQuery({
    queryKey: ['plan check', settled],
    queryFn: ({ signal }) => api('POST /v1/buys/dry-run', { body: request ?? {}, signal }),
    enabled: request !== undefined && isSettled,
    staleTime: 30_000,
    retry: false,
  });
  const isWaiting = request !== undefined && (!isSettled || query.isPending);
  const isRefused =
    query.data?.outcome === 'refused' ||
    (query.error instanceof ApiFailure && refusals.has(query.error.status));
  return { query, isWaiting, isRefused };
}

/** What the order itself would be answered with. */
const refusals = new Set([400, 403, 404, 409, 422]);

const states = { refuse: 'stops', ask: 'warn', warn: 'warn' } as const;

const limitNames: Readonly<Record<string, (of: string, name: (seller: string) => string) => string>> = {
  organization: () => 'Limit of the organization',
  'each-buy': () => 'Limit of one buy',
  principal: () => 'Your limit',
  brand: (of) => `Limit of ${of}`,
  client: () => 'Limit of the client',
  campaign: () => 'Limit of the campaign',
  seller: (of, name) => `Limit at ${name(of)}`,
  'new-brand': () => 'First buy for this brand',
};

/** The checks of a plan, what stops it first; each has its repair where a person may do it. */
export function checksOf(
  preview: Preview,
  {
    campaign,
    basketEnd,
    nameOf,
  }: {
    readonly campaign: Campaign | undefined;
    /** The last day of the plan, YYYY-MM-DD. */
    readonly basketEnd: string;
    readonly nameOf: (seller: string) => string;
  },
): readonly Check[] {
  const order: readonly Check['state'][] = ['stops', 'warn', 'to do', 'ok'];
  const limits = preview.limits.map((limit) => limitCheck(limit, { campaign, basketEnd, nameOf }));
  const sellers = preview.sellers.flatMap(({ seller, ok, problems, findings }): readonly Check[] => {
    const name = nameOf(seller);
    const faults = [...problems, ...findings];
    if (ok)
      return [
        {
          title: `${name} would take it`,
          state: findings.length > 0 ? 'warn' : 'ok',
          detail: findings.length > 0 ? sentences(findings) : 'Products and prices asked just now.',
        },
      ];
    const lacksCreative = faults.some(({ code, message }) => /creative/i.test(`${code} ${message}`));
    return [
      {
        title:
          problems.length > 0
            ? `${name} would refuse${lacksCreative ? ': no creative' : ''}`
            : `${name}${lacksCreative ? ': no creative yet' : ': look at it'}`,
        state: problems.length > 0 ? 'stops' : 'warn',
        detail: sentences(faults),
        repair: lacksCreative && <Go to="/creatives">Add one</Go>,
      },
    ];
  });
  const whole = [...preview.problems, ...preview.findings].map((fault): Check => ({
    title: clean(fault.message, 300),
    state: preview.problems.includes(fault) ? 'stops' : 'warn',
    detail:
      'suggestion' in fault && typeof fault.suggestion === 'string'
        ? clean(fault.suggestion, 300)
        : undefined,
  }));
  const approval: readonly Check[] =
    preview.outcome === 'approval'
      ? [
          {
            title: 'Another person is asked',
            state: 'warn',
            detail: clean(preview.approval_reason ?? 'No seller is called before.', 400),
          },
        ]
      : preview.outcome === 'sent'
        ? [{ title: 'No approval needed', state: 'ok', detail: 'It goes to its sellers at once.' }]
        : [];
  return [...whole, ...limits, ...sellers, ...approval].toSorted(
    (a, b) => order.indexOf(a.state) - order.indexOf(b.state),
  );
}

const sentences = (faults: readonly { readonly message: string; readonly suggestion?: string }[]): string =>
  faults.map(({ message, suggestion = '' }) => clean(`${message} ${suggestion}`.trim(), 400)).join(' ');

function limitCheck(
  limit: Preview['limits'][number],
  {
    campaign,
    basketEnd,
    nameOf,
  }: {
    readonly campaign: Campaign | undefined;
    readonly basketEnd: string;
    readonly nameOf: (seller: string) => string;
  },
): Check {
  const [kind = '', of = ''] = limit.for.replace('_', '-').split(/:(.*)/s);
  const state = limit.exceeded ? states[limit.above] : 'ok';
  const money = (amount: string): string => moneyText(amount.replace(/^-/, ''), limit.currency);
  if (kind === 'campaign-flight' && campaign !== undefined)
    return {
      title: limit.exceeded ? 'It runs outside the days of the campaign' : 'Within the days of the campaign',
      state,
      detail: `The campaign runs ${rangeText(campaign.from, campaign.to)}${basketEnd > campaign.to ? `; the lines end ${dayText(basketEnd)}` : ''}.`,
      repair: limit.exceeded && basketEnd > campaign.to && (
        <EditCampaign campaign={campaign} label="Extend" preset={{ to: basketEnd }} />
      ),
    };
  const { limit: whole, left, left_after: after } = limit;
  if (kind === 'campaign-budget' && campaign !== undefined && after !== null && whole !== null)
    return {
      title: limit.exceeded ? `${money(after)} over the campaign` : 'Within the budget of the campaign',
      state,
      detail: limit.exceeded
        ? `Free are ${money(left ?? '0')} of ${money(whole)}. Raise the budget, or lower the lines.`
        : `${money(after)} of ${money(whole)} would be left.`,
      repair: limit.exceeded && (
        <EditCampaign campaign={campaign} label="Raise" preset={{ budget: raised(whole, after) }} />
      ),
    };
  const name = (limitNames[kind] ?? (() => clean(limit.for, 60)))(of, nameOf);
  const per = limit.per === null ? '' : ` a ${limit.per}`;
  if (whole === null || after === null)
    return { title: name, state, detail: limit.exceeded ? 'This plan is over it.' : 'Within it.' };
  return {
    title: name,
    state,
    detail: limit.exceeded
      ? `This plan is over ${money(whole)}${per}${limit.above === 'ask' ? ': another person is asked' : ''}.`
      : `${money(after)} of ${money(whole)}${per} would be left.`,
    repair: limit.exceeded && limit.above === 'refuse' && <Go to="/limits">Look</Go>,
  };
}

/** The budget that would be enough: with what the plan passes it by. Whole units, up. */
function raised(budget: string, after: string): string {
  const sum = Number(budget) + Number(after.replace(/^-/, ''));
  return String(Math.ceil(sum));
}

/** What is checked before the plan can be bought. */
export function BeforeYouBuy({
  problems,
  check,
  checks,
}: {
  readonly problems: readonly string[];
  readonly check: ReturnType<typeof usePlanCheck>;
  readonly checks: readonly Check[];
}) {
  const stops = problems.length + checks.filter(({ state }) => state === 'stops').length;
  const warnings = checks.filter(({ state }) => state === 'warn').length;
  const { query, isWaiting } = check;
  const pill = (): ReactNode => {
    if (problems.length === 0 && (isWaiting || query.isError)) return undefined;
    if (stops > 0) return <StatusBadge of={`${stops} ${stops === 1 ? 'stops' : 'stop'} it`} tone="bad" />;
    return warnings > 0 ? (
      <StatusBadge of={`${warnings} to look at`} tone="warn" />
    ) : (
      <StatusBadge of="Nothing stops it" tone="good" />
    );
  };
  return (
    <Panel title="Before you buy" acts={pill()}>
      {problems.length > 0 && (
        <Checks of={problems.map((problem) => ({ title: problem, state: 'stops' as const }))} />
      )}
      {problems.length === 0 && isWaiting && (
        <p className="panel-small" role="status">
          <Loader size="xs" /> The plan is checked with its sellers. Nothing is ordered.
        </p>
      )}
      {problems.length === 0 && query.isError && (
        <ErrorPanel error={query.error} again={() => void query.refetch()} />
      )}
      {problems.length === 0 && !isWaiting && <Checks of={checks} />}
    </Panel>
  );
}
