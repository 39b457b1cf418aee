import type { Answer } from '../api/client.js';

type Seller = Answer<'GET /v1/sellers'>['sellers'][number];
type Figures = Answer<'GET /v1/sellers/{slug}'>['figures'];

/** From here on an answer is slow. */
export const slowMs = 2_500;
const dayMs = 86_400_000;
/** So many days without a figure are silence. */
const silentDays = 3;

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

const words: Readonly<Record<string, string>> = {
  live: 'Live',
  onboarding: 'Being connected',
  failed: 'Connection failed',
  'not answering': 'Not answering',
  'credential refused': 'Key refused',
  'credential revoked': 'Key revoked',
};

/** The state of a seller in 1 to 4 words, with its tone; with its figures of 30 days it says more. */
export function healthWords(
  health: string,
  { reason = '', figures }: { readonly reason?: string | undefined; readonly figures?: Figures | undefined },
): readonly [words: string, tone: string] {
  const { last_event_at: last, slowest_ms: slowest = 0 } = figures ?? {};
  const days = last === undefined ? 0 : Math.floor((Date.now() - Date.parse(last)) / dayMs);
  if (health === 'not answering' && days > silentDays) return [`Silent ${days} days`, 'bad'];
  if ((health === 'live' || health === 'not answering') && slowest > slowMs) return ['Slow', 'warn'];
  if (health === 'failed' && /protocol/i.test(reason)) return ['Answers break the protocol', 'bad'];
  return [words[health] ?? health, health === 'live' ? 'good' : 'bad'];
}
