import { Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { useMe } from '../../api/session.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { Facts } from '../../parts/facts.js';
import { PageHead } from '../../parts/page-head.js';
import { PasswordField } from '../../parts/forms/password-field.js';
import { Factors } from './factors.js';
import { NoticeSettings } from './notice-settings.js';
import { Sessions } from './sessions.js';
import { bindText } from '../../parts/forms/bind-text.js';

/** The signed-in person: permissions, and ways to sign in. */
export function AccountPage() {
  const me = useMe().data;
  if (me === null || me === undefined) return null;
  return (
    <>
      <PageHead title="Your account">Who you are here, and how you sign in.</PageHead>
      <Stack>
        <Facts
          label="You"
          of={{
            Name: me.name,
            Kind: me.kind,
            Organization: me.organization.name,
            Roles: me.roles.join(', ') || 'No role, single permissions only',
            Teams: me.teams.map(({ name }) => name).join(', ') || 'none',
          }}
        />
        {me.kind === 'person' && <NoticeSettings />}
        {me.kind === 'person' && <Factors />}
        {me.kind === 'person' && <Password />}
        {me.kind === 'person' && <Sessions />}
      </Stack>
    </>
  );
}

export function Password() {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [current, setCurrent] = useState('');
  const set = async (): Promise<void> => {
    const body = { email, password, ...(current !== '' && { current_password: current }) };
    await api('POST /v1/me/password', { body });
    // Every session has ended, also this one.
    location.reload();
  };
  return (
    <ActForm
      title="Set your password"
      label="Set the password"
      act={set}
      isReady={email !== '' && password.length >= 12}
    >
      <TextInput label="E-mail address" type="email" autoComplete="username" {...bindText(email, setEmail)} />
      <PasswordField
        label="New password"
        description="At least 12 characters. You are signed out everywhere, and sign in with it again."
        isNew
        value={password}
        onChange={setPassword}
      />
      <PasswordField
        label="Current password"
        description="Where you have one."
        value={current}
        onChange={setCurrent}
      />
    </ActForm>
  );
}
