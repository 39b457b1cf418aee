/** An action that is allowed on a buy now, and its mode. */
export interface AvailableAction {
  readonly action: string;
  readonly mode: 'self_serve' | 'conditional_self_serve' | 'requires_approval';
}
