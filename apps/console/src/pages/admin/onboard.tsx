import { Alert, NativeSelect, PasswordInput, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { Go } from '../../parts/go.js';
import { Name, clean } from '../../parts/name.js';
import { PageHead } from '../../parts/page-head.js';
import { ImportSellers } from './import-sellers.js';
import { Steps } from './steps.js';

const empty = {
  slug: '',
  agent_url: '',
  protocol: 'mcp',
  dialect: 'adcp',
  token: '',
  token_scheme: 'bearer',
  account: '',
};

/** The dialects: the names that a seller uses for its tasks. */
export const dialects = [
  { value: 'adcp', label: 'adcp: as the open protocol' },
  { value: 'ads', label: 'ads: as our own' },
] as const;

const isSlug = (text: string): boolean => /^[a-z0-9-]{1,63}$/.test(text.trim());

/** Adds a seller: its address and credential, then the steps of the connection test. */
export function OnboardPage() {
  const [typed, setTyped] = useState(empty);
  const [seller, setSeller] = useState<Answer<'POST /v1/sellers'>>();
  const [test, setTest] = useState<Answer<'POST /v1/sellers/{slug}/test'>>();
  const set = (member: keyof typeof empty) => ({
    value: typed[member],
    onChange: ({ currentTarget: { value } }: { readonly currentTarget: { readonly value: string } }) =>
      setTyped((old) => ({ ...old, [member]: value })),
  });
  const onboard = async (): Promise<void> => {
    setTest(undefined);
    setSeller(undefined);
    const made = await api('POST /v1/sellers', {
      body: {
        slug: typed.slug.trim(),
        agent_url: typed.agent_url.trim(),
        protocol: typed.protocol as 'mcp' | 'a2a',
        dialect: typed.dialect as 'ads' | 'adcp',
        ...(typed.token !== '' && {
          token: typed.token,
          token_scheme: typed.token_scheme as 'bearer' | 'basic',
        }),
        ...(typed.account.trim() !== '' && { account: typed.account.trim() }),
      },
    });
    setSeller(made);
    setTyped((old) => ({ ...old, token: '' }));
    setTest(await api('POST /v1/sellers/{slug}/test', { params: { slug: made.slug } }));
  };
  return (
    <>
      <PageHead title="Connect a seller">
        Its address is called, what it can do is read, and every step of the connection is tested. Nothing is
        bought. <Go to="/sellers">Sellers</Go>
      </PageHead>
      <Stack maw={900}>
        <ActForm label="Onboard" act={onboard} isReady={isSlug(typed.slug) && typed.agent_url.trim() !== ''}>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput
              label="Short name"
              description="Small letters, digits and hyphens; it stands in every list"
              required
              maxLength={63}
              error={
                typed.slug !== '' && !isSlug(typed.slug) && 'Use small letters, digits and hyphens alone.'
              }
              {...set('slug')}
            />
            <TextInput
              label="Address of its agent"
              description="As the seller gave it, for example https://ads.example/mcp. Private networks are refused."
              required
              type="url"
              {...set('agent_url')}
            />
            <NativeSelect label="Protocol" data={['mcp', 'a2a']} {...set('protocol')} />
            <NativeSelect
              label="Protocol of its tasks"
              description="The seller says which; most speak the open protocol"
              data={[...dialects]}
              {...set('dialect')}
            />
            <PasswordInput
              label="Token"
              description="Kept in the vault, and never shown again"
              autoComplete="off"
              visibilityToggleButtonProps={{ 'aria-label': 'Show the token' }}
              {...set('token')}
            />
            <NativeSelect label="How the token is sent" data={['bearer', 'basic']} {...set('token_scheme')} />
            <TextInput
              label="Account at the seller"
              description="Leave empty if the seller gave you no account"
              {...set('account')}
            />
          </SimpleGrid>
        </ActForm>
        {seller !== undefined && (
          <Alert
            color={seller.state === 'live' ? 'good' : 'warn'}
            variant="outline"
            role="status"
            title={`${clean(seller.name)} is ${clean(seller.state).replaceAll('_', ' ')}`}
          >
            {seller.reason !== undefined && <Name of={seller.reason} most={600} />}{' '}
            <Go to={`/sellers/${seller.slug}`}>Open the seller</Go>
          </Alert>
        )}
        {test !== undefined && <Steps result={test} />}
        <ImportSellers />
      </Stack>
    </>
  );
}
