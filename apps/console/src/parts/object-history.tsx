import { Loader } from '@mantine/core';
import { actText } from './act-words.js';
import { HistoryList } from './history-list.js';
import { ErrorPanel } from './error-panel.js';
import { Name, wordsOf } from './name.js';
import { Panel } from './panel.js';
import { useAnswer } from './use-rows.js';

/** Who did what to one object, of the audit record. */
export function ObjectHistory({ id }: { readonly id: string }) {
  const acts = useAnswer('GET /v1/audit', { query: { object: id, limit: '100' } });
  return (
    <Panel title="History" about="who did what, newest first">
      {acts.isPending && <Loader role="status" aria-label="Loading the history" />}
      {acts.isError && <ErrorPanel error={acts.error} again={() => void acts.refetch()} />}
      {acts.data?.events.length === 0 && <p className="panel-small">Nobody has changed it yet.</p>}
      <HistoryList
        most={30}
        of={(acts.data?.events ?? []).map(({ at, actor, action, outcome, code, detail }) => ({
          at,
          kind: action,
          tone: outcome === undefined || outcome === 'ok' ? 'accent' : 'bad',
          title: (
            <>
              <Name of={actor} most={40} /> {actText(action)}
              {outcome !== undefined &&
                outcome !== 'ok' &&
                `: ${outcome}${code === undefined ? '' : `, ${code}`}`}
            </>
          ),
          text: detail === undefined ? undefined : <Name of={wordsOf(detail)} most={200} />,
        }))}
      />
    </Panel>
  );
}
