import { NativeSelect } from '@mantine/core';
import type { Answer } from '../../api/client.js';
import { ScopeSelect } from '../../parts/forms/scope-select.js';
import { useRows } from '../../parts/use-rows.js';

export type Principal = Answer<'GET /v1/principals'>['principals'][number];

/** The scope of a role: the organization, or a part of it. */
export function ScopeInput({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (scope: string) => void;
}) {
  return (
    <ScopeSelect
      label="Scope"
      description="Where the role holds. Type the beginning of a name."
      fixed={{ organization: 'the whole organization', own: 'what they make themselves' }}
      parts={['client', 'brand', 'campaign']}
      value={value}
      onChange={onChange}
    />
  );
}

export function RoleSelect({
  none = 'Choose a role',
  value,
  onChange,
}: {
  /** The label of no role. */
  readonly none?: string;
  readonly value: string;
  readonly onChange: (role: string) => void;
}) {
  const roles = useRows('GET /v1/roles', ({ roles: all }) => all);
  return (
    <NativeSelect
      label="Role"
      description="What it may do, in the scope"
      data={[{ value: '', label: none }, ...roles.rows.map(({ role }) => role)]}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
