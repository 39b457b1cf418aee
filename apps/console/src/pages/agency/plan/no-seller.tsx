import { EmptyState } from '../../../parts/empty-state.js';
import { Go } from '../../../parts/go.js';
import { useMay } from '../../../parts/use-rows.js';

/** The answer to a question that no seller could be asked. */
export function NoSeller() {
  return (
    <EmptyState title="No seller could be asked">
      No seller of this kind is connected.{' '}
      {useMay()('sellers.write') ? <Go to="/sellers/new">Onboard one</Go> : 'An administrator onboards one.'}
    </EmptyState>
  );
}
