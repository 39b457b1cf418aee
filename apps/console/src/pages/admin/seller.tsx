import { useNavigate, useParams } from '@tanstack/react-router';
import { api, type Answer } from '../../api/client.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { Go } from '../../parts/go.js';
import { Loaded } from '../../parts/loaded.js';
import { Name, clean } from '../../parts/name.js';
import { DataTable } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { ObjectHead, useTab } from '../../parts/object-head.js';
import { ObjectHistory } from '../../parts/object-history.js';
import { usePages } from '../../parts/use-pages.js';
import { invoiceColumns } from '../finance/invoices.js';
import { eventColumns } from './events.js';
import { StopButton } from '../../parts/forms/stop-button.js';
import { useAnswer, useMay } from '../../parts/use-rows.js';
import { Panel } from '../../parts/panel.js';
import { GateChecks, progressOf, useGateRun } from './connect/gate-checks.js';
import './connect/connect.css';
import { SellerReport } from './connect/seller-report.js';
import { SellerAccounts } from './seller-accounts.js';
import { SellerAgreements } from './seller-agreements.js';
import { SellerContacts } from './seller-contacts.js';
import { SellerCalendar } from './seller-calendar.js';
import { SellerKeys } from './seller-keys.js';
import { SellerScorecard } from './seller-scorecard.js';
import {
  HealthByDay,
  AccountsNow,
  KeysNow,
  LiveBuys,
  ChecksNow,
  FigureStats,
  NightlyChecks,
  Test,
} from './seller-overview.js';
import { Known, Figures, Edit, SellerHealth } from './seller-settings.js';

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
          ...(may('ledger.read') ? [{ title: 'Calendar' }, { title: 'Agreements' }] : []),
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
              {may('sellers.read') && <SellerContacts seller={seller} />}
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
      {tab === 'Agreements' && <SellerAgreements slug={slug} />}
      {tab === 'Webhooks' && <SellerWebhooks slug={slug} />}
      {tab === 'Invoices' && <SellerInvoices slug={slug} />}
      {tab === 'History' && <ObjectHistory id={slug} />}
    </>
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
            {run?.nightly !== undefined && <NightlyChecks run={run.nightly} />}
            <Panel
              title="Checks when it was added"
              about={run?.checks.length === 0 ? 'it came without them' : progressOf(run)}
            >
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

function Acts({ seller }: { readonly seller: Seller }) {
  const { slug } = seller;
  const name = clean(seller.name, 60);
  const may = useMay();
  const navigate = useNavigate();
  return (
    <>
      {may('sellers.write') && seller.state === 'suspended' && (
        <ConfirmButton
          label="Resume"
          done={`${name} takes part again.`}
          act={() => api('POST /v1/sellers/{slug}/resume', { params: { slug } })}
        >
          It is tested, and takes part in what is asked and bought from now on.
        </ConfirmButton>
      )}
      {may('sellers.write') && seller.state !== 'suspended' && (
        <ConfirmButton
          label="Suspend"
          variant="default"
          reason="required"
          done={`${name} is suspended.`}
          undo={() => api('POST /v1/sellers/{slug}/resume', { params: { slug } })}
          act={(reason) => api('POST /v1/sellers/{slug}/suspend', { params: { slug }, body: { reason } })}
        >
          Nothing new is asked of it or bought from it. Its {seller.live_buys.count} live buys go on.
        </ConfirmButton>
      )}
      {may('sellers.approve') && (
        <StopButton target={`seller:${slug}`} name={name}>
          Nothing goes to this seller any more, for live buys neither, until somebody ends the stop.
        </StopButton>
      )}
      {may('sellers.delete') && (
        <ConfirmButton
          label="Remove"
          color="bad"
          variant="subtle"
          done={`${name} is removed, or will be after its last buy.`}
          act={async () => {
            const drain = seller.live_buys.count > 0 ? ({ drain: 'true' } as const) : {};
            const left = await api('DELETE /v1/sellers/{slug}', { params: { slug }, query: drain });
            if (left.draining !== true) await navigate({ to: '/sellers' });
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
