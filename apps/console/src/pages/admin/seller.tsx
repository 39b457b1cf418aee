import { Code, Group, NativeSelect, PasswordInput, Table, TextInput, Title } from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { Explained } from '../../parts/explained.js';
import { Facts } from '../../parts/facts.js';
import { Go } from '../../parts/go.js';
import { Id } from '../../parts/id.js';
import { Loaded } from '../../parts/loaded.js';
import { moneyText, numberText } from '../../parts/money.js';
import { Name, clean } from '../../parts/name.js';
import { DataTable } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { ObjectHead, useTab } from '../../parts/object-head.js';
import { ObjectHistory } from '../../parts/object-history.js';
import { Stats } from '../../parts/stats.js';
import { usePages } from '../../parts/use-pages.js';
import { invoiceColumns } from '../finance/invoices.js';
import { eventColumns } from './events.js';
import { healthOf } from '../../parts/seller-health.js';
import { StopButton, useStops } from '../../parts/forms/stop-button.js';
import { DayLines, DayStrip } from '../../parts/charts.js';
import { ScrollTable } from '../../parts/scroll-table.js';
import { StatusBadge } from '../../parts/status.js';
import { dayText, Time } from '../../parts/time.js';
import { useAnswer, useMay, useRefresh } from '../../parts/use-rows.js';
import { daysOf, shareOf, spanText, stripText } from './sellers.js';
import { BuyLink } from '../agency/buy-link.js';
import { Panel } from '../../parts/panel.js';
import { GateChecks, progressOf, useGateRun } from './connect/gate-checks.js';
import './connect/connect.css';
import { SellerReport } from './connect/seller-report.js';
import { dialects } from './dialects.js';
import { SellerAccounts } from './seller-accounts.js';
import { SellerCalendar } from './seller-calendar.js';
import { SellerKeys } from './seller-keys.js';
import { SellerScorecard } from './seller-scorecard.js';
import { Steps } from './steps.js';

type Seller = Answer<'GET /v1/sellers/{slug}'>;

const sold: Readonly<Record<string, string>> = { sales: 'Media', signals: 'Audiences' };

/** One seller: its health and last error, and every action on it. */
export function SellerPage() {
  const { slug } = useParams({ strict: false }) as { readonly slug: string };
  const query = useAnswer('GET /v1/sellers/{slug}', { params: { slug } });
  return (
    <Loaded title="Seller" query={query}>
      {(seller) => <Shown key={seller.slug} seller={seller} />}
    </Loaded>
  );
}

function Shown({ seller }: { readonly seller: Seller }) {
  const tab = useTab();
  const may = useMay();
  const { slug } = seller;
  return (
    <>
      <ObjectHead
        name={seller.name}
        title={<Name of={seller.name} />}
        avatar={seller.name}
        pill={<SellerHealth seller={seller} />}
        facts={[
          <Name
            key="address"
            of={URL.canParse(seller.agent_url) ? new URL(seller.agent_url).host : seller.agent_url}
            most={80}
          />,
          clean(seller.kinds.map((kind) => sold[kind] ?? kind).join(', ')),
          `${seller.protocol.toUpperCase()}, version ${clean(seller.form)}`,
          <>short name {seller.slug}</>,
        ]}
        acts={<Acts seller={seller} />}
        tabs={[
          { title: 'Overview' },
          ...(seller.kinds.includes('sales') || seller.kinds.includes('signals')
            ? [{ title: 'Accounts' }]
            : []),
          { title: 'Keys and sign-in' },
          { title: 'Checks' },
          { title: 'Scorecard' },
          ...(may('ledger.read') ? [{ title: 'Calendar' }] : []),
          ...(may('reports.read') ? [{ title: 'Webhooks' }] : []),
          ...(may('ledger.read') ? [{ title: 'Invoices' }] : []),
          { title: 'Settings' },
          ...(may('principals.read') ? [{ title: 'History' }] : []),
        ]}
      />
      {tab === 'Overview' && (
        <>
          <FigureStats seller={seller} />
          <div className="columns" style={{ '--right': '356px' } as never}>
            <div className="column">
              <HealthByDay seller={seller} />
              <AccountsNow slug={slug} />
              {may('sellers.read') && <KeysNow slug={slug} />}
              <LiveBuys seller={seller} />
            </div>
            <div className="column">
              <ChecksNow slug={slug} />
              <Test slug={slug} />
            </div>
          </div>
        </>
      )}
      {tab === 'Settings' && (
        <div className="columns">
          <div className="column">
            <Known seller={seller} />
            <Edit key={`${seller.agent_url} ${seller.name}`} seller={seller} />
          </div>
          <div className="column">
            <Figures seller={seller} />
          </div>
        </div>
      )}
      {tab === 'Accounts' && <SellerAccounts slug={slug} />}
      {tab === 'Keys and sign-in' && <SellerKeys seller={seller} />}
      {tab === 'Checks' && <SellerChecks slug={slug} />}
      {tab === 'Scorecard' && <SellerScorecard seller={seller} />}
      {tab === 'Calendar' && <SellerCalendar slug={slug} />}
      {tab === 'Webhooks' && <SellerWebhooks slug={slug} />}
      {tab === 'Invoices' && <SellerInvoices slug={slug} />}
      {tab === 'History' && <ObjectHistory id={slug} />}
    </>
  );
}

