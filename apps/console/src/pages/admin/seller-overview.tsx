import { Table } from '@mantine/core';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { Go } from '../../parts/go.js';
import { Money, numberText, sumText } from '../../parts/money.js';
import { monthAfter, monthOf } from '../../parts/month.js';
import { Name, clean } from '../../parts/name.js';
import { Stats, type Stat } from '../../parts/stats.js';
import { DayLines, DayStrip } from '../../parts/charts.js';
import { ScrollTable } from '../../parts/scroll-table.js';
import { StatusBadge } from '../../parts/status.js';
import { dayText, monthName, Time } from '../../parts/time.js';
import { useAnswer, useMay } from '../../parts/use-rows.js';
import { daysOf, deliveredOf, shareOf, spanText, stripText } from './sellers.js';
import { BuyLink } from '../agency/buy-link.js';
import { NoneYet } from '../../parts/none-yet.js';
import { Panel } from '../../parts/panel.js';
import { GateChecks, progressOf, useGateRun, type Run } from './connect/gate-checks.js';
import { Steps } from './steps.js';

type Seller = Answer<'GET /v1/sellers/{slug}'>;

/** How it answered, day by day. */
export function HealthByDay({ seller: { figures } }: { readonly seller: Seller }) {
  const { days } = figures;
  const line = (pick: (one: (typeof days)[number]) => number | undefined) =>
    days.flatMap((one) => {
      const value = pick(one);
      return value === undefined ? [] : [{ day: one.day, value }];
    });
  return (
    <Panel
      title="Health"
      about="30 days, milliseconds"
      acts={<DayStrip days={daysOf(figures)} message={stripText(figures)} width={252} />}
    >
      {days.length < 2 ? (
        <p className="panel-small">Too little was sent to it to draw its answer times.</p>
      ) : (
        <DayLines
          unit="ms"
          lines={[
            { name: 'typical', points: line(({ median_ms: ms }) => ms) },
            { name: '95 of 100', points: line(({ slowest_ms: ms }) => ms) },
          ]}
          message={`Half of its answers came within ${figures.median_ms ?? '–'} ms, 95 of 100 within ${figures.slowest_ms ?? '–'} ms.`}
        />
      )}
    </Panel>
  );
}

type Spend = Answer<'GET /v1/ledger/spend'>['spend'];
type Account = Answer<'GET /v1/sellers/{slug}/accounts'>['accounts'][number];

/** What was delivered in an account: it is named by its id, or as the pair of brand and operator. */
const spendIn = (spend: Spend, { account_id: id, brand_domain: brand, operator }: Account): Spend =>
  spend.filter(({ account }) => account === id || account === `${brand ?? ''} by ${operator ?? ''}`);

