import { IconAlertTriangle, IconCheck, IconLoader, IconUser, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';

/** One step: whether it is done, what it found, and the deed that repairs it. */
export interface Check {
  readonly title: ReactNode;
  readonly state: 'ok' | 'warn' | 'stops' | 'running' | 'asks' | 'to do';
  readonly detail?: ReactNode;
  readonly repair?: ReactNode;
}

const looks = {
  ok: ['good', IconCheck, 'Done'],
  warn: ['warn', IconAlertTriangle, 'Look at it'],
  stops: ['bad', IconX, 'Stops it'],
  running: ['accent', IconLoader, 'Running'],
  asks: ['accent', IconUser, 'Waits for a person'],
  'to do': ['', undefined, 'To do'],
} as const;

/** Steps or checks with their state, as a sign and as a word for screen readers. */
export function Checks({ of }: { readonly of: readonly Check[] }) {
  return (
    <ul className="check-list">
      {of.map(({ title, state, detail, repair }, at) => {
        const [tone, Icon, word] = looks[state];
        return (
          <li key={at}>
            <span
              className={Icon === undefined ? 'check-mark empty' : 'check-mark'}
              data-tone={tone}
              title={word}
            >
              {Icon !== undefined && <Icon size={12} stroke={2.4} aria-hidden="true" />}
              <span className="unseen">{word}: </span>
            </span>
            <span>
              <b>{title}</b>
              <small>{detail}</small>
            </span>
            {repair}
          </li>
        );
      })}
    </ul>
  );
}
