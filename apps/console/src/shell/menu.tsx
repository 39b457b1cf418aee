import { useLocalStorage } from '@mantine/hooks';
import { IconBook2, IconChevronDown, IconMenu2, IconRoute } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { may, type Me } from '../api/session.js';
import type { Page } from '../pages/page.js';
import { groups, pages, sectionOf } from '../pages/registry.js';
import { useNeeds } from '../parts/needs.js';
import { monthName } from '../parts/time.js';
import { useAnswer } from '../parts/use-rows.js';

/** What a person does most: the folded groups are those that it does not. */
const isDaily = (me: Me, group: string): boolean =>
  isAgent(me) ||
  may(me, 'media_buys.write') ||
  may(me, 'ledger.write') ||
  (group !== 'buying' && group !== 'finance');

/** The groups of a person, those of their own work first. */
function groupsOf(me: Me): typeof groups {
  if (isAgent(me))
    return [...groups.filter(({ group }) => group === 'top'), { group: 'setup', title: 'Your agent' }];
  const first = may(me, 'media_buys.write') ? 'buying' : may(me, 'ledger.write') ? 'finance' : 'market';
  const order = { buying: 'buying market finance setup', finance: 'finance buying market setup' }[
    first as string
  ];
  const names = (order ?? 'market setup buying finance').split(' ');
  return groups.toSorted((a, b) => names.indexOf(a.group) - names.indexOf(b.group));
}

/** Lines that belong to another's daily work: a person who may only read there finds them by search. */
function isOfOthers(me: Me, { group, path }: Page): boolean {
  const [isAdmin, isFinance] = [
    may(me, 'sellers.write') || may(me, 'principals.write'),
    may(me, 'ledger.write'),
  ];
  if (isAdmin || me.kind !== 'person' || !(isFinance || may(me, 'media_buys.write'))) return false;
  if (group === 'setup') return path !== '/agents' || !may(me, 'delegations.write');
  if (isFinance)
    return group === 'buying' && path !== '/campaigns' && path !== '/buys' && !may(me, 'media_buys.write');
  return path === '/webhooks' || (group === 'finance' && path !== '/reports');
}

/** What a brand's or a buyer's own menu has, in words of who wrote the agent. */
const agentLines: readonly (readonly [path: string, title: string])[] = [
  ['/agents', 'What it may do'],
  ['/agents/calls', 'Calls'],
  ['/webhooks', 'Webhooks'],
  ['/developers', 'Keys and tokens'],
];
const isAgent = (me: Me): boolean => me.kind === 'brand' || me.kind === 'buyer';

interface MenuLine {
  readonly page: Page;
  readonly to: string;
  /** In place of the title of the page. */
  readonly title?: string;
}

/** The lines of the menu that a person may open, by group. */
function linesOf(me: Me, group: string): readonly MenuLine[] {
  if (isAgent(me) && group === 'setup')
    return agentLines.flatMap(([path, title]) => {
      const page = pages.find((one) => one.path === path);
      return page !== undefined && may(me, page.needs)
        ? [{ page: { icon: IconRoute, ...page }, to: path, title }]
        : [];
    });
  const own = isAgent(me) ? agentLines.map(([path]) => path) : [];
  return pages.flatMap((page) => {
    if (page.group !== group || page.icon === undefined || isOfOthers(me, page)) return [];
    if (own.includes(page.path)) return [];
    const open = sectionOf(page).tabs.find(({ needs }) => may(me, needs));
    const first = may(me, page.needs) ? page : open;
    return first === undefined ? [] : [{ page, to: first.path }];
  });
}

interface Count {
  readonly text: string;
  readonly isUrgent?: boolean;
}

/** What stands beside the lines of the menu: how much waits there. */
function useCounts(me: Me): Readonly<Record<string, Count | undefined>> {
  const { data } = useNeeds();
  const sellers = useAnswer('GET /v1/instance', {}, may(me, 'sellers.read')).data?.sellers;
  if (data === undefined) return {};
  const { needs, counts } = data;
  const month = needs.findLast(({ kind }) => kind === 'month')?.object.id;
  const of = (text: string | undefined, isUrgent = false): Count | undefined =>
    text === undefined ? undefined : { text, isUrgent };
  return {
    '/inbox': needs.length === 0 ? undefined : of(String(needs.length), true),
    '/creatives': of(counts['creatives'], true),
    '/reconcile': of(counts['breaks']),
    '/invoices': of(counts['overdue'], true),
    '/webhooks': of(counts['events'], true),
    '/close': month === undefined ? undefined : of(monthName(month).slice(0, 3)),
    '/campaigns': of(counts['campaigns']),
    '/plans': of(counts['plans']),
    '/sellers': of(sellers === undefined ? undefined : String(sellers)),
  };
}

