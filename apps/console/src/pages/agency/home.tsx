import { lazy, Suspense } from 'react';
import { Loader } from '@mantine/core';
import { IconPlus, IconUpload } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { may, useMe, type Me } from '../../api/session.js';
import { PageHead } from '../../parts/page-head.js';
import { useNeeds } from '../../parts/needs.js';
import { clean } from '../../parts/name.js';
import { useDueMonth } from '../../parts/due-month.js';
import { monthName } from '../../parts/time.js';
import { NeedsYou } from './needs-you.js';

const TraderHome = lazy(async () => ({ default: (await import('./home-trader.js')).TraderHome }));
const FinanceHome = lazy(async () => ({ default: (await import('./home-finance.js')).FinanceHome }));
const AdminHome = lazy(async () => ({ default: (await import('./home-admin.js')).AdminHome }));
const AgentHome = lazy(async () => ({ default: (await import('./home-agent.js')).AgentHome }));

/** Whose start page a person gets, by what they may do. */
export function homeOf(me: Me): 'agent' | 'trader' | 'finance' | 'admin' | 'reader' {
  if (me.kind === 'brand' || me.kind === 'buyer') return 'agent';
  if (may(me, 'media_buys.write')) return 'trader';
  if (may(me, 'ledger.write')) return 'finance';
  if (may(me, 'sellers.write') || may(me, 'principals.write')) return 'admin';
  return 'reader';
}

const greeting = (hour: number): string =>
  hour < 12 ? 'Good morning' : hour < 18 ? 'Good afternoon' : 'Good evening';

/** The start page: what needs the reader first, and the figures of their work. */
export function HomePage() {
  const me = useMe().data;
  if (!me) return undefined;
  const kind = homeOf(me);
  return (
    <>
      {kind !== 'agent' && <HomeHead me={me} kind={kind} />}
      <Suspense fallback={<Loader role="status" aria-label="Loading the start page" />}>
        {kind === 'trader' && <TraderHome me={me} />}
        {kind === 'finance' && <FinanceHome me={me} />}
        {kind === 'admin' && <AdminHome me={me} />}
        {kind === 'agent' && <AgentHome me={me} />}
        {kind === 'reader' && <NeedsYou />}
      </Suspense>
    </>
  );
}

function HomeHead({ me, kind }: { readonly me: Me; readonly kind: ReturnType<typeof homeOf> }) {
  const needs = useNeeds().data?.needs;
  const now = new Date();
  const day = now.toLocaleDateString('en-GB', { weekday: 'long', day: 'numeric', month: 'long' });
  const costly = needs?.filter(({ loses }) => loses).length ?? 0;
  return (
    <PageHead
      title={`${greeting(now.getHours())}, ${clean(me.kind === 'person' ? (me.name.split(' ')[0] ?? me.name) : me.name, 40)}`}
      name="Home"
      actions={kind === 'finance' ? <FinanceActs /> : kind === 'admin' ? <AdminActs me={me} /> : undefined}
    >
      {day}
      {needs !== undefined &&
        ` · ${needs.length === 0 ? 'nothing needs you' : `${needs.length} ${needs.length === 1 ? 'thing needs' : 'things need'} you`}`}
      {costly > 0 && `, ${costly} of them ${costly === 1 ? 'costs' : 'cost'} money today`}
    </PageHead>
  );
}

/** What finance goes on with. */
function FinanceActs() {
  const { month } = useDueMonth();
  return (
    <>
      <Link to="/invoices/read" search={{}} className="second-act">
        <IconUpload size={15} stroke={1.7} aria-hidden="true" /> Import invoices
      </Link>
      {month !== undefined && (
        <Link to={`/close/${month}`} search={{}} className="main-act">
          Go on with {monthName(month).split(' ')[0]}
        </Link>
      )}
    </>
  );
}

function AdminActs({ me }: { readonly me: Me }) {
  return (
    <>
      {may(me, 'principals.write') && (
        <Link to="/people" search={{}} hash="invite" className="second-act">
          Invite
        </Link>
      )}
      {may(me, 'sellers.write') && (
        <Link to="/sellers/new" search={{}} className="main-act">
          <IconPlus size={15} stroke={1.7} aria-hidden="true" /> Connect a seller
        </Link>
      )}
    </>
  );
}
