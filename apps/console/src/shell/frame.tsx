import {
  ActionIcon,
  AppShell,
  Burger,
  Button,
  Container,
  Group,
  Loader,
  Modal,
  ScrollArea,
  Stack,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
  NavLink,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { Outlet, useRouterState, Link } from '@tanstack/react-router';
import { Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { api, onSignedOut } from '../api/client.js';
import { useLive, useLiveState } from '../api/live.js';
import { may, signOut, useMe, type Me } from '../api/session.js';
import { Password } from '../pages/admin/account.js';
import { Factors } from '../pages/admin/factors.js';
import { pageAt, areas, pages } from '../pages/registry.js';
import { EmptyState } from '../parts/empty-state.js';
import { ErrorPanel } from '../parts/error-panel.js';
import { Name } from '../parts/name.js';
import { PageHead } from '../parts/page-head.js';
import { PrintHead } from '../parts/print.js';
import { forgetKept } from '../parts/use-kept.js';
import { Palette } from './palette.js';
import { ShowAgain } from './show-again.js';
import { SignIn } from './sign-in.js';

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
  const [isPaletteOpen, palette] = useDisclosure();
  const live = useLiveState();
  const client = useQueryClient();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const main = useRef<HTMLElement>(null);
  const page = pageAt(path);
  // Before the head of the page says it better.
  useLayoutEffect(() => {
    menu.close();
    document.title = `${page?.title ?? 'Switchyard'} - Switchyard`;
  }, [path]);
  const leave = async (): Promise<void> => {
    const next = await signOut();
    client.clear();
    forgetKept();
    location.assign(next);
  };
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 220, breakpoint: 'md', collapsed: { mobile: !isMenuOpen } }}
      padding="md"
    >
      <a href="#main" className="skip" onClick={() => main.current?.focus()}>
        Skip to the page
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap" gap="xs">
          <Group gap="xs" wrap="nowrap">
            <Burger
              opened={isMenuOpen}
              onClick={menu.toggle}
              hiddenFrom="md"
              size="sm"
              aria-label={isMenuOpen ? 'Close the menu' : 'Open the menu'}
            />
            <Text fw={700}>Switchyard</Text>
            <Text c="dimmed" size="sm" visibleFrom="sm" truncate maw={240}>
              <Name of={me.organization.name} />
            </Text>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <Button variant="default" size="xs" onClick={palette.open} aria-keyshortcuts="Control+K">
              Find
              <Text span c="dimmed" size="xs" ml={6} visibleFrom="sm">
                Ctrl-K
              </Text>
            </Button>
            <Text size="xs" c="dimmed" visibleFrom="md" role="status">
              {liveWords[mayFollow(me) ? live : 'off']}
            </Text>
            <SchemeSwitch />
            <ActionIcon
              variant="default"
              w="auto"
              px="xs"
              aria-label={`Sign out ${me.name}`}
              onClick={() => void leave()}
            >
              <Text size="xs">Sign out</Text>
            </ActionIcon>
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar aria-label="Pages">
        <ScrollArea type="auto" h="100%" p="xs" viewportProps={{ tabIndex: 0, 'aria-label': 'Pages' }}>
          <Menu me={me} path={path} />
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main ref={main} id="main" tabIndex={-1}>
        {page !== undefined && !may(me, page.needs) ? (
          <>
            <PageHead title={page.title} />
            <EmptyState title={`You may not open ${page.title}`}>
              It needs the permission {page.needs}. Ask an administrator for a role that has it.
            </EmptyState>
          </>
        ) : (
          <Suspense fallback={<Loader role="status" aria-label="Loading" />}>
            <PrintHead organization={me.organization.name} by={me.name} />
            <Outlet />
          </Suspense>
        )}
      </AppShell.Main>
      <Palette me={me} isOpen={isPaletteOpen} open={palette.open} close={palette.close} />
    </AppShell>
  );
}

/** Light or dark. */
function SchemeSwitch() {
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme('light') === 'dark';
  return (
    <ActionIcon
      variant="default"
      aria-label={isDark ? 'Use the light theme' : 'Use the dark theme'}
      onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
    >
      <svg aria-hidden="true" width="14" height="14" viewBox="0 0 16 16">
        <circle cx="8" cy="8" r="6.5" fill="none" stroke="currentColor" strokeWidth="1.5" />
        <path d="M8 1.5a6.5 6.5 0 0 1 0 13z" fill="currentColor" />
      </svg>
    </ActionIcon>
  );
}

/** The pages that a person may open, by area. */
function Menu({ me, path }: { readonly me: Me; readonly path: string }) {
  const here = path.replace(/^\/console/, '') || '/';
  const [longest] = pages
    .filter((page) => page.inMenu && (here === page.path || here.startsWith(`${page.path}/`)))
    .sort((a, b) => b.path.length - a.path.length);
  // The menu is longer than most windows.
  useEffect(() => {
    document.querySelector('nav [aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [here]);
  return areas.map(({ area, title }) => {
    const own = pages.filter((page) => page.area === area && page.inMenu && may(me, page.needs));
    if (own.length === 0) return undefined;
    return (
      <nav key={area} aria-label={title}>
        <Text size="xs" c="dimmed" fw={600} px="sm" pt="sm" pb={4}>
          {title}
        </Text>
        {own.map((page) => {
          const isHere = page.path === (longest?.path ?? here);
          return (
            <NavLink
              key={page.path}
              renderRoot={(props) => (
                <Link to={page.path} search={{} as never} activeOptions={{ exact: true }} {...props} />
              )}
              label={page.title}
              active={isHere}
              variant="light"
              py={5}
              {...(isHere && { 'aria-current': 'page' as const })}
            />
          );
        })}
      </nav>
    );
  });
}
