import { Checkbox, NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, type Sent } from '../../api/client.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { FileOrText, readJson } from '../../parts/forms/file-or-text.js';
import { clean } from '../../parts/name.js';
import { useMay, useRows } from '../../parts/use-rows.js';
import { dialects } from './dialects.js';

type Draft = NonNullable<Sent<'POST /v1/principals/{name}/signers'>['body']>;

const ways = [
  { value: 'mcp', label: 'At the agent, over MCP' },
  { value: 'a2a', label: 'At the agent, over A2A' },
  { value: 'address', label: 'At an address' },
  { value: 'set', label: 'In a file, or as text' },
];

const empty = { principal: '', agent: '', way: 'mcp', address: '', set: '', dialect: 'adcp', rsa: false };

/** Registers an agent that signs as a principal. */
export function AddSigner() {
  const may = useMay();
  const isAllowed = may('principals.write') && may('principals.read');
  const query = { revoked: 'false' } as const;
  const principals = useRows('GET /v1/principals', (all) => all.principals, { query }, isAllowed);
  const [typed, setTyped] = useState(empty);
  const set = (change: Partial<typeof empty>): void => setTyped((old) => ({ ...old, ...change }));
  if (!isAllowed) return undefined;
  const { principal, agent, way, address, rsa } = typed;
  const register = async (): Promise<void> => {
    const body: Draft = {
      agent_url: agent.trim(),
      dialect: typed.dialect as 'ads' | 'adcp',
      ...(rsa && { allows_rsa_pss: true }),
      ...(way === 'address' && { jwks_uri: address.trim() }),
      // The server checks the set.
      ...(way === 'set' && { jwks: readJson(typed.set) as NonNullable<Draft['jwks']> }),
      ...((way === 'mcp' || way === 'a2a') && { protocol: way }),
    };
    await api('POST /v1/principals/{name}/signers', { params: { name: principal }, body });
    setTyped(empty);
  };
  const isNamed = way === 'address' ? address.trim() !== '' : way !== 'set' || typed.set.trim() !== '';
  return (
    <ActForm
      title="Register an agent that signs"
      label="Register"
      done="Its signatures are accepted from the next request on."
      act={register}
      isReady={principal !== '' && agent.trim() !== '' && isNamed}
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <NativeSelect
          label="Signs as"
          description="What it signs may do what this principal may. A brand is added under People."
          data={[
            { value: '', label: 'Choose' },
            ...principals.rows.map(({ name, kind }) => ({
              value: name,
              label: `${clean(name, 60)} (${kind})`,
            })),
          ]}
          value={principal}
          onChange={({ currentTarget }) => set({ principal: currentTarget.value })}
        />
        <TextInput
          label="Address of the agent"
          description="Its requests are recorded under it, for example https://agent.example/mcp"
          required
          type="url"
          value={agent}
          onChange={({ currentTarget }) => set({ agent: currentTarget.value })}
        />
        <NativeSelect
          label="Where its public keys are"
          data={ways}
          value={way}
          onChange={({ currentTarget }) => set({ way: currentTarget.value })}
        />
        {way === 'address' && (
          <TextInput
            label="Address of its keys"
            required
            type="url"
            placeholder="https://agent.example/jwks.json"
            value={address}
            onChange={({ currentTarget }) => set({ address: currentTarget.value })}
          />
        )}
        <NativeSelect
          label="Protocol of its tasks"
          description="For keys that are marked for both"
          data={[...dialects]}
          value={typed.dialect}
          onChange={({ currentTarget }) => set({ dialect: currentTarget.value })}
        />
        <Checkbox
          mt="lg"
          label="It may sign with RSA (rsa-pss-sha512)"
          checked={rsa}
          onChange={({ currentTarget }) => set({ rsa: currentTarget.checked })}
        />
      </SimpleGrid>
      {way === 'set' && (
        <FileOrText
          label="Key set"
          description="Public keys alone, as a JWKS"
          placeholder='{"keys": [{"kid": "...", "kty": "OKP", ...}]}'
          value={typed.set}
          onChange={(text) => set({ set: text })}
        />
      )}
    </ActForm>
  );
}
