import { Code, Group, NativeSelect, PasswordInput, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { Explained } from '../../parts/explained.js';
import { Facts } from '../../parts/facts.js';
import { Go } from '../../parts/go.js';
import { Id } from '../../parts/id.js';
import { moneyText } from '../../parts/money.js';
import { Name, clean } from '../../parts/name.js';
import { useStops } from '../../parts/forms/stop-button.js';
import { healthOf, healthWords } from '../../parts/seller-health.js';
import { Time } from '../../parts/time.js';
import { useMay } from '../../parts/use-rows.js';
import { shareOf, spanText } from './sellers.js';
import { BuyLink } from '../agency/buy-link.js';
import { dialects } from './dialects.js';
import { bindText } from '../../parts/forms/bind-text.js';

type Seller = Answer<'GET /v1/sellers/{slug}'>;

const isOver = (credential: Seller['credential']): boolean =>
  credential?.retires_at !== undefined && Date.parse(credential.retires_at) <= Date.now();

/** What the seller can do for us now, and why. */
export function SellerHealth({ seller }: { readonly seller: Seller }) {
  const { credential } = seller;
  const stop = useStops()(`seller:${seller.slug}`);
  const health = healthOf(seller, stop !== undefined);
  const [words, tone] = healthWords(health, seller);
  return (
    <Explained
      kind="seller"
      of={health}
      words={words}
      tone={tone}
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

export function Known({ seller }: { readonly seller: Seller }) {
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
export function Figures({ seller: { figures, slug } }: { readonly seller: Seller }) {
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

export function Edit({ seller }: { readonly seller: Seller }) {
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
        <NativeSelect label="Protocol" data={['mcp', 'a2a']} {...bindText(protocol, setProtocol)} />
        <NativeSelect label="Protocol of its tasks" data={[...dialects]} {...bindText(dialect, setDialect)} />
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
