import type { IdentityAdmin } from '@switchyard/server';
import { err, ok } from '@switchyard/values';

/** One key of ours; rotating publishes the next. */
export function specIdentity(requested: unknown[]): IdentityAdmin {
  const key = { kid: 'k1', principal: 'operator', state: 'live', alg: 'ed25519', created_at: 'now' } as const;
  const missing = err({ code: 'NOT_FOUND', message: 'There is no such principal.' } as const);
  return {
    publishedKeys: () => Promise.resolve([]),
    listKeys: () => Promise.resolve([key]),
    rotateKey: (_caller, { principal, kmsKeyId }) =>
      Promise.resolve(
        principal === 'nobody'
          ? missing
          : ok({
              ...key,
              kid: 'k2',
              principal: principal ?? 'operator',
              state: 'published' as const,
              live_from: 'soon',
              ...(kmsKeyId === undefined ? {} : { kms_key_id: kmsKeyId }),
            }),
      ),
    listSigners: () => Promise.resolve([specSigner]),
    addSigner: (_caller, principal, draft) => {
      requested.push(['addSigner', principal, draft]);
      const { agentUrl, dialect, allowsRsaPss = false } = draft;
      const view = { principal, agent_url: agentUrl, dialect, allows_rsa_pss: allowsRsaPss };
      return Promise.resolve(principal === 'nobody' ? missing : ok({ ...specSigner, ...view }));
    },
    removeSigner: (_caller, id) => {
      requested.push(['removeSigner', id]);
      return Promise.resolve(id === 's1' ? ok({ signer_id: id, removed: true }) : missing);
    },
  };
}

const specSigner = {
  signer_id: 's1',
  principal: 'agency',
  agent_url: 'https://agency.example/mcp',
  kids: ['k9'],
  dialect: 'ads',
  allows_rsa_pss: false,
  created_at: 'now',
} as const;
