import { Alert, Button, Code, CopyButton, Group, List, Paper, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { useMe } from '../../api/session.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { deviceText } from '../../parts/device-text.js';
import { Facts } from '../../parts/facts.js';
import { Go } from '../../parts/go.js';
import { Id } from '../../parts/id.js';
import { Money } from '../../parts/money.js';
import { Name, clean } from '../../parts/name.js';
import { useScopeText } from '../../parts/forms/scope-select.js';
import { StopButton } from '../../parts/forms/stop-button.js';
import { Time } from '../../parts/time.js';
import { useMay, useRows } from '../../parts/use-rows.js';
import { RoleSelect, ScopeInput, type Principal } from './role-fields.js';

interface Given {
  readonly what: string;
  readonly secret: string;
  readonly until: string;
}

/** One principal: its permissions by scope, and its ways to sign in. */
export function PersonCard({
  principal,
  onClose,
}: {
  readonly principal: Principal;
  readonly onClose: () => void;
}) {
  return (
    <Paper withBorder p="md" component="section" aria-label="One person">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4">
          <Name of={principal.name} />
        </Title>
        <Group gap="xs">
          <Link to={`/people/${principal.principal_id}`} search={{}} className="second-act">
            Open the page
          </Link>
          <Button size="xs" variant="default" onClick={onClose}>
            Close
          </Button>
        </Group>
      </Group>
      <PersonFacts principal={principal} />
      <PersonRoles principal={principal} />
      <PersonDevices principal={principal} />
      <PersonRoles principal={principal} isToAdd />
    </Paper>
  );
}

/** Who it is, and what it may spend. */
export function PersonFacts({ principal }: { readonly principal: Principal }) {
  return (
    <Facts
      label="Who it is"
      of={{
        Kind: principal.kind,
        Brand: principal.brand_domain && <Name of={principal.brand_domain} />,
        Id: <Id of={principal.principal_id} />,
        'May do': permissionsText(principal.permissions),
        'May spend without asking': <MaySpend id={principal.principal_id} />,
        Revoked: principal.revoked_at && <Time at={principal.revoked_at} />,
        'What it did': (
          <Go to="/system/acts" search={{ actor: principal.name }}>
            Audit
          </Go>
        ),
      }}
    />
  );
}

/** The roles of a principal, and with `isToAdd` the form that gives it another. */
export function PersonRoles({
  principal,
  isToAdd = false,
}: {
  readonly principal: Principal;
  readonly isToAdd?: boolean;
}) {
  const may = useMay();
  const isActive = principal.revoked_at === undefined;
  const holder = { principal: principal.name };
  if (!isToAdd) return <Grants holder={holder} canDelete={may('principals.delete') && isActive} />;
  return may('principals.write') && isActive ? <AddGrant holder={holder} /> : undefined;
}

/** Its tokens, sessions and ways to sign in, and the acts on them. */
export function PersonDevices({ principal }: { readonly principal: Principal }) {
  const { name } = principal;
  const params = { name };
  const may = useMay();
  const [given, setGiven] = useState<Given>();
  const isActive = principal.revoked_at === undefined;
  const canWrite = may('principals.write') && isActive;
  const canDelete = may('principals.delete') && isActive;
  const isSelf = useMe().data?.principal_id === principal.principal_id;
  return (
    <>
      {principal.tokens.length > 0 && (
        <List size="sm" mb="sm" aria-label="Tokens">
          {principal.tokens.map((token) => (
            <List.Item key={token.token_id}>
              <Group gap="xs">
                <span>
                  {token.scheme === 'link' ? 'sign-in link' : token.scheme},{' '}
                  <Name of={token.label} most={60} />
                  {token.device !== undefined && (
                    <>
                      ,{' '}
                      <span title={clean(token.device)}>
                        <Name of={deviceText(token.device)} most={60} />
                      </span>
                    </>
                  )}
                  {token.address !== undefined && (
                    <>
                      {' '}
                      at <Name of={token.address} />
                    </>
                  )}
                  {token.last_used_at !== undefined && (
                    <>
                      , last used <Time at={token.last_used_at} />
                    </>
                  )}
                  , until <Time at={token.expires_at} />
                </span>
                {canDelete && (
                  <ConfirmButton
                    label="End it"
                    size="compact-sm"
                    variant="default"
                    done="It opens nothing any more."
                    act={() => api('DELETE /v1/tokens/{id}', { params: { id: token.token_id } })}
                  >
                    Whoever uses it is refused from now on.
                  </ConfirmButton>
                )}
              </Group>
            </List.Item>
          ))}
        </List>
      )}
      {principal.identities.length > 0 && (
        <List size="sm" mb="sm" aria-label="Identities">
          {principal.identities.map(({ identity_id: id, kind, issuer, subject }) => (
            <List.Item key={id}>
              <Group gap="xs">
                <span>
                  {identityWords[kind]} <Name of={subject} most={80} />
                  {issuer !== undefined && (
                    <>
                      {' '}
                      at <Name of={issuer} most={80} />
                    </>
                  )}
                </span>
                {canDelete && (
                  <ConfirmButton
                    label="Remove it"
                    size="compact-sm"
                    variant="default"
                    done="It is removed."
                    act={() => api('DELETE /v1/identities/{id}', { params: { id } })}
                  >
                    Whoever comes with it is not {clean(name)} any more.
                    {kind === 'sign_in' &&
                      ' The next sign-in links it again while its verified e-mail address is theirs.'}
                  </ConfirmButton>
                )}
              </Group>
            </List.Item>
          ))}
        </List>
      )}
      {given !== undefined && (
        <Alert color="warn" variant="outline" mb="sm" role="status" title={`${given.what}: it is shown once`}>
          <Code block>{given.secret}</Code>
          <Group mt="xs">
            <CopyButton value={given.secret}>
              {({ copied, copy }) => (
                <Button size="xs" onClick={copy}>
                  {copied ? 'Copied' : 'Copy'}
                </Button>
              )}
            </CopyButton>
            <Text size="sm">
              Until <Time at={given.until} />
            </Text>
          </Group>
        </Alert>
      )}
      <Group mb="md">
        {canWrite && principal.kind === 'person' && (
          <ConfirmButton
            label="Make a sign-in link"
            done="The link is made."
            act={async () => {
              const made = await api('POST /v1/principals/{name}/sign-in-links', { params, body: {} });
              setGiven({ what: 'Sign-in link', secret: made.link, until: made.expires_at });
            }}
          >
            Whoever opens it first is signed in as {clean(name)}. Send it on a way that you trust.
          </ConfirmButton>
        )}
        {canWrite && (
          <ConfirmButton
            label="Make a token"
            variant="default"
            done="The token is made."
            act={async () => {
              const made = await api('POST /v1/principals/{name}/tokens', {
                params,
                body: { scheme: 'bearer' },
              });
              setGiven({ what: 'Token', secret: made.token ?? '', until: made.expires_at });
            }}
          >
            Programs call with it as {clean(name)}. In the console it is typed in the place of the password.
          </ConfirmButton>
        )}
        {canWrite && principal.kind === 'person' && (
          <ConfirmButton
            label="Reset the second factor"
            variant="default"
            done="Nothing is asked for after the password any more."
            act={() => api('POST /v1/principals/{name}/reset-factors', { params })}
          >
            For somebody who has lost phone and recovery codes: {clean(name)} signs in with the password alone
            until it is set up again. Be sure that it is {clean(name)} who asks.
          </ConfirmButton>
        )}
        {canDelete && may('sellers.approve') && !isSelf && (
          <StopButton target={`principal:${principal.principal_id}`} name={clean(name)}>
            {clean(name)} is refused everywhere, and what was not sent yet waits, until somebody ends the
            stop.
          </StopButton>
        )}
        {canDelete && (
          <ConfirmButton
            label="Revoke"
            color="bad"
            variant="outline"
            done={`${clean(name)} is revoked.`}
            act={() => api('DELETE /v1/principals/{name}', { params })}
          >
            {clean(name)} is refused everywhere from now on, with every token and session, until somebody
            switches it on again.
          </ConfirmButton>
        )}
        {may('principals.write') && !isActive && (
          <ConfirmButton
            label="Switch on again"
            variant="default"
            done={`${clean(name)} is active again.`}
            act={() => api('POST /v1/principals/{name}/restore', { params })}
          >
            {clean(name)} may do again what its roles say. Its tokens, keys and programs are ended: make new
            ones afterwards.
          </ConfirmButton>
        )}
      </Group>
    </>
  );
}

/** The limits that hold for a person's own orders. */
export function MaySpend({ id }: { readonly id: string }) {
  const { rows } = useRows(
    'GET /v1/limits',
    ({ limits: all }) => all,
    { query: { limit: '500' } },
    useMay()('ledger.read'),
  );
  const own = rows.filter(({ for: whom }) => whom === `principal:${id}` || whom === 'each-buy');
  if (own.length === 0) return 'what no limit holds back';
  return own.map((limit) => (
    <div key={limit.limit_id}>
      <Money amount={limit.limit} currency={limit.currency} />{' '}
      {limit.for === 'each-buy' ? 'per order' : limit.per === 'month' ? 'a month' : 'in all'}
      {limit.above === 'ask' ? '; above it another person is asked' : '; above it is refused'}
    </div>
  ));
}

const identityWords = {
  sign_in: 'signs in as',
  jwt: 'comes with tokens of',
  certificate: 'comes with the certificate of',
} as const;

const permissionsText = (held: Principal['permissions']): string =>
  Object.entries(held)
    .map(([area, kinds]) => `${area.replaceAll('_', ' ')}: ${kinds.join(', ')}`)
    .join('; ') || 'Nothing of its own: its roles say it.';

/** The holder of a role: a principal or a team, by its name. */
type Holder = { readonly principal: string } | { readonly team: string };

export function Grants({ holder, canDelete }: { readonly holder: Holder; readonly canDelete: boolean }) {
  const text = useScopeText();
  const grants = useRows('GET /v1/grants', ({ grants: all }) => all, { query: holder });
  return (
    <List size="sm" mb="sm" aria-label="Roles">
      {grants.rows.map(({ grant_id: id, role, scope }) => (
        <List.Item key={id}>
          <Group gap="xs">
            <Name of={`${role} in ${text(scope)}`} />
            {canDelete && (
              <ConfirmButton
                label="Take the role away"
                size="compact-sm"
                variant="default"
                done="The role is taken away."
                act={() => api('DELETE /v1/grants/{id}', { params: { id } })}
              >
                {role} is taken away from the next call on.
              </ConfirmButton>
            )}
          </Group>
        </List.Item>
      ))}
    </List>
  );
}

export function AddGrant({ holder }: { readonly holder: Holder }) {
  const [role, setRole] = useState('');
  const [scope, setScope] = useState('organization');
  return (
    <Stack maw={720}>
      <ActForm
        label="Give the role"
        done="The role is given."
        isReady={role !== '' && scope.trim() !== ''}
        act={() => api('POST /v1/grants', { body: { ...holder, role, scope: scope.trim() } })}
      >
        <Group align="flex-start" grow preventGrowOverflow={false}>
          <RoleSelect value={role} onChange={setRole} />
          <ScopeInput value={scope} onChange={setScope} />
        </Group>
      </ActForm>
    </Stack>
  );
}
