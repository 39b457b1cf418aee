import './shell/styles.js';
import './shell/shell.css';
import './shell/parts.css';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { ApiFailure } from './api/client.js';
import { router } from './shell/router.js';
import { copyExactly } from './parts/money.js';
import { cssVariables, theme } from './shell/theme.js';

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // A browser that is offline still reaches a server on its own machine.
      networkMode: 'always',
      refetchOnReconnect: true,
      // A refusal would be repeated; a missing answer may come now.
      retry: (count, error) =>
        count < 2 && error instanceof ApiFailure && (error.status === 0 || error.status >= 500),
    },
  },
});
const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? '';
// The library that locks scrolling under a dialog adds its own style, and reads the nonce from this name.
Object.assign(globalThis, { __webpack_nonce__: nonce });
document.addEventListener('copy', copyExactly);
const root = document.querySelector('#root');

if (root)
  createRoot(root).render(
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <Notifications position="bottom-right" />
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>,
  );
