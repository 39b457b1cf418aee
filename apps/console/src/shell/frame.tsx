import { Button, Container, Loader, Modal, Stack, Text } from '@mantine/core';
import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { IconHelpCircle, IconMoon, IconSearch, IconSun } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Outlet, useRouterState, Link } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { api, onSignedOut } from '../api/client.js';
import { useLive, useLiveState } from '../api/live.js';
import { may, useMe, type Me } from '../api/session.js';
import { Password } from '../pages/admin/account.js';
import { Factors } from '../pages/admin/factors.js';
import type { Page } from '../pages/page.js';
import { pageAt, sectionOf } from '../pages/registry.js';
import { MayNot } from '../parts/empty-state.js';
import { ErrorPanel } from '../parts/error-panel.js';
import { ShowsCents } from '../parts/money.js';
import { clean, Name } from '../parts/name.js';
import { PageHead } from '../parts/page-head.js';
import { PrintHead } from '../parts/print.js';
import { OpenSection, useCrumbs, type Crumb, type Section } from '../parts/section.js';
import { useReturning } from '../parts/returning.js';
import { useAnswer } from '../parts/use-rows.js';
import { Account } from './account-menu.js';
import { Bell } from './bell.js';
import { Keys } from './keys.js';
import { BottomTabs, Menu } from './menu.js';
import { ShowAgain } from './show-again.js';
import { SignIn } from './sign-in.js';

const Palette = lazy(async () => ({ default: (await import('./palette.js')).Palette }));

/** The frame around a page for a signed-in person; the sign-in page for everybody else. */
export function Frame() {
  const me = useMe();
  const client = useQueryClient();
  const [hasEnded, setEnded] = useState(false);
  useLive(client, me.data !== undefined && me.data !== null && !hasEnded && mayFollow(me.data));
  useEffect(() => onSignedOut(() => setEnded(true)), []);
  const known = useRef<string>(undefined);
  known.current ??= me.data?.principal_id;
  // What the page has read and what was typed belong to the first person.
  const isAnother = me.data?.principal_id !== undefined && me.data.principal_id !== known.current;
  useEffect(() => {
    if (isAnother) location.reload();
  }, [isAnother]);
  const enter = async (): Promise<void> => {
    await client.refetchQueries({ queryKey: ['me'] });
    setEnded(false);
    await client.invalidateQueries();
  };
  useEffect(() => {
    if (!hasEnded) return undefined;
    // The person may have signed in again in another tab.
    const look = (): void => void api('GET /v1/me').then(enter, () => undefined);
    window.addEventListener('focus', look);
    return () => window.removeEventListener('focus', look);
  }, [hasEnded]);
  if (me.isPending || isAnother) return <Loader role="status" aria-label="Loading" m="xl" />;
  // A signed-in person keeps the page while the server does not answer, so that the input is kept.
  if (me.data === undefined) return <ErrorPanel error={me.error} again={() => void me.refetch()} />;
  if (me.data === null) return <SignIn onSignedIn={() => void enter()} />;
  return (
    <>
      <Modal
        opened={hasEnded}
        onClose={() => undefined}
        fullScreen
        withCloseButton={false}
        closeOnEscape={false}
        zIndex={1_000}
        title="Your session has ended. Sign in again: what you typed is kept."
      >
        <SignIn onSignedIn={() => void enter()} />
      </Modal>
      <ShowAgain />
      {me.data.second_factor_due === true ? <SetUpFactor /> : <Inside me={me.data} />}
    </>
  );
}

/** For a person who may do nothing before a second factor is set up. */
function SetUpFactor() {
  return (
    <Container size="md" component="main" py="md">
      <Stack>
        <PageHead title="Set up a second factor" />
        <Text>
          Your organization demands a second factor of whoever has your permissions. Add a passkey, or set a
          password and then codes of an app. After that load this page again.
        </Text>
        <Factors />
        <Password />
        <Button variant="default" onClick={() => location.reload()}>
          Go on
        </Button>
      </Stack>
    </Container>
  );
}

const liveWords = { live: 'Live', connecting: 'Connecting', off: 'Not live: reload to see changes' } as const;

/** Whether a person may read an object whose changes are told. To others the stream would only be refused. */
const mayFollow = (me: Me): boolean =>
  ['media_buys', 'reports', 'creatives', 'sellers', 'delegations', 'principals'].some((area) =>
    may(me, `${area}.read`),
  );

