import { useMe } from '../api/session.js';
import { Id } from './id.js';
import { Name } from './name.js';
import { useMay, useRows } from './use-rows.js';

/** The name of a principal; its id if it is another one and the reader may not list principals. */
export function PrincipalName({ id }: { readonly id: string }) {
  const principals = useRows('GET /v1/principals', (all) => all.principals, {}, useMay()('principals.read'));
  const me = useMe().data;
  const known = me ? [...principals.rows, me] : principals.rows;
  const found = known.find((principal) => principal.principal_id === id);
  return found === undefined ? <Id of={id} short /> : <Name of={found.name} most={60} />;
}
