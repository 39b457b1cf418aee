import { useMe } from '../../api/session.js';
import { PageHead } from '../../parts/page-head.js';
import { NeedsMe } from './needs-me.js';

/** Everything that waits for the reader. */
export function InboxPage() {
  const me = useMe().data;
  return (
    <>
      <PageHead title="Inbox">What waits for you. A line leaves by itself when it is done.</PageHead>
      {me && <NeedsMe me={me} />}
    </>
  );
}