function Inside({ me }: { readonly me: Me }) {
  const [isMenuOpen, menu] = useDisclosure();
  const [isPaletteOpen, palette] = useReturning();
  const [areKeysOpen, keys] = useDisclosure();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const main = useRef<HTMLElement>(null);
  const page = pageAt(path);
  useHotkeys([['mod+K', palette.open]], []);
  // Before the head of the page says it better.
  useLayoutEffect(() => {
    menu.close();
    document.title = `${page?.title ?? 'Switchyard'} - Switchyard`;
  }, [path]);
  const section = useMemo(() => openSection(me, page), [me, page]);
  return (
    <div className={isMenuOpen ? 'frame menu-open' : 'frame'}>
      <a href="#main" className="skip" onClick={() => main.current?.focus()}>
        Skip to the page
      </a>
      <aside className="side" aria-label="Organization, pages and account">
        <Organization me={me} />
        <Menu me={me} page={page} />
        <button type="button" className="menu-line help-line" onClick={keys.open}>
          <IconHelpCircle size={17} stroke={1.7} aria-hidden="true" />
          Help and keys
          <span className="count" aria-hidden="true">
            ?
          </span>
        </button>
        <Account me={me} />
      </aside>
      <div className="body">
        <header className="bar">
          <Crumbs page={page} />
          <button
            type="button"
            className="find"
            onClick={palette.open}
            aria-keyshortcuts="Control+K"
            aria-haspopup="dialog"
          >
            <IconSearch size={15} stroke={1.7} aria-hidden="true" />
            <span>Search or do…</span>
            <kbd>Ctrl K</kbd>
          </button>
          <LiveState isFollowing={mayFollow(me)} />
          <SchemeSwitch />
          <Bell />
        </header>
        <main ref={main} id="main" tabIndex={-1}>
          <OpenSection value={section}>
            <ShowsCents value={page?.group === 'finance'}>
              {page !== undefined && !may(me, page.needs) ? (
                <>
                  <PageHead title={page.title} />
                  <MayNot what={`open ${page.title}`} needs={page.needs} />
                </>
              ) : (
                <Suspense fallback={<Loader role="status" aria-label="Loading" />}>
                  <PrintHead organization={me.organization.name} by={me.name} />
                  <Outlet />
                </Suspense>
              )}
            </ShowsCents>
          </OpenSection>
        </main>
      </div>
      <BottomTabs me={me} page={page} isMenuOpen={isMenuOpen} toggle={menu.toggle} />
      <Keys me={me} isOpen={areKeysOpen} open={keys.open} close={keys.close} />
      <Suspense>{isPaletteOpen && <Palette me={me} isOpen={isPaletteOpen} close={palette.close} />}</Suspense>
    </div>
  );
}

/** The section of a page, with the tabs that a person may open; none on the page of one object. */
function openSection(me: Me, page: Page | undefined): Section | undefined {
  if (page === undefined || !page.inMenu) return undefined;
  const { head, tabs } = sectionOf(page);
  if (tabs.length < 2) return undefined;
  return {
    title: head.title,
    tab: page.tab ?? page.title,
    path: page.path,
    tabs: tabs
      .filter(({ needs }) => may(me, needs))
      .map(({ path, tab, title }) => ({ path, title: tab ?? title })),
  };
}

/** Whose console it is: the organization, and how many sellers it reaches. */
function Organization({ me }: { readonly me: Me }) {
  const instance = useAnswer('GET /v1/instance', {}, may(me, 'sellers.read'));
  const count = instance.data?.sellers;
  return (
    <Link to="/" search={{}} className="organization">
      <span className="mark" aria-hidden="true">
        <svg
          width="16"
          height="16"
          viewBox="0 0 32 32"
          fill="none"
          stroke="#fff"
          strokeWidth="3"
          strokeLinecap="round"
        >
          <path d="M3 16h9l9-9M12 16l9 9M12 16h14" />
        </svg>
      </span>
      <span className="two-lines">
        <Name of={me.organization.name} most={40} />
        <small>
          {count === undefined
            ? clean(me.organization.domain, 40)
            : `${count} ${count === 1 ? 'seller' : 'sellers'}`}
        </small>
      </span>
    </Link>
  );
}

/** The way to the page: the list, what it belongs to, and its name. */
function Crumbs({ page }: { readonly page: Page | undefined }) {
  const own = useCrumbs();
  const list = page === undefined ? undefined : sectionOf(page).head;
  const isList = page === undefined || (list === page && page.inMenu);
  const steps: readonly Crumb[] =
    list === undefined || (isList && own.length < 2)
      ? [{ title: list?.title ?? '' }]
      : [{ title: list.title, to: list.path }, ...own];
  return (
    <nav className="crumbs" aria-label="Where you are">
      {steps.map(({ title, to, search = {} }, at) => (
        <span key={`${title} ${at}`} {...(at === steps.length - 1 && { className: 'last' })}>
          {to === undefined || at === steps.length - 1 ? (
            <bdi>{title}</bdi>
          ) : (
            <Link to={to} search={search}>
              <bdi>{title}</bdi>
            </Link>
          )}
        </span>
      ))}
    </nav>
  );
}

function LiveState({ isFollowing }: { readonly isFollowing: boolean }) {
  const state = useLiveState();
  const shown = isFollowing ? state : 'off';
  return (
    <span className="live" data-state={shown} role="status" title="Times are in UTC">
      {liveWords[shown]}
    </span>
  );
}

/** Light or dark. */
function SchemeSwitch() {
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme('light') === 'dark';
  return (
    <button
      type="button"
      className="icon-button wide-only"
      aria-label={isDark ? 'Use the light theme' : 'Use the dark theme'}
      onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
    >
      {isDark ? (
        <IconSun size={17} stroke={1.7} aria-hidden="true" />
      ) : (
        <IconMoon size={17} stroke={1.7} aria-hidden="true" />
      )}
    </button>
  );
}
