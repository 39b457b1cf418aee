import { err, ok, type JsonObject } from '@switchyard/values';
import type { SpecAnswers } from './run-route.js';

/** One key of ours, which rotating follows with the next, and one signer. */
export function specIdentity(requested: unknown[]): SpecAnswers {
  const at = '2026-11-21T12:00:00.000Z';
  const key = { kid: 'k1', principal: 'operator', state: 'live', alg: 'ed25519', created_at: at };
  const signer = {
    signer_id: 's1',
    principal: 'agency',
    agent_url: 'https://agency.example/mcp',
    kids: ['k9'],
    dialect: 'ads',
    allows_rsa_pss: false,
    created_at: at,
  };
  const missing = err({ code: 'NOT_FOUND', message: 'There is no principal with this name.' } as const);
  return {
    list_keys: () => ok({ keys: [key] }),
    rotate_key: ({ body }) => {
      const row = body as JsonObject;
      if (row['principal'] === 'nobody') return missing;
      return ok({ ...key, kid: 'k2', state: 'published', live_from: at, ...row });
    },
    list_signers: () => ok({ signers: [signer] }),
    add_signer: ({ params: { name = '' }, body }) => {
      const row = body as JsonObject;
      requested.push(['add_signer', name, row]);
      const { agent_url: agent, dialect, allows_rsa_pss: rsa } = row;
      if (name === 'nobody') return missing;
      return ok({ ...signer, principal: name, agent_url: agent, dialect, allows_rsa_pss: rsa });
    },
    remove_signer: ({ params: { id = '' } }) => {
      requested.push(['remove_signer', id]);
      return id === 's1' ? ok({ signer_id: id, removed: true }) : missing;
    },
  };
}
