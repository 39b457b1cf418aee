import { PasswordInput, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Sent } from '../../../api/client.js';
import { Chips } from '../../../parts/chips.js';
import { ActForm } from '../../../parts/forms/act-form.js';
import { Name } from '../../../parts/name.js';
import type { GateCheck } from './gate-checks.js';

/** What is said about a sign-in where a seller is added. */
export type SignInWords = Pick<
  NonNullable<Sent<'POST /v1/sellers/add'>['body']>,
  'oauth' | 'issuer' | 'client_id' | 'client_secret' | 'token' | 'token_scheme'
>;
type Way = 'person' | 'client' | 'token' | 'basic';

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

/** The way that the seller wants, as far as its checks say it. */
function wayOf(authorise: GateCheck, metadata: GateCheck | undefined): Way {
  if (['client_wanted', 'client_secret_wanted'].includes(authorise.code)) return 'client';
  if (authorise.code === 'basic_wanted' || metadata?.code === 'wants_basic') return 'basic';
  return metadata?.code === 'wants_oauth' ? 'person' : 'token';
}

/** How we sign in at a seller: at its own server, as a client, with a token, or with a name and a password. */
export function SignInForm({
  authorise,
  metadata,
  signIn,
}: {
  readonly authorise: GateCheck;
  readonly metadata: GateCheck | undefined;
  readonly signIn: (words: SignInWords) => Promise<void>;
}) {
  const [way, setWay] = useState<Way>(wayOf(authorise, metadata));
  const [typed, setTyped] = useState({ client_id: '', secret: '', token: '', name: '', password: '' });
  const hasOAuth = metadata?.code === 'wants_oauth';
  const [issuer] = authorise.options?.map(({ value }) => value) ?? [];
  const set = (member: keyof typeof typed) => ({
    value: typed[member],
    autoComplete: 'off',
    onChange: ({ currentTarget: { value } }: { readonly currentTarget: { readonly value: string } }) =>
      setTyped((old) => ({ ...old, [member]: value })),
  });
  const named = issuer === undefined ? {} : { issuer };
  const words: Readonly<Record<Way, SignInWords>> = {
    person: { oauth: true, ...named },
    client: {
      client_id: typed.client_id.trim(),
      ...(typed.secret === '' ? { oauth: true } : { client_secret: typed.secret }),
      ...named,
    },
    token: { token: typed.token },
    basic: { token: `${typed.name}:${typed.password}`, token_scheme: 'basic' },
  };
  const isReady: Readonly<Record<Way, boolean>> = {
    person: true,
    client: typed.client_id.trim() !== '',
    token: typed.token !== '',
    basic: typed.name !== '' && typed.password !== '',
  };
  const labels: Readonly<Record<Way, string>> = {
    person: issuer === undefined ? 'Sign in at the seller' : `Sign in at ${hostOf(issuer)}`,
    client: 'Sign in as this client',
    token: 'Use this token',
    basic: 'Use this name and password',
  };
  const act = async (): Promise<void> => {
    await signIn(words[way]);
    setTyped((old) => ({ ...old, secret: '', token: '', password: '' }));
  };
  return (
    <ActForm title="Sign in" label={labels[way]} act={act} isReady={isReady[way]}>
      <Text size="sm">
        <Name of={authorise.words} most={600} />
      </Text>
      <Chips
        label="Way to sign in"
        value={way}
        options={[
          ...(hasOAuth
            ? [
                { value: 'person', title: 'At its server' },
                { value: 'client', title: 'As a client' },
              ]
            : []),
          { value: 'token', title: 'Token' },
          { value: 'basic', title: 'Name and password' },
        ]}
        onChange={(value) => setWay(value as Way)}
      />
      {way === 'person' && (
        <Text size="sm" c="dimmed">
          {issuer !== undefined && (
            <>
              You go to <b>{hostOf(issuer)}</b>. Sign in there only if you know that the seller uses it.{' '}
            </>
          )}
          We show the address once more, and you come back here.
        </Text>
      )}
      {way === 'client' && (
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput label="Client id" required {...set('client_id')} />
          <PasswordInput
            label="Client secret"
            description="Leave empty to sign in yourself as this client"
            visibilityToggleButtonProps={{ 'aria-label': 'Show the client secret' }}
            {...set('secret')}
          />
        </SimpleGrid>
      )}
      {way === 'token' && (
        <PasswordInput
          label="Token"
          description="Kept in the vault, and never shown again"
          visibilityToggleButtonProps={{ 'aria-label': 'Show the token' }}
          {...set('token')}
        />
      )}
      {way === 'basic' && (
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput label="Name" {...set('name')} />
          <PasswordInput
            label="Password"
            visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
            {...set('password')}
          />
        </SimpleGrid>
      )}
    </ActForm>
  );
}