/** How it answered, day by day. */
function HealthByDay({ seller: { figures } }: { readonly seller: Seller }) {
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

/** Which client is billed where. */
function AccountsNow({ slug }: { readonly slug: string }) {
  const accounts = useAnswer('GET /v1/sellers/{slug}/accounts', { params: { slug } });
  const known = accounts.data?.accounts ?? [];
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
            {['Account at the seller', 'Used for', 'Billing', 'State'].map((title) => (
              <Table.Th key={title}>{title}</Table.Th>
            ))}
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

const credentialWords: Readonly<Record<string, string>> = {
  oauth: 'Sign-in with the seller (OAuth)',
  bearer: 'Token',
  basic: 'Name and password',
};

/** How we sign in there, and until when. */
function KeysNow({ slug }: { readonly slug: string }) {
  const { data } = useAnswer('GET /v1/credentials', { query: { seller: slug, limit: '20' } });
  const rows = (data?.credentials ?? []).filter(({ state }) => state === 'current' || state === 'candidate');
  return (
    <Panel
      title="Keys and sign-in"
      about="secrets are never shown again"
      acts={
        <Go to="." search={{ tab: 'Keys and sign-in' }}>
          Rotate
        </Go>
      }
      isFlush
    >
      {rows.length === 0 ? (
        <p className="panel-note">Nothing is kept for this seller: it is called without a credential.</p>
      ) : (
        <ScrollTable label="Keys of the seller" className="stacks">
          <Table.Thead>
            <Table.Tr>
              {['What', 'Since', 'Ends', 'Last used'].map((title) => (
                <Table.Th key={title}>{title}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <Table.Tr key={`${row.credential_id} ${row.version}`}>
                <Table.Td>
                  <b>
                    {credentialWords[row.kind] ??
                      credentialWords[row.scheme] ??
                      clean(row.kind, 40).replaceAll('_', ' ')}
                  </b>
                </Table.Td>
                <Table.Td data-title="Since">{dayText(row.created_at)}</Table.Td>
                <Table.Td data-title="Ends">
                  {row.retires_at === undefined ? 'when it is replaced' : dayText(row.retires_at)}
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

function LiveBuys({ seller: { live_buys: live } }: { readonly seller: Seller }) {
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

/** What the checks found when it was connected. */
function ChecksNow({ slug }: { readonly slug: string }) {
  const { data: run } = useGateRun(slug);
  if (run === undefined || run === null || run.checks.length === 0) return undefined;
  return (
    <Panel title="Checks" about={progressOf(run)}>
      <GateChecks run={run} />
    </Panel>
  );
}

/** The checks of the gate, what the seller should repair, and a test of the connection now. */
function SellerChecks({ slug }: { readonly slug: string }) {
  const query = useGateRun(slug);
  return (
    <Loaded title="Checks" query={query}>
      {(run) => (
        <div className="columns">
          <div className="column">
            <Panel title="Checks" about={run?.checks.length === 0 ? 'it came without them' : progressOf(run)}>
              {run?.checks.length === 0 ? (
                <p className="panel-small">Test the connection to see what it can do now.</p>
              ) : (
                <GateChecks run={run} />
              )}
            </Panel>
          </div>
          <div className="column">
            <Test slug={slug} />
            <SellerReport slug={slug} />
          </div>
        </div>
      )}
    </Loaded>
  );
}

function SellerWebhooks({ slug }: { readonly slug: string }) {
  const events = usePages('GET /v1/events', 'events', { seller: slug, counts: 'no' });
  return (
    <DataTable
      label="Webhooks of the seller"
      pages={events}
      columns={eventColumns.filter(({ title }) => title !== 'Seller')}
      empty={
        <EmptyState title="No webhook came yet">It reports once something is bought from it.</EmptyState>
      }
    />
  );
}

function SellerInvoices({ slug }: { readonly slug: string }) {
  const invoices = usePages('GET /v1/invoices', 'invoices', { seller: slug });
  return (
    <DataTable
      label="Invoices of the seller"
      pages={invoices}
      columns={invoiceColumns.filter(({ title }) => title !== 'Seller')}
      empty={
        <EmptyState title="No invoice is here">
          <Go to="/invoices">Import one</Go>.
        </EmptyState>
      }
    />
  );
}

/** Five figures of the last 30 days. */
function FigureStats({ seller: { figures, live_buys: live } }: { readonly seller: Seller }) {
  const { calls, failed } = figures;
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
        { label: 'Running', value: live.count, unit: live.count === 1 ? 'buy' : 'buys', note: 'not ended' },
      ]}
    />
  );
}

const isOver = (credential: Seller['credential']): boolean =>
  credential?.retires_at !== undefined && Date.parse(credential.retires_at) <= Date.now();

/** What the seller can do for us now, and why. */
function SellerHealth({ seller }: { readonly seller: Seller }) {
  const { credential } = seller;
  const stop = useStops()(`seller:${seller.slug}`);
  const health = healthOf(seller, stop !== undefined);
  return (
    <Explained
      kind="seller"
      of={health}
      tone={health === 'live' ? 'good' : 'bad'}
      why={
        stop === undefined && seller.reason !== undefined ? (
          <Name of={seller.reason} most={1_000} />
        ) : undefined
      }
      since={
        stop?.stopped_at ?? (seller.credential_fault === 'refused' ? credential?.last_error?.at : undefined)
      }
      evidence={
        stop === undefined ? (
          `Its breaker is ${seller.breaker ?? 'closed'}.`
        ) : (
          <>
            Stopped by <Name of={stop.stopped_by} />
            {stop.reason !== undefined && (
              <>
                : <Name of={stop.reason} most={500} />
              </>
            )}
          </>
        )
      }
      cli={
        stop === undefined
          ? `npx switchyard sellers test ${seller.slug}`
          : `npx switchyard start ${stop.target}`
      }
    />
  );
}

function Known({ seller }: { readonly seller: Seller }) {
  const { credential } = seller;
  return (
    <Facts
      label="The seller"
      of={{
        Health: <SellerHealth seller={seller} />,
        Name: <Name of={seller.name} />,
        'Short name': seller.name !== seller.slug && seller.slug,
        Address: <Name of={seller.agent_url} />,
        Speaks: `${seller.protocol}, ${seller.dialect}, ${clean(seller.form)}`,
        Sells: clean(seller.kinds.join(', ')),
        'Delivery reports': seller.report_webhooks && clean(seller.report_webhooks),
        'Live buys':
          seller.live_buys.count === 0
            ? 'None'
            : seller.live_buys.media_buy_ids.map((id) => (
                <div key={id}>
                  <BuyLink id={id} />
                </div>
              )),
        'All its buys': (
          <Go to="/buys" search={{ seller: seller.slug }}>
            Open
          </Go>
        ),
        'What it sent': (
          <Go to="/webhooks" search={{ seller: seller.slug }}>
            Open
          </Go>
        ),
        Credential: isOver(credential)
          ? 'None: it was revoked, and nothing is called with it. Put in a new token below.'
          : credential && (
              <>
                <Id of={credential.credential_id} short /> version {credential.version}, made{' '}
                <Time at={credential.created_at} />,{' '}
                <Go to={`/sellers/${encodeURIComponent(seller.slug)}`} search={{ tab: 'Keys and sign-in' }}>
                  rotate or revoke
                </Go>
              </>
            ),
        'Last error of the credential': credential?.last_error && (
          <>
            {credential.last_error.code} at <Time at={credential.last_error.at} />
          </>
        ),
      }}
    />
  );
}

/** Its recent figures: latency, errors, the last error, and its webhooks. */
function Figures({ seller: { figures, slug } }: { readonly seller: Seller }) {
  const { calls, failed, last_error: last, events } = figures;
  const states = Object.entries(events);
  return (
    <section aria-label="The last 30 days">
      <Title order={2} size="h4" mb="xs">
        The last 30 days
      </Title>
      <Facts
        label="Figures of the last 30 days"
        of={{
          'Changes sent to it': calls === 0 ? 'None: nothing was bought or changed there' : calls,
          Failed: calls > 0 && `${failed} (${shareOf(failed, calls)})`,
          'Half of its answers within': figures.median_ms !== undefined && `${figures.median_ms} ms`,
          '95 of 100 within': figures.slowest_ms !== undefined && `${figures.slowest_ms} ms`,
          'Last error': last && (
            <>
              <Name of={last.message} most={600} /> (<Code>{clean(last.code)}</Code>, <Time at={last.at} />)
            </>
          ),
          "Reports come after a day's end": figures.reported_after
            ? `${spanText(figures.reported_after.median_minutes)} (half of them), ${spanText(figures.reported_after.worst_minutes)} at worst`
            : 'None came',
          'Days that it restated':
            figures.restated.days === 0
              ? 'None'
              : `${figures.restated.days}, by ${figures.restated.net.map(({ amount, currency }) => moneyText(amount, currency)).join(', ')} in all`,
          'Webhooks that it sent':
            states.length === 0 ? (
              'None'
            ) : (
              <Group gap="sm">
                {states.map(([state, count]) => (
                  <Go key={state} to="/webhooks" search={{ seller: slug, state }}>
                    {count} {state}
                  </Go>
                ))}
              </Group>
            ),
          'The newest came': figures.last_event_at && <Time at={figures.last_event_at} />,
          'Differences in its invoices': (
            <Go to="/reconcile/all" search={{ seller: slug }}>
              Open ones
            </Go>
          ),
        }}
      />
    </section>
  );
}

function Acts({ seller }: { readonly seller: Seller }) {
  const { slug } = seller;
  const may = useMay();
  const refresh = useRefresh();
  const navigate = useNavigate();
  const then = async (act: Promise<unknown>): Promise<void> => {
    await act;
    await refresh();
  };
  return (
    <>
      {may('sellers.write') && seller.state === 'suspended' && (
        <ConfirmButton
          label="Resume"
          done={`${slug} takes part again.`}
          act={() => then(api('POST /v1/sellers/{slug}/resume', { params: { slug } }))}
        >
          It is tested, and takes part in what is asked and bought from now on.
        </ConfirmButton>
      )}
      {may('sellers.write') && seller.state !== 'suspended' && (
        <ConfirmButton
          label="Suspend"
          variant="default"
          reason="required"
          done={`${slug} is suspended.`}
          undo={() => then(api('POST /v1/sellers/{slug}/resume', { params: { slug } }))}
          act={(reason) =>
            then(api('POST /v1/sellers/{slug}/suspend', { params: { slug }, body: { reason } }))
          }
        >
          Nothing new is asked of it or bought from it. Its {seller.live_buys.count} live buys go on.
        </ConfirmButton>
      )}
      {may('sellers.approve') && (
        <StopButton target={`seller:${slug}`} name={slug}>
          Nothing goes to this seller any more, for live buys neither, until somebody ends the stop.
        </StopButton>
      )}
      {may('sellers.delete') && (
        <ConfirmButton
          label="Remove"
          color="bad"
          variant="outline"
          done={`${slug} is removed, or will be after its last buy.`}
          act={async () => {
            const drain = seller.live_buys.count > 0 ? ({ drain: 'true' } as const) : {};
            const left = await api('DELETE /v1/sellers/{slug}', { params: { slug }, query: drain });
            await (left.draining === true ? refresh() : navigate({ to: '/sellers' }));
          }}
        >
          {seller.live_buys.count > 0
            ? `It has ${seller.live_buys.count} live buys: it takes no new ones, and is removed after the last.`
            : 'Its address and its credentials are removed. What was booked stays in the ledger.'}
        </ConfirmButton>
      )}
    </>
  );
}

function Test({ slug }: { readonly slug: string }) {
  const [result, setResult] = useState<Answer<'POST /v1/sellers/{slug}/test'>>();
  if (!useMay()('sellers.write')) return undefined;
  const test = async (): Promise<void> => {
    setResult(undefined);
    setResult(await api('POST /v1/sellers/{slug}/test', { params: { slug } }));
  };
  return (
    <ActForm title="Test" label="Test the connection" act={test}>
      {result === undefined ? (
        <span>Six steps, from its address to its webhooks. Nothing is bought.</span>
      ) : (
        <Steps result={result} />
      )}
    </ActForm>
  );
}

function Edit({ seller }: { readonly seller: Seller }) {
  const [name, setName] = useState(seller.name);
  const [url, setUrl] = useState(seller.agent_url);
  const [protocol, setProtocol] = useState<string>(seller.protocol);
  const [dialect, setDialect] = useState<string>(seller.dialect);
  const [token, setToken] = useState('');
  if (!useMay()('sellers.write')) return undefined;
  const save = async (): Promise<void> => {
    await api('POST /v1/sellers/{slug}/edit', {
      params: { slug: seller.slug },
      body: {
        ...(name !== seller.name && { name }),
        ...(url !== seller.agent_url && { agent_url: url }),
        ...(protocol !== seller.protocol && { protocol }),
        ...(dialect !== seller.dialect && { dialect: dialect as 'ads' | 'adcp' }),
        ...(token !== '' && { token }),
      },
    });
    setToken('');
  };
  const isChanged =
    name !== seller.name ||
    url !== seller.agent_url ||
    protocol !== seller.protocol ||
    dialect !== seller.dialect ||
    token !== '';
  return (
    <ActForm title="Edit" label="Save" done="The seller is saved." act={save} isReady={isChanged}>
      <Group align="flex-start" grow preventGrowOverflow={false}>
        <TextInput
          label="Name"
          value={name}
          required
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <TextInput
          label="Address"
          type="url"
          value={url}
          required
          onChange={({ currentTarget }) => setUrl(currentTarget.value)}
        />
        <NativeSelect
          label="Protocol"
          data={['mcp', 'a2a']}
          value={protocol}
          onChange={({ currentTarget }) => setProtocol(currentTarget.value)}
        />
        <NativeSelect
          label="Protocol of its tasks"
          data={[...dialects]}
          value={dialect}
          onChange={({ currentTarget }) => setDialect(currentTarget.value)}
        />
        <PasswordInput
          label="New token"
          description="Empty: the token stays"
          autoComplete="off"
          value={token}
          visibilityToggleButtonProps={{ 'aria-label': 'Show the token' }}
          onChange={({ currentTarget }) => setToken(currentTarget.value)}
        />
      </Group>
    </ActForm>
  );
}