/** Which client is billed where. */
export function AccountsNow({ slug }: { readonly slug: string }) {
  const seesMoney = useMay()('ledger.read');
  const month = monthOf();
  const accounts = useAnswer('GET /v1/sellers/{slug}/accounts', { params: { slug } });
  const known = accounts.data?.accounts ?? [];
  const query = { by: 'account', seller: slug, from: `${month}-01`, to: `${monthAfter(month, 1)}-01` };
  const spend = useAnswer('GET /v1/ledger/spend', { query }, seesMoney && known.length > 0).data?.spend;
  const delivered = `Delivered, ${monthName(month).slice(0, 3)}`;
  if (known.length === 0) return undefined;
  return (
    <Panel
      title="Accounts"
      about="which client is billed where"
      acts={
        <Go to="." search={{ tab: 'Accounts' }}>
          All accounts
        </Go>
      }
      isFlush
    >
      <ScrollTable label="Accounts at the seller" className="stacks">
        <Table.Thead>
          <Table.Tr>
            {['Account at the seller', 'Used for', 'Billing'].map((title) => (
              <Table.Th key={title}>{title}</Table.Th>
            ))}
            {spend !== undefined && <Table.Th className="number">{delivered}</Table.Th>}
            <Table.Th>State</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {known.slice(0, 5).map((row) => (
            <Table.Tr key={row.account_id}>
              <Table.Td>
                <b>
                  <Name of={row.name ?? row.account_id} most={60} />
                </b>
              </Table.Td>
              <Table.Td data-title="Used for">
                {row.clients.map(({ client }) => clean(client, 60)).join(', ') ||
                  (row.is_default ? 'all other clients' : '–')}
              </Table.Td>
              <Table.Td data-title="Billing">
                {clean(row.payment_terms ?? row.billing ?? '–', 40).replaceAll('_', ' ')}
              </Table.Td>
              {spend !== undefined && (
                <Table.Td className="number" data-title={delivered}>
                  {deliveredOf({
                    delivered: spendIn(spend, row).map(({ currency, spend: amount }) => ({
                      currency,
                      amount,
                    })),
                  })}
                </Table.Td>
              )}
              <Table.Td data-title="State">
                <StatusBadge of={row.status} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </ScrollTable>
    </Panel>
  );
}

/** What each kind of secret is, and what it is used for. */
const credentialWords: Readonly<Record<string, readonly [what: string, use: string]>> = {
  oauth_access: ['Sign-in with the seller (OAuth)', 'every call we make'],
  oauth_refresh: ['Renewal of the sign-in', 'the next token, at its server'],
  oauth_client: ['Our client at its server', 'the next token, at its server'],
  bearer: ['Token', 'every call we make'],
  basic: ['Name and password', 'every call we make'],
  client_cert: ['Client certificate', 'every call we make'],
  webhook: ['Shared secret', 'reports they send'],
  idempotency: ['Secret of request keys', 'keys of our requests'],
};

/** A token of a sign-in is replaced by itself as long as something renews it. */
const renews = (rows: readonly { readonly kind: string }[]): boolean =>
  rows.some(({ kind }) => kind === 'oauth_refresh' || kind === 'oauth_client');

/** How we sign in there, and until when. */
export function KeysNow({ slug }: { readonly slug: string }) {
  const credentials = useAnswer('GET /v1/credentials', { query: { seller: slug, limit: '20' } });
  const rows = (credentials.data?.credentials ?? []).filter(
    ({ state }) => state === 'current' || state === 'candidate',
  );
  return (
    <Panel
      title="Keys and sign-in"
      about="secrets are never shown again"
      acts={
        rows.length > 0 && (
          <Go to="." search={{ tab: 'Keys and sign-in' }}>
            Rotate
          </Go>
        )
      }
      isFlush
    >
      {rows.length === 0 ? (
        <NoneYet query={credentials}>
          Nothing is kept for this seller: it is called without a credential.
        </NoneYet>
      ) : (
        <ScrollTable label="Keys of the seller" className="stacks">
          <Table.Thead>
            <Table.Tr>
              {['What', 'Used for', 'Since', 'Ends', 'Last used'].map((title) => (
                <Table.Th key={title}>{title}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <Table.Tr key={`${row.credential_id} ${row.version}`}>
                <Table.Td>
                  <b>{credentialWords[row.kind]?.[0] ?? clean(row.kind, 40).replaceAll('_', ' ')}</b>
                </Table.Td>
                <Table.Td data-title="Used for">{credentialWords[row.kind]?.[1] ?? '–'}</Table.Td>
                <Table.Td data-title="Since">{dayText(row.created_at)}</Table.Td>
                <Table.Td data-title="Ends">
                  {row.kind === 'oauth_access' && renews(rows)
                    ? 'renews itself'
                    : row.retires_at === undefined
                      ? 'when it is replaced'
                      : dayText(row.retires_at)}
                </Table.Td>
                <Table.Td data-title="Last used">
                  <Time at={row.last_used_at} ago />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </ScrollTable>
      )}
    </Panel>
  );
}

export function LiveBuys({ seller: { live_buys: live } }: { readonly seller: Seller }) {
  if (live.media_buy_ids.length === 0) return undefined;
  return (
    <Panel title="Running buys" about={`${live.count} not ended`}>
      <ul className="plain-list">
        {live.media_buy_ids.map((id) => (
          <li key={id}>
            <BuyLink id={id} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** What the checks found last: at night, or when it was connected. */
export function ChecksNow({ slug }: { readonly slug: string }) {
  const { data: run } = useGateRun(slug);
  if (run?.nightly !== undefined) return <NightlyChecks run={run.nightly} />;
  if (run === undefined || run === null || run.checks.length === 0) return undefined;
  return (
    <Panel title="Checks" about={progressOf(run)}>
      <GateChecks run={run} />
    </Panel>
  );
}

const nightly = { passed: 'all passed', failed: 'not all passed', unanswered: 'it did not answer' } as const;

/** The checks of a live seller that run by themselves once a night. */
export function NightlyChecks({ run }: { readonly run: NonNullable<Run['nightly']> }) {
  return (
    <Panel
      title="Checks of the last night"
      about={
        <>
          <Time at={run.at} />, {nightly[run.state]}
        </>
      }
    >
      <GateChecks run={run} onlyRan />
    </Panel>
  );
}

/** The open differences at a seller, with their money by currency; nothing for who may not see them. */
function useDifferences(seller: string): readonly Stat[] {
  const seesMoney = useMay()('ledger.read');
  const query = { seller, state: 'open', limit: '500' } as const;
  const { data } = useAnswer('GET /v1/breaks', { query }, seesMoney);
  if (data === undefined) return [];
  const months = [...new Set(data.breaks.map(({ period }) => period))].sort();
  const [first = ''] = months;
  const currencies = [...new Set(data.breaks.map(({ currency }) => currency))];
  const isMore = data.next_cursor !== undefined;
  return [
    {
      label: 'Differences',
      value: `${data.breaks.length}${isMore ? '+' : ''}`,
      unit: 'open',
      note:
        data.breaks.length === 0 ? (
          'the figures agree'
        ) : (
          <>
            {!isMore &&
              currencies.map((currency) => (
                <span key={currency}>
                  <Money
                    amount={sumText(
                      data.breaks
                        .filter((row) => row.currency === currency)
                        .map(({ difference }) => difference.replace(/^-/, '')),
                    )}
                    currency={currency}
                  />
                  ,{' '}
                </span>
              ))}
            <Go to={`/reconcile/${first}`} search={{ seller }}>
              {months.length === 1 ? monthName(first) : `${months.length} months`}
            </Go>
          </>
        ),
      tone: data.breaks.length === 0 ? undefined : 'warn',
    },
  ];
}

/** Five figures of the last 30 days. */
export function FigureStats({ seller: { slug, figures, live_buys: live } }: { readonly seller: Seller }) {
  const { calls, failed } = figures;
  const differences = useDifferences(slug);
  return (
    <Stats
      label="The last 30 days"
      of={[
        {
          label: 'Answered, 30 days',
          value: calls === 0 ? '–' : shareOf(calls - failed, calls),
          note:
            calls === 0
              ? 'nothing was sent'
              : `${numberText(String(calls - failed))} of ${numberText(String(calls))} calls`,
          tone: calls > 0 && failed * 50 >= calls ? 'warn' : undefined,
        },
        {
          label: 'Typical answer',
          value: figures.median_ms ?? '–',
          unit: figures.median_ms === undefined ? '' : 'ms',
          note: figures.slowest_ms === undefined ? undefined : `95 of 100 within ${figures.slowest_ms} ms`,
        },
        {
          label: 'Figures arrive',
          value: figures.reported_after === undefined ? '–' : spanText(figures.reported_after.median_minutes),
          unit: figures.reported_after === undefined ? '' : 'after the day',
          note: `${figures.restated.days} ${figures.restated.days === 1 ? 'day' : 'days'} corrected later`,
        },
        {
          label: 'Running',
          value: live.count,
          unit: live.count === 1 ? 'buy' : 'buys',
          note:
            figures.delivered === undefined || figures.delivered.length === 0 ? (
              'not ended'
            ) : (
              <>{deliveredOf(figures)} delivered in 30 days</>
            ),
        },
        ...differences,
      ]}
    />
  );
}

export function Test({ slug }: { readonly slug: string }) {
  const [result, setResult] = useState<Answer<'POST /v1/sellers/{slug}/test'>>();
  if (!useMay()('sellers.write')) return undefined;
  const test = async (): Promise<void> => {
    setResult(undefined);
    setResult(await api('POST /v1/sellers/{slug}/test', { params: { slug } }));
  };
  return (
    <ActForm title="Test" label="Test the connection" act={test}>
      {result === undefined ? (
        <span>From its address to its answers, as if it were added now. Nothing is bought.</span>
      ) : (
        <Steps result={result} />
      )}
    </ActForm>
  );
}
