import type { Tracing } from '@switchyard/telemetry';
import type { ModuleMetadata } from '@nestjs/common';
import type { ChangeStreams } from '../platform/routes/change-streams.js';
import type { Relay } from '../relay/relay.js';
import type { WebhookIntake } from '../webhooks/in/webhook-post.js';
import type { PublishedKeys } from '../keys/published-keys.controller.js';
import type { PublishedHeads } from '../ledger/published-heads.controller.js';
import type { OAuthPorts } from '../people/oauth/ports.js';
import type { EndpointPorts } from '../platform/http/http-context.js';
import type { OncePerKey } from '../platform/routes/once-per-key.js';
import type { AssistantActs } from '@switchyard/store';
import type { RecordAct } from '../platform/routes/record-act.js';
import type { ScimPorts } from '../people/scim/scim.controller.js';
import type { SessionPorts, SignInContext } from '../people/sign-in/sessions.js';

/** Everything that the HTTP layer uses. */
export interface ServerPorts
  extends Omit<EndpointPorts, 'principals'>, Pick<SessionPorts, 'principals' | 'signIn'> {
  readonly onSignIn?: SignInContext['onSignIn'];
  /** Absent: no traces. */
  readonly tracing?: Tracing;
  readonly changes: Pick<ChangeStreams, 'open'>;
  readonly webhooks: WebhookIntake;
  /** The public halves of our keys, each with its owner: those that sign, and retired ones that signed documents. */
  readonly publishedKeys: PublishedKeys;
  /** Signed heads of an organization's ledger, newest first; none if nothing was signed or the id is unknown. */
  readonly publishedHeads: PublishedHeads;
  readonly relay: Relay;
  /** Acts of assistants that wait for a person. */
  readonly assistantActs: AssistantActs;
  /** People and teams that provisioning systems manage. */
  readonly scim: ScimPorts;
  /** The authorization server of this instance; absent if people cannot sign in. */
  readonly oauth?: OAuthPorts;
}

/** What the server serves beside its own endpoints. */
export interface Served {
  /** Records every admin act. */
  readonly recordAct: RecordAct;
  /** Does an admin act once under one key. */
  readonly oncePerKey: OncePerKey;
  /** The modules with the admin routes. */
  readonly modules: NonNullable<ModuleMetadata['imports']>;
}
