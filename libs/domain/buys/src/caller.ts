import type { Voice } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import type { JsonObject } from '@switchyard/values';
import type { Leg } from './operation.js';

/** A mutation as the application hands it over: authenticated, scanned, read, its account known. */
export interface Mutation<Request> {
  readonly scope: TenantScope;
  readonly principalId: string;
  readonly voice: Voice;
  readonly version?: string;
  readonly request: Request;
  /** The buyer's arguments as they came. */
  readonly args: JsonObject;
  /** The account pair this is bought for. */
  readonly account: { readonly brandDomain: string; readonly brandId?: string; readonly operator: string };
  readonly deadlineMs: number;
  readonly onAnswered?: (leg: Leg) => void;
}
