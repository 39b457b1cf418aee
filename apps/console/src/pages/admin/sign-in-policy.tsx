import { Group, Loader, MultiSelect, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { ErrorPanel } from '../../parts/error-panel.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { FactList, Panel } from '../../parts/panel.js';
import { PageHead } from '../../parts/page-head.js';
import { useAnswer, useMay } from '../../parts/use-rows.js';

type Policy = Answer<'GET /v1/sign-in-policy'>;

const whom = {
  nobody: 'nobody has to',
  approvers: 'whoever approves',
  everybody: 'everybody',
} as const;

/** How strong a sign-in must be, and how long it lasts. */
export function SignInPolicyPage() {
  const policy = useAnswer('GET /v1/sign-in-policy');
  return (
    <>
      <PageHead title="Sign-in">How strong a sign-in must be, and how long it lasts.</PageHead>
      {policy.isPending && <Loader role="status" aria-label="Loading the policy" />}
      {policy.isError && <ErrorPanel error={policy.error} again={() => void policy.refetch()} />}
      {policy.isSuccess && <Shown key={JSON.stringify(policy.data)} policy={policy.data} />}
    </>
  );
}

function Shown({ policy }: { readonly policy: Policy }) {
  const may = useMay();
  return (
    <div className="columns">
      <div className="column">{may('principals.write') ? <Change policy={policy} /> : undefined}</div>
      <div className="column">
        <Panel title="Now">
          <FactList
            of={{
              'Second factor': whom[policy.second_factor],
              'Also of roles': policy.second_factor_roles.join(', '),
              'Sign-in is recent': `${policy.recent_minutes} minutes`,
              'Ends unused after': `${policy.idle_minutes} minutes`,
            }}
          />
        </Panel>
      </div>
    </div>
  );
}

function Change({ policy }: { readonly policy: Policy }) {
  const roles = useAnswer('GET /v1/roles');
  const [factor, setFactor] = useState(policy.second_factor);
  const [ofRoles, setOfRoles] = useState<readonly string[]>(policy.second_factor_roles);
  const [recent, setRecent] = useState(String(policy.recent_minutes));
  const [idle, setIdle] = useState(String(policy.idle_minutes));
  const isNumber = (text: string): boolean => /^[1-9]\d{0,4}$/.test(text);
  const isChanged =
    factor !== policy.second_factor ||
    ofRoles.join() !== policy.second_factor_roles.join() ||
    recent !== String(policy.recent_minutes) ||
    idle !== String(policy.idle_minutes);
  return (
    <ActForm
      title="Change how people sign in"
      label="Save the policy"
      done="The policy holds from now on."
      isReady={isChanged && isNumber(recent) && isNumber(idle)}
      act={() =>
        api('POST /v1/sign-in-policy', {
          body: {
            second_factor: factor,
            second_factor_roles: ofRoles,
            recent_minutes: Number(recent),
            idle_minutes: Number(idle),
          },
        })
      }
    >
      <Group align="flex-start" grow preventGrowOverflow={false}>
        <NativeSelect
          label="Who needs a second factor"
          description="A passkey, or a code of an app"
          value={factor}
          onChange={({ currentTarget }) => setFactor(currentTarget.value as Policy['second_factor'])}
          data={Object.entries(whom).map(([value, label]) => ({ value, label }))}
        />
        <MultiSelect
          label="And whoever holds one of these roles"
          data={(roles.data?.roles ?? []).map(({ role }) => role)}
          value={[...ofRoles]}
          onChange={setOfRoles}
          clearable
          clearButtonProps={{ 'aria-label': 'Choose no role' }}
        />
        <TextInput
          label="A sign-in is recent for"
          description="Minutes; after it people show themselves again for acts on access"
          inputMode="numeric"
          required
          value={recent}
          onChange={({ currentTarget }) => setRecent(currentTarget.value.trim())}
        />
        <TextInput
          label="A session ends unused after"
          description="Minutes"
          inputMode="numeric"
          required
          value={idle}
          onChange={({ currentTarget }) => setIdle(currentTarget.value.trim())}
        />
      </Group>
      <small>A policy that asks less of people holds only after another person approved it.</small>
    </ActForm>
  );
}
