import { randomUUID } from 'node:crypto';
import { Inject, Module } from '@nestjs/common';
import type { TenantScope } from '@switchyard/tenancy';
import { Lanes, type Lane } from '../platform/lanes/lanes.js';
import { planDeliveries } from './hand-out.js';
import { sendNotices, type SendNoticesDeps } from './send-notices.js';

/** Token of what tells people and systems. */
export const NOTICES = Symbol('notices');

/** How long notices are kept, in milliseconds: 90 days. */
const retentionMs = 90 * 24 * 3_600_000;
/** Claims of one visit: then other organizations have their turn. */
const claimsAtMost = 10;

/** Hands notices out to their recipients, and sends them. */
class NoticeLanes {
  readonly #send: Lane;

  constructor(
    @Inject(NOTICES) private readonly notices: SendNoticesDeps,
    @Inject(Lanes) private readonly lanes: Lanes,
  ) {
    const { clock } = notices;
    this.#send = {
      name: 'sending notices',
      everyMs: 1_000,
      // Most of a visit waits for receivers, as it does for sellers.
      waitsFor: 'sellers',
      due: () => ({ notice_deliveries: clock.now() }),
      visit: (scope, stopped) => this.#sendDue(scope, stopped),
    };
    lanes.add(
      {
        name: 'handing out notices',
        everyMs: 1_000,
        due: () => ({ notices: clock.now() }),
        visit: (scope) => this.#handOut(scope),
      },
      this.#send,
      {
        name: 'deleting old notices',
        everyMs: 60_000,
        due: () => ({ old_notices: clock.now() - retentionMs }),
        visit: async (scope) => {
          await notices.notices.forget(scope, clock.now() - retentionMs);
        },
      },
    );
  }

  async #handOut(scope: TenantScope): Promise<void> {
    for (let turns = 0; turns < claimsAtMost; turns += 1)
      if ((await handOutNotices(this.notices, scope)) === 0) break;
    this.lanes
      .request(this.#send, scope.organizationId)
      .catch((error: unknown) => this.notices.onUnexpected(error, this.#send.name));
  }

  async #sendDue(scope: TenantScope, stopped: AbortSignal): Promise<void> {
    for (let claims = 0; claims < claimsAtMost && !stopped.aborted; claims += 1)
      if (!(await sendNotices(this.notices, scope))) return;
  }
}

/** Hands out the oldest notices of an organization. Returns how many. */
export function handOutNotices(
  { notices, mail, clock }: Pick<SendNoticesDeps, 'notices' | 'mail' | 'clock'>,
  scope: TenantScope,
): Promise<number> {
  const now = clock.now();
  const terms = { now, hasMail: mail !== undefined, newId: randomUUID };
  return notices.handOut(scope, now, (waiting, people, endpoints) =>
    planDeliveries(waiting, people, endpoints, terms),
  );
}

@Module({ providers: [NoticeLanes] })
export class NoticesWorkerModule {}
