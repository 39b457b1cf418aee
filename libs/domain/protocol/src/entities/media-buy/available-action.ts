/** What may be done to a buy now, and how. */
export interface AvailableAction {
  readonly action: string;
  readonly mode: 'self_serve' | 'conditional_self_serve' | 'requires_approval';
}