/** The pages that a person may open, by group. */
export function Menu({ me, page }: { readonly me: Me; readonly page: Page | undefined }) {
  const here = page === undefined ? undefined : sectionOf(page).head.path;
  const counts = useCounts(me);
  const [folded, setFolded] = useLocalStorage<Readonly<Record<string, boolean>>>({
    key: `switchyard.folded.${me.principal_id}`,
    defaultValue: {},
    getInitialValueInEffect: false,
  });
  return (
    <nav className="menu" aria-label="Menu">
      {groupsOf(me).map(({ group, title }) => {
        const lines = linesOf(me, group);
        if (lines.length === 0) return undefined;
        const isFolded = title !== '' && (folded[group] ?? !isDaily(me, group));
        return (
          <div key={group} role="group" aria-label={title === '' ? 'First' : title}>
            {title !== '' && (
              <button
                type="button"
                className="menu-group"
                aria-expanded={!isFolded}
                onClick={() => setFolded({ ...folded, [group]: !isFolded })}
              >
                {title}
                <IconChevronDown size={13} stroke={1.7} aria-hidden="true" />
              </button>
            )}
            {!isFolded &&
              lines.map(({ page: { path, title: name, icon: Icon }, to, title: own }) => (
                <Link
                  key={path}
                  to={to}
                  search={{}}
                  className="menu-line"
                  {...((own === undefined ? path === here : path === page?.path) && {
                    'aria-current': 'page' as const,
                  })}
                >
                  {Icon !== undefined && <Icon size={17} stroke={1.7} />}
                  {own ?? name}
                  <MenuCount of={counts[path]} />
                </Link>
              ))}
          </div>
        );
      })}
      {isAgent(me) && (
        <div role="group" aria-label="Learn">
          <span className="menu-group">Learn</span>
          <a href="/docs" className="menu-line">
            <IconBook2 size={17} stroke={1.7} aria-hidden="true" />
            API reference
          </a>
        </div>
      )}
    </nav>
  );
}

function MenuCount({ of }: { readonly of: Count | undefined }) {
  return of === undefined ? undefined : (
    <span className={of.isUrgent === true ? 'count urgent' : 'count'}> {of.text}</span>
  );
}

/** On a phone: the pages that are needed most, and the menu. */
export function BottomTabs({
  me,
  page,
  isMenuOpen,
  toggle,
}: {
  readonly me: Me;
  readonly page: Page | undefined;
  readonly isMenuOpen: boolean;
  readonly toggle: () => void;
}) {
  const here = page === undefined ? undefined : sectionOf(page).head.path;
  const wanted = may(me, 'media_buys.write')
    ? ['/', '/ask', '/campaigns', '/inbox']
    : may(me, 'ledger.write')
      ? ['/', '/reconcile', '/invoices', '/inbox']
      : isAgent(me)
        ? ['/', '/agents', '/webhooks', '/inbox']
        : ['/', '/sellers', '/people', '/inbox'];
  const shown = wanted.flatMap((path) => pages.filter((one) => one.path === path && may(me, one.needs)));
  return (
    <nav className="bottom-tabs" aria-label="Main pages">
      {shown.map(({ path, title, icon: Icon }) => (
        <Link
          key={path}
          to={path}
          search={{}}
          {...(path === here && !isMenuOpen && { 'aria-current': 'page' as const })}
        >
          {Icon !== undefined && <Icon size={18} stroke={1.7} />}
          {title.split(' ')[0]}
        </Link>
      ))}
      <button type="button" onClick={toggle} aria-expanded={isMenuOpen}>
        <IconMenu2 size={18} stroke={1.7} aria-hidden="true" />
        Menu
      </button>
    </nav>
  );
}
