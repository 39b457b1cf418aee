import { Checkbox, Group, Loader, PasswordInput, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { ErrorPanel } from '../../parts/error-panel.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { FactList, Panel } from '../../parts/panel.js';
import { PageHead } from '../../parts/page-head.js';
import { useAnswer, useMay } from '../../parts/use-rows.js';
import { bindText } from '../../parts/forms/bind-text.js';

type Known = Answer<'GET /v1/sign-in-provider'>;

/** The OpenID Connect provider of the organization, and the roles of its groups. */
export function SignInProviderPage() {
  const found = useAnswer('GET /v1/sign-in-provider');
  return (
    <>
      <PageHead title="Sign-in provider">
        The OpenID Connect provider that people sign in with, and the roles of its groups.
      </PageHead>
      {found.isPending && <Loader role="status" aria-label="Loading the provider" />}
      {found.isError && <ErrorPanel error={found.error} again={() => void found.refetch()} />}
      {found.isSuccess && <Shown key={JSON.stringify(found.data)} known={found.data} />}
    </>
  );
}

function Shown({ known }: { readonly known: Known }) {
  const may = useMay();
  const { provider } = known;
  return (
    <div className="columns">
      <div className="column">
        {may('principals.write') ? <Change known={known} /> : undefined}
        {provider !== undefined && may('principals.delete') ? <Remove /> : undefined}
      </div>
      <div className="column">
        <Panel title="Now">
          <FactList
            of={{
              Provider: provider?.name ?? 'none',
              Issuer: provider?.issuer ?? '',
              Addresses: provider?.domains.join(', ') ?? '',
              'Redirect URI': known.redirect_uri,
              'People begin at': known.sign_in_url,
            }}
          />
        </Panel>
      </div>
    </div>
  );
}

function Remove() {
  return (
    <ActForm
      title="Remove the provider"
      label="Let nobody sign in with it"
      done="Nobody signs in with it any more."
      act={() => api('DELETE /v1/sign-in-provider', {})}
    >
      <small>Sessions and roles that it gave stay until somebody ends them.</small>
    </ActForm>
  );
}

/** One line for each group: `Group = role in scope`. */
const linePattern = /^\s*(.+?)\s*=\s*([^\s=]+)\s+in\s+(\S+)\s*$/;

function Change({ known: { provider } }: { readonly known: Known }) {
  const [issuer, setIssuer] = useState(provider?.issuer ?? '');
  const [client, setClient] = useState(provider?.client_id ?? '');
  const [secret, setSecret] = useState('');
  const [name, setName] = useState(provider?.name ?? '');
  const [domains, setDomains] = useState(provider?.domains.join(', ') ?? '');
  const [claim, setClaim] = useState(provider?.groups_claim ?? 'groups');
  const [scopes, setScopes] = useState(provider?.extra_scopes.join(' ') ?? '');
  const [trusts, setTrusts] = useState(provider?.trust_email ?? false);
  const [lines, setLines] = useState(
    (provider?.groups ?? []).map(({ group, role, scope }) => `${group} = ${role} in ${scope}`).join('\n'),
  );
  const read = lines
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => linePattern.exec(line));
  const groups = read.flatMap((found) =>
    found === null ? [] : [{ group: found[1] ?? '', role: found[2] ?? '', scope: found[3] ?? '' }],
  );
  const parts = (text: string): string[] => text.split(/[\s,]+/).filter((part) => part !== '');
  return (
    <ActForm
      title={provider === undefined ? 'Set the provider' : 'Change the provider'}
      label="Ask for it"
      done="The provider holds from now on."
      isReady={
        issuer !== '' &&
        client !== '' &&
        name !== '' &&
        parts(domains).length > 0 &&
        groups.length === read.length
      }
      act={() =>
        api('POST /v1/sign-in-provider', {
          body: {
            issuer,
            client_id: client,
            ...(secret !== '' && { client_secret: secret }),
            name,
            domains: parts(domains),
            trust_email: trusts,
            groups_claim: claim,
            extra_scopes: parts(scopes),
            groups,
          },
        })
      }
    >
      <Group align="flex-start" grow preventGrowOverflow={false}>
        <Field label="Issuer" description="Exactly as in its tokens" value={issuer} set={setIssuer} />
        <Field label="Client id" value={client} set={setClient} />
        <PasswordInput
          label="Client secret"
          description={
            provider?.has_secret === true ? 'Empty: the one that is kept' : 'Empty for a public client'
          }
          autoComplete="off"
          {...bindText(secret, setSecret)}
        />
        <Field label="Name" description="What people call it" value={name} set={setName} />
        <Field
          label="Domains"
          description="Only people with an address of one of them"
          value={domains}
          set={setDomains}
        />
        <Field label="Claim with the groups" value={claim} set={setClaim} />
        <TextInput
          label="More scopes"
          description="Asked for beside openid and email"
          {...bindText(scopes, setScopes)}
        />
      </Group>
      <Textarea
        label="Roles of groups"
        description="One line for each: Switchyard Traders = trader in organization"
        autosize
        minRows={3}
        value={lines}
        error={groups.length === read.length ? undefined : 'Write each line as GROUP = ROLE in SCOPE'}
        onChange={({ currentTarget }) => setLines(currentTarget.value)}
      />
      <Checkbox
        label="Its addresses count as verified although it does not say so"
        checked={trusts}
        onChange={({ currentTarget }) => setTrusts(currentTarget.checked)}
      />
      <small>Another person approves each change of it.</small>
    </ActForm>
  );
}

function Field({
  label,
  description,
  value,
  set,
}: {
  readonly label: string;
  readonly description?: string;
  readonly value: string;
  readonly set: (value: string) => void;
}) {
  return (
    <TextInput
      label={label}
      description={description}
      required
      value={value}
      onChange={({ currentTarget }) => set(currentTarget.value.trimStart())}
    />
  );
}
