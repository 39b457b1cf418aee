import { EmptyState } from '../parts/empty-state.js';
import { Go } from '../parts/go.js';

export function NotFound() {
  return (
    <EmptyState title="There is no such page">
      Go to <Go to="/">Home</Go>, or press Ctrl-K and type an id or a name.
    </EmptyState>
  );
}
