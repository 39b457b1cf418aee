import type { ControlAct, ControlKind, ControlOutcomes, ControlRefusal } from '@switchyard/buys';
import type { Micros } from '@switchyard/money';
import type { Belongings, Principal, Reach } from '@switchyard/tenancy';
import type { Instant, JsonValue } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import type { TenantSession } from '../core/tenant-client.js';

/** What an act would do, judged in the transaction that takes it. */
export interface Judged {
  /** Whether another person must approve it. */
  readonly asks: boolean;
  /** What the verdict rests on: an approval of an act fails if this has changed. */
  readonly basedOn: JsonValue;
  /** Where its object is. */
  readonly place: Belongings;
  readonly subject: string;
  /** What it makes possible, in words. */
  readonly reason: string;
  readonly before?: string;
  readonly after?: string;
  readonly amount?: Micros;
  readonly currency?: string;
}

export type Verdict = Judged | { readonly refusal: ControlRefusal };

/** Who takes an act and when. `reach`: the buys that the requester may move. */
export interface Taking {
  readonly by: string;
  readonly at: Instant;
  readonly reach: Reach;
  /** The requester as it is when its act is approved; absent while it takes the act itself. */
  readonly requester?: Principal;
}

type ActOf<Kind extends ControlKind> = Extract<ControlAct, { readonly kind: Kind }>;

/** How one kind of act is judged and done. Both run in the transaction that takes or decides it. */
export interface ActRules<Kind extends ControlKind> {
  judge(client: TenantSession, act: ActOf<Kind>, taking: Taking): Promise<Verdict>;
  apply(client: TenantSession, act: ActOf<Kind>, taking: Taking): Promise<ControlOutcomes[Kind]>;
  /** What remains to be done in transactions of its own. */
  after?(
    store: Store,
    act: ActOf<Kind>,
    taking: Taking & { readonly organizationId: string },
    outcome: ControlOutcomes[Kind],
  ): Promise<ControlOutcomes[Kind]>;
}

/** A verdict on an act that needs nobody. */
export const freely = (subject: string, place: Belongings = {}): Judged => ({
  ...{ asks: false, basedOn: null, place, subject, reason: '' },
});

export const refused = (code: ControlRefusal['code'], message: string): Verdict => ({
  refusal: { code, message },
});
