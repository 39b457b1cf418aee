import {
  createRootRoute,
  createRoute,
  createRouter,
  redirect,
  useRouterState,
  type ErrorComponentProps,
} from '@tanstack/react-router';
import { oldAddresses } from '../pages/old-addresses.js';
import { pageAt, pages } from '../pages/registry.js';
import { ErrorPanel } from '../parts/error-panel.js';
import { Frame } from './frame.js';
import { EmptyState } from '../parts/empty-state.js';
import { Go } from '../parts/go.js';

const root = createRootRoute({
  component: Frame,
  notFoundComponent: NotFound,
  errorComponent: ({ error }) => <ErrorPanel error={error} />,
});

/** Filters are in the address as plain text: `?status=active&seller=north`. */
const asText = (search: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.entries(search).map(([key, value]) => [key, String(value)]));

export const router = createRouter({
  routeTree: root.addChildren([
    ...pages.map(({ path, component }) =>
      createRoute({ getParentRoute: () => root, path, component, validateSearch: asText }),
    ),
    ...Object.entries(oldAddresses).map(([path, to]) =>
      createRoute({
        getParentRoute: () => root,
        path,
        validateSearch: asText,
        beforeLoad: ({ params, search }): void => {
          const known = params as Readonly<Record<string, string>>;
          const address = to.replace(/\$(\w+)/, (_, name: string) => encodeURIComponent(known[name] ?? ''));
          redirect({ to: address, search, replace: true, throw: true });
        },
      }),
    ),
  ]),
  basepath: '/console',
  defaultErrorComponent: PageError,
  defaultPreload: 'intent',
  scrollRestoration: true,
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const kept = Object.entries(search as Record<string, unknown>).filter(
      ([, value]) => value !== undefined && value !== '',
    );
    const text = new URLSearchParams(kept.map(([key, value]) => [key, String(value)])).toString();
    return text === '' ? '' : `?${text}`;
  },
});

/** A page whose file could not be loaded, or that failed. */
function PageError({ error, reset }: ErrorComponentProps) {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const again = async (): Promise<void> => {
    await pageAt(path)?.component.preload?.();
    reset();
  };
  return <ErrorPanel error={error} again={() => void again()} />;
}

function NotFound() {
  return (
    <EmptyState title="There is no such page">
      Go to <Go to="/">Home</Go>, or press Ctrl-K and type an id or a name.
    </EmptyState>
  );
}
