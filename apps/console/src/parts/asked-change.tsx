import type { Answer } from '../api/client.js';
import { Name } from './name.js';

type Approval = Answer<'GET /v1/approvals'>['approvals'][number];

/** What a change that waits for another person is about, with what holds before it and after it. */
export function AskedChange({
  of: { subject, task, before, after },
}: {
  readonly of: Pick<Approval, 'subject' | 'task' | 'before' | 'after'>;
}) {
  return (
    <>
      <b>
        <Name of={subject ?? task.replaceAll('_', ' ')} most={80} />
      </b>{' '}
      {before !== undefined && <Name of={before} most={200} />}
      {after !== undefined && (
        <>
          {' '}
          → <Name of={after} most={200} />
        </>
      )}
    </>
  );
}
