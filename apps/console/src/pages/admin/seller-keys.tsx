import { Button, Code, CopyButton } from '@mantine/core';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { DataTable } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { ErrorPanel } from '../../parts/error-panel.js';
import { Panel } from '../../parts/panel.js';
import { useMay, useRows } from '../../parts/use-rows.js';
import { credentialColumns, Rotate } from './credentials.js';

type Seller = Answer<'GET /v1/sellers/{slug}'>;

/** How we sign in at a seller, and where its events come in: what is used, since when, and until when. */
export function SellerKeys({ seller }: { readonly seller: Seller }) {
  const { slug, events_url: eventsUrl } = seller;
  const mayWrite = useMay()('sellers.write');
  const credentials = useRows('GET /v1/credentials', (answer) => answer.credentials, {
    query: { seller: slug, limit: '500' },
  });
  const { rows } = credentials;
  const rotatable = [
    ...new Map(rows.filter((row) => row.can_rotate).map((row) => [row.credential_id, row])).values(),
  ];
  const hasOAuth = rows.some(({ kind }) => kind.startsWith('oauth'));
  return (
    <div className="column">
      <Panel
        title="Keys and sign-in"
        about="secrets are never shown again"
        isFlush
        acts={hasOAuth && mayWrite && seller.state === 'failed' && <SignInAgain seller={seller} />}
      >
        <DataTable
          label="Keys and sign-in of the seller"
          pages={credentials}
          columns={credentialColumns.filter(({ title }) => title !== 'For' && title !== 'Version')}
          empty={
            <EmptyState title="Nothing is kept for this seller">
              It is called without a credential. Put in a token under Overview, Edit.
            </EmptyState>
          }
        />
      </Panel>
      {mayWrite && rotatable.length > 0 && <Rotate of={rotatable} />}
      {eventsUrl !== undefined && (
        <Panel title="Address for its events" about="give it to this agent; nobody else may use it">
          <div className="facts-line">
            <Code>{eventsUrl}</Code>{' '}
            <CopyButton value={eventsUrl}>
              {({ copied, copy }) => (
                <Button size="compact-xs" variant="subtle" onClick={copy}>
                  {copied ? 'Copied' : 'Copy the address'}
                </Button>
              )}
            </CopyButton>
          </div>
        </Panel>
      )}
    </div>
  );
}

/** Begins a new sign-in at the seller's own server, which the next page names. */
function SignInAgain({ seller: { slug, agent_url: input } }: { readonly seller: Seller }) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const signIn = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const { authorize_url: url } = await api('POST /v1/sellers/add', {
        body: { input, slug, oauth: true },
      });
      if (url === undefined) throw new Error('The seller asks for no sign-in now. Test the connection.');
      window.location.assign(url);
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button size="xs" loading={isBusy} onClick={() => void signIn()}>
        Sign in again
      </Button>
      {error !== undefined && <ErrorPanel error={error} />}
    </>
  );
}
