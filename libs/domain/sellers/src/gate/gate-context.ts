import type { AccountRef, Dialect, ExpectedChallenge } from '@switchyard/protocol';
import type { Instant, Result } from '@switchyard/values';
import type { Connection, SellerKind } from '../connection.js';
import type { DiscoveredSeller } from '../connection-directory.js';
import type { Egress } from '../egress-port.js';
import type { NamedMetadata, ProtectedResource } from '../oauth/protected-resource.js';
import type { SellerProtocol } from '../seller-protocol.js';
import type { SellerTarget, SellerTransport } from '../transport.js';
import type { DiscoveryFailure } from '../keys/discovery-failure.js';
import type { KeyInspection } from '../keys/inspect-keys.js';
import type { CheckResult } from './check.js';

/** What the checks of one seller use. The seller changes under them: its protocol is found out, its capabilities are read. */
export interface GateContext {
  readonly transport: SellerTransport;
  readonly egress: Pick<Egress, 'checkUrl' | 'request'>;
  /** As it is now. */
  connection(): Connection;
  /** Address and credential for a call; undefined if our credential cannot be opened. */
  target(): Promise<SellerTarget | undefined>;
  /** Where the agent was found. */
  readonly source: CheckResult;
  /** Set by an admin; absent: both protocols are tried, and the dialect is read from the names of the tools. */
  readonly wanted: { readonly protocol?: SellerProtocol; readonly dialect?: Dialect };
  /** Whether questions that a rule answers are asked of nobody. */
  readonly goesByRule: boolean;
  /** What an agent decides that sells nothing, as its brand.json says; absent: it sells. */
  readonly decides?: readonly SellerKind[];
  /** True for a seller of our own practice market, which may be slow on purpose. */
  readonly isPractice: boolean;
  choose(spoken: { readonly protocol: SellerProtocol; readonly dialect: Dialect }): Promise<void>;
  keep(found: DiscoveredSeller): Promise<void>;
  useAccount(account: AccountRef): Promise<void>;
  /** It shows its products to an account alone. */
  wantAccount(): Promise<void>;
  /** What to do about a seller that wants a credential and has none here. */
  authorise(wants: WantedCredential): Promise<CheckResult>;
  readonly signIn: SignIn;
  /** What it publishes about its keys. */
  inspectKeys(): Promise<Result<KeyInspection, DiscoveryFailure>>;
  readonly challenges: WebhookChallenges;
  /** Our domain, by which sellers know us. */
  ownDomain(): Promise<string>;
  newId(): string;
  now(): Instant;
  /** Resolves after so many milliseconds. */
  pause(ms: number): Promise<void>;
  /** Why its declared webhooks keep it from going live; undefined if they do not. */
  webhookObjection(): string | undefined;
  /** Asks another person, where the organization wants that. */
  approve(): Promise<CheckResult>;
  goLive(): Promise<CheckResult>;
  inTime<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

/** The proof that a seller reaches us with a signed message, which it wants itself before it sends notifications. */
export interface WebhookChallenges {
  /** Our address for it at this seller. */
  address(): Promise<string>;
  /** From now on this one is answered, and no other. */
  expect(expected: ExpectedChallenge): Promise<void>;
  /** Id of the key that signed the one that was answered; undefined if none has come. */
  answeredBy(): Promise<string | undefined>;
}

/** The sign-in at a seller by OAuth. */
export interface SignIn {
  /** Whether an admin asked for it, or the one that was there has ended. */
  isDue(): Promise<boolean>;
  /** Gets a token of the seller's authorization server, or says what a person has to do for it. */
  run(resource: ProtectedResource, scopes: readonly string[]): Promise<CheckResult>;
}

/** How a seller wants to be authorised, as its refusal says. */
export interface WantedCredential {
  readonly way: 'none' | 'token' | 'basic' | 'oauth' | 'mtls';
  /** What its challenge says about the address of its metadata (RFC 9728, section 5.1). */
  readonly named?: NamedMetadata;
  readonly scopes?: readonly string[];
  /** The seller's own words, shortened. */
  readonly says?: string;
}
