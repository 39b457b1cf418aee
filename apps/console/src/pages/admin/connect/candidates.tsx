import { IconCheck, IconFileSearch, IconX } from '@tabler/icons-react';
import type { Answer } from '../../../api/client.js';
import { Avatar } from '../../../parts/avatar.js';
import { clean, Name } from '../../../parts/name.js';
import { Panel } from '../../../parts/panel.js';
import { dayText } from '../../../parts/time.js';

export type Found = Answer<'POST /v1/sellers/find'>;
export type Candidate = Found['candidates'][number];

/** Who confirms an agent. */
export const confirmed: Readonly<Record<Candidate['agrees'], string>> = {
  both: 'the publisher and the operator name it',
  publisher_only: 'the publisher names it',
  operator_only: 'the operator names it; no publisher was asked',
  neither: 'entered by its address; no document confirms it',
};

const relations = {
  direct: 'sells for itself',
  delegated: 'sells on behalf of the publisher',
  ad_network: 'sells as a network',
} as const;

const documentStates: Readonly<Record<Found['documents'][number]['state'], string>> = {
  read: 'read',
  missing: 'not there',
  refused: 'refused',
  rolled_back: 'older than the one that we know',
  redirected: 'points elsewhere',
};

/** What a publisher says of an agent, in words. */
export function saysOf({ says }: Candidate): readonly string[] {
  return says.map(({ delegation_type: type, exclusive, countries, window, covers }) =>
    [
      type === undefined ? undefined : relations[type],
      exclusive === true && 'only it may',
      covers !== undefined && `${covers} ${covers === 1 ? 'property' : 'properties'}`,
      countries !== undefined && clean(countries.join(', '), 80),
      window?.from !== undefined && `from ${dayText(window.from)}`,
      window?.until !== undefined && `until ${dayText(window.until)}`,
    ]
      .filter((part) => typeof part === 'string')
      .join(' · '),
  );
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

/** The documents that were read: what they are, and what came of it. */
export function Documents({ of: documents }: { readonly of: Found['documents'] }) {
  return (
    <ul className="documents">
      {documents.map(({ url, state, why }) => {
        const isRead = state === 'read';
        const Icon = isRead ? IconCheck : state === 'missing' ? IconFileSearch : IconX;
        return (
          <li key={url}>
            <span
              className="check-mark"
              data-tone={isRead ? 'good' : state === 'missing' ? '' : 'warn'}
              aria-hidden="true"
            >
              <Icon size={12} stroke={2.4} />
            </span>
            <span>
              <Name of={url} most={160} />: {documentStates[state]}
              {why !== undefined && (
                <>
                  . <Name of={why} most={300} />
                </>
              )}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

/** The agents that may sell, one of which is chosen, and those that are not offered, with the reason. */
export function Candidates({
  of: { candidates, not_offered: notOffered },
  chosen,
  onChoose,
}: {
  readonly of: Found;
  readonly chosen: string | undefined;
  readonly onChoose: (agentUrl: string) => void;
}) {
  return (
    <>
      {candidates.length > 0 && (
        <Panel title="Agent" about={`1 of ${candidates.length} is chosen`} isFlush>
          <div className="candidates" role="radiogroup" aria-label="Agent">
            {candidates.map((candidate) => {
              const { agent_url: url, kinds, agrees, problems } = candidate;
              return (
                <label key={url} data-chosen={url === chosen ? '' : undefined}>
                  <input
                    type="radio"
                    name="candidate"
                    value={url}
                    checked={url === chosen}
                    onChange={() => onChoose(url)}
                  />
                  <Avatar of={hostOf(url)} size={30} />
                  <span className="candidate-words">
                    <b>
                      <Name of={hostOf(url)} most={80} />
                    </b>
                    <small>
                      {[kinds.join(', '), confirmed[agrees]].filter((part) => part !== '').join(' · ')}
                    </small>
                    {saysOf(candidate).map((words, at) => (
                      <small key={at}>{words}</small>
                    ))}
                    {problems.map(({ code, why }) => (
                      <small key={code} className="toned" data-tone="warn">
                        <Name of={why} most={300} />
                      </small>
                    ))}
                  </span>
                  <code>
                    <Name of={url} most={120} />
                  </code>
                </label>
              );
            })}
          </div>
        </Panel>
      )}
      {notOffered.length > 0 && (
        <Panel title="Not offered" about={`${notOffered.length} that may not sell for it`}>
          <ul className="plain-list">
            {notOffered.map(({ agent_url: url, code, why }) => (
              <li key={`${url} ${code}`}>
                <b>
                  <Name of={url} most={120} />
                </b>
                <div className="quiet">
                  <Name of={why} most={400} />
                </div>
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </>
  );
}
