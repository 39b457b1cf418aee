import {
  Alert,
  Anchor,
  Button,
  Code,
  Group,
  List,
  Paper,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { passkeyTrouble, registerPasskey } from '../../api/passkey.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { Facts } from '../../parts/facts.js';
import { Name, clean } from '../../parts/name.js';
import { PasswordField } from '../../parts/forms/password-field.js';
import { Time } from '../../parts/time.js';
import { useAnswer } from '../../parts/use-rows.js';
import { bindText } from '../../parts/forms/bind-text.js';

/** Second factors: codes of an app, and recovery codes. */
export function Factors() {
  const { data } = useAnswer('GET /v1/me/sign-in');
  const [codes, setCodes] = useState<readonly string[]>();
  if (data === undefined) return null;
  const { email, totp_since: since, recovery_codes_left: left } = data;
  return (
    <>
      <Facts
        label="How you sign in"
        of={{
          'E-mail address': email ?? 'none: set a password below',
          'Codes from an authenticator app': since === undefined ? 'not set up' : <Time at={since} />,
          'Recovery codes left': left,
        }}
      />
      {codes !== undefined && (
        <Alert color="warn" variant="outline" role="status" title="Your recovery codes: they are shown once">
          <Text size="sm">
            Each signs you in once, in the place of a code. Keep them where you find them without your phone.
          </Text>
          <Code block>{codes.join('\n')}</Code>
        </Alert>
      )}
      <Passkeys rows={data.passkeys} onCodes={setCodes} />
      {data.provider_links.length > 0 && <ProviderLinks rows={data.provider_links} />}
      {email !== undefined && since === undefined && <SetUpCodes onCodes={setCodes} />}
      {since !== undefined && (
        <ShowAgain
          title="Stop asking for codes"
          label="Remove the codes"
          done="No codes are asked for any more."
          act={async (body) => {
            await api('POST /v1/me/totp/remove', { body });
            setCodes(undefined);
          }}
        />
      )}
      {(since !== undefined || data.passkeys.length > 0) && email !== undefined && (
        <ShowAgain
          title="New recovery codes"
          label="Make ten new ones"
          act={async (body) => setCodes((await api('POST /v1/me/recovery-codes', { body })).recovery_codes)}
        />
      )}
    </>
  );
}

function SetUpCodes({ onCodes }: { readonly onCodes: (codes: readonly string[]) => void }) {
  const [begun, setBegun] = useState<{ readonly secret: string; readonly uri: string }>();
  const [code, setCode] = useState('');
  if (begun === undefined)
    return (
      <ActForm
        title="Ask for a code after the password"
        label="Set up codes"
        act={async () => setBegun(await api('POST /v1/me/totp'))}
      >
        <Text size="sm">An app on your phone shows a new code every 30 seconds.</Text>
      </ActForm>
    );
  return (
    <ActForm
      title="Ask for a code after the password"
      label="Turn the codes on"
      done="From now on a code is asked for after the password."
      isReady={code.trim() !== ''}
      act={async () => {
        const { recovery_codes: codes } = await api('POST /v1/me/totp/confirm', { body: { code } });
        onCodes(codes);
      }}
    >
      <Stack gap={4}>
        <Text size="sm">
          Type this key into the app, or{' '}
          <Anchor underline="always" href={begun.uri}>
            open it on this device
          </Anchor>
          . It is shown once.
        </Text>
        <Code block>{begun.secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}</Code>
      </Stack>
      <TextInput
        label="Code that the app shows"
        autoComplete="one-time-code"
        inputMode="numeric"
        {...bindText(code, setCode)}
      />
    </ActForm>
  );
}

/** Authenticators: they sign a person in alone, and are a second factor after a password. */
function Passkeys({
  rows,
  onCodes,
}: {
  readonly rows: Answer<'GET /v1/me/sign-in'>['passkeys'];
  readonly onCodes: (codes: readonly string[]) => void;
}) {
  const [name, setName] = useState('');
  const trouble = passkeyTrouble();
  return (
    <ActForm
      title="Passkeys"
      label="Add a passkey"
      done="The passkey is added."
      isReady={trouble === undefined && name.trim() !== ''}
      act={async () => {
        const { recovery_codes: codes } = await registerPasskey(name.trim());
        if (codes !== undefined) onCodes(codes);
        setName('');
      }}
    >
      <Text size="sm">
        A passkey signs you in without a password, by a finger, a face or a PIN. With one, a password alone
        does not sign you in any more.
      </Text>
      {rows.length > 0 && (
        <List size="sm" aria-label="Passkeys">
          {rows.map((row) => (
            <List.Item key={row.passkey_id}>
              <Group gap="xs">
                <span>
                  <Name of={row.name} most={60} />, since <Time at={row.created_at} dateOnly />, last used{' '}
                  {row.last_used_at === undefined ? 'never' : <Time at={row.last_used_at} />}
                </span>
                <ConfirmButton
                  label="Remove"
                  size="compact-sm"
                  variant="default"
                  done="The passkey is removed."
                  act={() => api('DELETE /v1/me/passkeys/{id}', { params: { id: row.passkey_id } })}
                >
                  {clean(row.name)} signs you in no more.
                </ConfirmButton>
              </Group>
            </List.Item>
          ))}
        </List>
      )}
      {trouble === undefined ? (
        <TextInput
          label="Name of the new passkey"
          description="What you call it: My phone."
          maxLength={60}
          {...bindText(name, setName)}
        />
      ) : (
        <Text size="sm">{trouble}</Text>
      )}
    </ActForm>
  );
}

/** Accounts of the installation's provider that sign the person in. */
function ProviderLinks({ rows }: { readonly rows: Answer<'GET /v1/me/sign-in'>['provider_links'] }) {
  return (
    <Paper withBorder p="md" component="section" aria-label="Linked accounts">
      <Title order={2} size="h4" mb="xs">
        Linked accounts
      </Title>
      <List size="sm">
        {rows.map((row) => (
          <List.Item key={row.provider_link_id}>
            <Name of={row.subject} most={60} /> at <Name of={row.issuer} most={80} />, since{' '}
            <Time at={row.created_at} dateOnly />{' '}
            <ConfirmButton
              label="Unlink"
              size="compact-sm"
              variant="default"
              done="The account is unlinked."
              act={() => api('DELETE /v1/me/provider-links/{id}', { params: { id: row.provider_link_id } })}
            >
              It signs you in again only while its verified e-mail address is yours here.
            </ConfirmButton>
          </List.Item>
        ))}
      </List>
    </Paper>
  );
}

/** An act that requires a code or the password again. */
function ShowAgain({
  title,
  label,
  done,
  act,
}: {
  readonly title: string;
  readonly label: string;
  readonly done?: string;
  readonly act: (body: { readonly code: string } | { readonly password: string }) => Promise<void>;
}) {
  const [isOpen, setOpen] = useState(false);
  const [code, setCode] = useState('');
  const [password, setPassword] = useState('');
  if (!isOpen)
    return (
      <div>
        <Button variant="default" size="xs" onClick={() => setOpen(true)}>
          {title}
        </Button>
      </div>
    );
  return (
    <ActForm
      title={title}
      label={label}
      {...(done !== undefined && { done })}
      isReady={code.trim() !== '' || password !== ''}
      act={async () => {
        await act(code.trim() === '' ? { password } : { code });
        setOpen(false);
        setCode('');
        setPassword('');
      }}
    >
      <TextInput
        label="Code"
        description="Of the app, or a recovery code; or your password below."
        autoComplete="one-time-code"
        {...bindText(code, setCode)}
      />
      <PasswordField label="Password" value={password} onChange={setPassword} />
    </ActForm>
  );
}
