import type { Belongings, Principal, Reach, TenantScope, TimeFilter } from '@switchyard/tenancy';
import type { Instant, JsonObject, PageRead } from '@switchyard/values';

/** `console` and `mail` of a person, or the channel of an endpoint. */
export type NoticeChannel = string;

/**
 * Channels of an endpoint, which belongs to an organization and not to a person: `webhook`, `slack`, `teams`, `pagerduty`,
 * and those of connectors.
 */
export type EndpointChannel = string;

/** A fact that people or systems are told. */
export interface Notice extends Belongings {
  /** UUID. */
  readonly id: string;
  /** For example `approval.requested`. */
  readonly kind: string;
  readonly objectKind: string;
  readonly objectId: string;
  /** What its texts are made of, without secrets. */
  readonly data: JsonObject;
  /** UUID of the only principal that is told. */
  readonly addresseeId?: string;
  /** `area.kind`: who holds it where the object is may be told. */
  readonly needs?: string;
  /** The same for facts that are told once. */
  readonly dedupeKey: string;
  readonly at: Instant;
}

/** What a person has set; everything that is absent is the usual. */
export interface NoticeSetting {
  /** By channel, by kind or `*`. */
  readonly rules: Readonly<Partial<Record<string, Readonly<Record<string, NoticeMode>>>>>;
  readonly timeZone?: string;
  /** 0 to 23. */
  readonly digestHour: number;
  /** Minutes of the day between which no mail is sent. */
  readonly quietFrom?: number;
  readonly quietTo?: number;
}

export const noticeModes = ['now', 'daily', 'off'] as const;
export type NoticeMode = (typeof noticeModes)[number];

/** A person who may be told something. */
export interface NoticePerson {
  readonly principal: Principal;
  /** The newest address that the person has proved; absent: no mail. */
  readonly email?: string;
  readonly setting?: NoticeSetting;
  /** Of the organization. */
  readonly usualTimeZone: string;
}

export interface NoticeEndpoint {
  /** UUID. */
  readonly id: string;
  readonly name: string;
  readonly channel: EndpointChannel;
  /** Scheme and host of its address. */
  readonly origin: string;
  readonly credentialId: string;
  /** Empty: all kinds. */
  readonly kinds: readonly string[];
  readonly state: 'active' | 'paused' | 'off';
  /** Since when no attempt has succeeded. */
  readonly failingSince?: Instant;
}

/** A delivery to make. */
export interface PlannedDelivery {
  /** UUID. */
  readonly id: string;
  readonly noticeId: string;
  readonly recipientId: string;
  readonly channel: NoticeChannel;
  readonly dueAt: Instant;
  readonly digestAt?: Instant;
}

/** How notices are handed out. `needs`: the permission of each notice without an addressee. */
export interface HandedOut {
  readonly deliveries: readonly PlannedDelivery[];
  readonly needs: ReadonlyMap<string, string>;
}

export interface ClaimedDelivery {
  /** UUID: the same at each attempt. */
  readonly id: string;
  readonly recipientId: string;
  readonly channel: NoticeChannel;
  /** From 1. */
  readonly attempt: number;
  readonly digestAt?: Instant;
  readonly notice: Notice;
}

/** How an attempt ended. */
export interface DeliveryEnd {
  readonly state: 'waiting' | 'sent' | 'failed' | 'dropped';
  /** With `waiting`. */
  readonly dueAt?: Instant;
  readonly reason?: string;
}

/** Notices of these permissions, within one reach. */
export interface NoticesShown {
  readonly needs: readonly string[];
  readonly reach: Reach;
}

/** A notice as its reader sees it. */
export interface ShownNotice extends Notice {
  readonly deliveryId: string;
  readonly readAt?: Instant;
}

interface NoticeFilter extends TimeFilter {
  readonly readerId: string;
  readonly shown: readonly NoticesShown[];
  readonly isRead?: boolean;
  readonly kind?: string;
}

/** Notices and their deliveries in PostgreSQL: a crash loses none, and repeats an attempt under its first id. */
export interface NoticeStore {
  /** Writes a notice that is no change of a row. Nothing happens if there is one with its key. */
  add(scope: TenantScope, notice: Omit<Notice, 'id' | 'needs'>): Promise<void>;
  /** Writes what is told because its time has come: credentials that end soon, the month that is due. Returns how many. */
  addTimed(scope: TenantScope, now: Instant): Promise<number>;
  /**
   * Hands out the oldest notices that are not yet, as `plan` says. One transaction: a notice and its deliveries are
   * there, or the notice is handed out later. Returns how many.
   */
  handOut(
    scope: TenantScope,
    now: Instant,
    plan: (
      notices: readonly Notice[],
      people: readonly NoticePerson[],
      endpoints: readonly NoticeEndpoint[],
    ) => HandedOut,
  ): Promise<number>;
  /** Newest first; the key is `[at, deliveryId]`. */
  list(scope: TenantScope, filter: NoticeFilter & PageRead): Promise<readonly ShownNotice[]>;
  /** The unread ones that the reader may see, counted up to a hundred. */
  unread(scope: TenantScope, filter: Pick<NoticeFilter, 'readerId' | 'shown'>): Promise<number>;
  /** Marks notices of a reader, all of them without `ids`; `readAt` undefined: as unread. Returns how many changed. */
  mark(
    scope: TenantScope,
    readerId: string,
    ids: readonly string[] | undefined,
    readAt: Instant | undefined,
  ): Promise<number>;
  /** Leases deliveries that are due; those of one digest together. */
  claim(
    scope: TenantScope,
    now: Instant,
    leaseMs: number,
    limit: number,
  ): Promise<readonly ClaimedDelivery[]>;
  /** Stores the end of an attempt, unless another worker has made a later one. */
  settle(
    scope: TenantScope,
    deliveries: readonly Pick<ClaimedDelivery, 'id' | 'attempt'>[],
    end: DeliveryEnd,
    now: Instant,
  ): Promise<void>;
  /** A person as it is now; undefined if it is gone or disabled. */
  person(scope: TenantScope, principalId: string): Promise<NoticePerson | undefined>;
  setting(scope: TenantScope, principalId: string): Promise<NoticeSetting | undefined>;
  saveSetting(scope: TenantScope, principalId: string, setting: NoticeSetting, at: Instant): Promise<void>;
  /** Sends an ended delivery again, under its id. False if there is none. */
  resend(scope: TenantScope, endpointId: string, deliveryId: string, now: Instant): Promise<boolean>;
  /** Deletes notices of before an instant, with their deliveries. Returns how many. */
  forget(scope: TenantScope, before: Instant): Promise<number>;
}
