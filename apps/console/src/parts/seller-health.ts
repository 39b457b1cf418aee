import type { Answer } from '../api/client.js';

type Seller = Answer<'GET /v1/sellers'>['sellers'][number];

/** The state, and what blocks it: an emergency stop, a started removal, its credential, an open breaker. */
export function healthOf(
  {
    state,
    breaker = 'closed',
    draining,
    credential_fault: fault,
  }: Pick<Seller, 'state' | 'breaker' | 'draining' | 'credential_fault'>,
  isStopped: boolean,
): string {
  if (isStopped) return 'stopped';
  if (draining === true) return 'removed after its last buy';
  if (state !== 'live') return state;
  if (fault !== undefined) return `credential ${fault}`;
  return breaker === 'closed' ? state : 'not answering';
}
