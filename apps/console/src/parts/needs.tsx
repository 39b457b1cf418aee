import {
  IconAlertTriangle,
  IconArrowsExchange,
  IconBuildingStore,
  IconCalendarCheck,
  IconClipboardCheck,
  IconCoins,
  IconKey,
  IconLinkOff,
  IconPhotoX,
  IconPlugConnectedX,
  IconScale,
  IconTrendingDown,
  IconTrendingUp,
  IconWebhook,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { api, type Answer } from '../api/client.js';
import { useLiveState } from '../api/live.js';
import { Money } from './money.js';
import { clean } from './name.js';
import { placeOf, type Place } from './places.js';
import { dayText } from './time.js';

export type Need = Answer<'GET /v1/needs'>['needs'][number];

/** How often the list is read where nothing says that something changed, in milliseconds. */
const [withChangesMs, withoutChangesMs] = [30_000, 30_000];

/** What needs the reader, in the order of the server. It is read again after changes, which the stream tells. */
export function useNeeds() {
  const isLive = useLiveState() === 'live';
  return useQuery({
    queryKey: ['needs'],
    queryFn: ({ signal }) => api('GET /v1/needs', { signal }),
    staleTime: 10_000,
    refetchInterval: isLive ? withChangesMs : withoutChangesMs,
  });
}

const icons: Readonly<Record<Need['kind'], typeof IconKey>> = {
  overspend: IconTrendingUp,
  runs_to_nowhere: IconLinkOff,
  silent: IconPlugConnectedX,
  paid_twice: IconScale,
  overdue: IconCoins,
  behind: IconTrendingDown,
  approve: IconClipboardCheck,
  no_creative: IconPhotoX,
  refused: IconPhotoX,
  part_refused: IconArrowsExchange,
  difference: IconScale,
  held_report: IconWebhook,
  month: IconCalendarCheck,
  reopen: IconCalendarCheck,
  seller_fails: IconPlugConnectedX,
  key_ends: IconKey,
  alarm: IconAlertTriangle,
  webhook_out: IconWebhook,
  no_campaign: IconClipboardCheck,
  first_seller: IconBuildingStore,
};

const asked: ReadonlySet<string> = new Set(['approve', 'month', 'reopen', 'no_campaign', 'first_seller']);
const toneOf = ({ kind, loses }: Need): string => {
  if (asked.has(kind)) return 'accent';
  return loses && kind !== 'silent' ? 'bad' : 'warn';
};

const words: Readonly<Record<Need['act'], string>> = {
  lower_budgets: 'Lower budgets',
  raise_budgets: 'Look',
  open_buy: 'Open the buy',
  place_elsewhere: 'Place elsewhere',
  open_seller: 'Look',
  review: 'Review',
  decide: 'Decide',
  compare: 'Compare',
  pay: 'Pay',
  close: 'Open',
  agree: 'Review',
  renew: 'Renew',
  look: 'Look',
  send_again: 'Open',
  assign: 'Assign',
  connect: 'Connect',
};

/** Where a need is ended. */
export function placeOfNeed({ object: { kind, id, name }, act }: Need): Place {
  if (act === 'assign') return { to: '/campaigns' };
  if (act === 'place_elsewhere') return { to: '/ask', search: { from: id } };
  if (kind === 'aging')
    return id === '' ? { to: '/invoices/age' } : { to: '/invoices', search: { seller: id } };
  if (kind === 'alarm') return { to: '/system' };
  if (kind === 'credential') return { to: '/credentials', search: { seller: id } };
  if (act === 'connect') return { to: '/sellers/new' };
  return placeOf(kind, id, name);
}

const AdviceDialog = lazy(async () => ({ default: (await import('./advice.js')).AdviceDialog }));

/** The deed that ends a need in place: new budgets, confirmed once. */
function LowerBudgets({ need }: { readonly need: Need }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="need-act" onClick={() => setOpen(true)}>
        {words.lower_budgets}
        <span className="unseen">: {clean(need.title, 80)}</span>
      </button>
      {isOpen && (
        <Suspense>
          <AdviceDialog campaignId={need.object.id} name={need.object.name} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

/** What needs the reader, a line for each: what is the matter, why, what it costs, and the deed that ends it. */
export function Needs({ of }: { readonly of: readonly Need[] }) {
  return (
    <ul className="needs">
      {of.map((need) => {
        const Icon = icons[need.kind];
        const { to, search = {} } = placeOfNeed(need);
        return (
          <li key={need.need_id}>
            <span className="need-icon" data-tone={toneOf(need)}>
              <Icon size={16} stroke={1.7} aria-hidden="true" />
            </span>
            <div className="need-words">
              <Link to={to} search={search}>
                <bdi>{clean(need.title, 120)}</bdi>
              </Link>
              <span className="need-reason">
                <bdi>{clean(need.reason, 160)}</bdi>
              </span>
            </div>
            <div className="need-money">
              {need.amount === undefined ? (
                need.due_on !== undefined && <b>{dayText(need.due_on).slice(0, -5)}</b>
              ) : (
                <b>
                  <Money amount={need.amount.replace(/^-/, '')} currency={need.currency} />
                </b>
              )}
              <span>{need.amount_is ?? (need.due_on === undefined ? '' : 'due')}</span>
            </div>
            {need.act === 'lower_budgets' ? (
              <LowerBudgets need={need} />
            ) : (
              <Link
                to={to}
                search={search}
                className="need-act"
                aria-label={`${words[need.act]}: ${clean(need.title, 80)}`}
              >
                {words[need.act]}
              </Link>
            )}
          </li>
        );
      })}
    </ul>
  );
}
