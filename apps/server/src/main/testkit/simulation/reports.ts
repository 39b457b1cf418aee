import { Buffer } from 'node:buffer';
import { acceptWebhook } from '@switchyard/events';
import { memoryReplayStore, noRevocations } from '@switchyard/signing';
import type { SeededRandom } from '@switchyard/testing';
import { sign, type Sent, type Signing } from '../../../webhooks/testkit/delivery-endpoint.js';
import type { Process } from './scheduler.js';
import { packagesOf } from './seller.js';
import {
  base,
  keyOf,
  minute,
  reportOf,
  resolve,
  stranger,
  type Flying,
  type Truth,
  type World,
} from './world.js';

/** What sellers report, and what strangers send in their name. */
export class Reports {
  readonly truths: Truth[] = [];
  readonly flying: Flying[] = [];
  count = 0;
  readonly #world: World;
  readonly #replays;
  #lastSent: { readonly sent: Sent; readonly truth: Truth } | undefined;

  constructor(world: World) {
    this.#world = world;
    this.#replays = memoryReplayStore(10_000, () => world.clock.now());
  }

  /** A seller delivers, corrects or ends, and sends a report about it. */
  happens(chance: SeededRandom): void {
    this.#meetNewBuys();
    if (this.truths.length === 0) return;
    const truth = chance.pick(this.truths);
    const seller = this.#world.sellers.get(truth.connection.slug);
    // What a zombie sends after its end never counts, also where it overtakes the report of the end.
    if (truth.hasEnded && seller?.habit !== 'zombie') return;
    const day = chance.between(0, 4);
    const spend = chance.between(1, 10_000) / 100;
    const type = truth.hasEnded ? 'scheduled' : chance.pick(['scheduled', 'scheduled', 'adjusted', 'final']);
    truth.sequence += 1;
    if (!truth.hasEnded) truth.days.set(day, spend);
    this.#world.say(
      `${truth.connection.slug} sends ${type} ${day}: ${spend}${truth.hasEnded ? ', after its end' : ''}`,
    );
    truth.hasEnded ||= type === 'final';
    const body = reportOf(truth, { day, spend, type, key: chance.uuid(), at: this.#world.clock.now() });
    this.count += 1;
    const sender = keyOf(truth.connection.slug);
    const skew = chance.between(0, 9) === 0 ? chance.pick([-10, 10]) : 0;
    const flying: Flying = { truth, sender, body, skew, sends: 0 };
    this.flying.push(flying);
    // Late, early, or in another order than they were sent in.
    this.#world.clock.after(chance.between(0, 5 * minute), () => void this.deliver(flying));
    if (chance.between(0, 2) === 0)
      this.#world.clock.after(chance.between(0, 9 * minute), () => void this.deliver(flying));
  }

  /** Somebody sends what the seller did not: the same bytes again, or figures under another key. */
  forges(chance: SeededRandom): void {
    const last = this.#lastSent;
    if (last !== undefined && chance.between(0, 1) === 0) {
      this.#world.say('the bytes of a report come again');
      void this.#judge(this.#world.process(), last.truth, last.sent).then((judged) => {
        if (judged) this.#world.wrong('Bytes that had come before were taken again.');
      });
      return;
    }
    const truth = this.truths[0];
    if (truth === undefined) return;
    this.#world.say('a stranger sends a report');
    const body = reportOf(truth, {
      day: 0,
      spend: 999_999,
      type: 'adjusted',
      key: chance.uuid(),
      at: this.#world.clock.now(),
    });
    const bytes = Buffer.from(JSON.stringify(body));
    const kid = keyOf(truth.connection.slug).kid;
    const sent = sign({
      body: bytes,
      key: { ...stranger, kid },
      url: base + truth.registration.id,
      at: this.#world.clock.now(),
    });
    void this.#judge(this.#world.process(), truth, sent).then((judged) => {
      if (judged) this.#world.wrong('A message that a stranger had signed was taken.');
    });
  }

  async deliver(flying: Flying): Promise<void> {
    const { truth, sender, body, skew } = flying;
    if (!this.flying.includes(flying)) return;
    flying.sends += 1;
    // A seller with a wrong clock sets it right after some refusals.
    const at = this.#world.clock.now() + (flying.sends > 5 ? 0 : skew * minute);
    const signing: Signing = {
      ...{ body: Buffer.from(JSON.stringify(body)), key: sender, url: base + truth.registration.id, at },
      nonce: Buffer.from(this.#world.ids.uuid()).toString('base64url'),
    };
    const sent = sign(signing);
    if (skew !== 0 && flying.sends <= 5) return void (await this.#judge(this.#world.process(), truth, sent));
    if (await this.#judge(this.#world.process(), truth, sent)) {
      this.#lastSent = { sent, truth };
      const place = this.flying.indexOf(flying);
      if (place >= 0) this.flying.splice(place, 1);
    }
  }

  /** The endpoint: true where it answered 200, which it may only after the message is stored. */
  async #judge(process: Process, truth: Truth, sent: Sent): Promise<boolean> {
    const inbox = this.#world.scheduler.port(process, {
      take: (accepted: Parameters<typeof truth.tenant.inbox.take>[0]) =>
        Promise.resolve(truth.tenant.inbox.take(accepted, truth.registration)),
    });
    const replays = this.#world.planted?.replays?.(this.#replays) ?? this.#replays;
    const judged = await acceptWebhook(
      {
        message: { method: 'POST', ...sent },
        registration: truth.registration,
        form: '3.1',
        newId: this.#world.ids.uuid(),
      },
      {
        keys: {
          resolve: (keyid) =>
            Promise.resolve(this.#world.planted?.resolve?.(keyid, stranger) ?? resolve(keyid)),
        },
        replays: this.#world.scheduler.port(process, replays),
        revocations: noRevocations,
      },
      this.#world.clock.now(),
    );
    if (!judged.ok) return false;
    const stored = inbox.take(judged);
    if (this.#world.planted?.acknowledgesFirst !== true) await stored;
    return process.isAlive;
  }

  /** Parts of buys that a seller made and that we know: from now on it may report about them. */
  #meetNewBuys(): void {
    for (const tenant of this.#world.tenants) {
      const rows = this.#world.store.rowsOf(tenant.scope);
      for (const part of rows.sellerBuys.values()) {
        const isKnown = this.truths.some(
          ({ tenant: of, mediaBuyId, connection }) =>
            of === tenant && mediaBuyId === part.sellerMediaBuyId && connection.id === part.connectionId,
        );
        if (part.sellerMediaBuyId === undefined || isKnown) continue;
        const connection = tenant.connections.find(({ id }) => id === part.connectionId);
        const registration = [...rows.registrations.values()].find(
          ({ legId, kind }) => legId === part.legId && kind === 'report',
        );
        const sold = this.#world.sellers
          .get(part.seller)
          ?.sold.find(({ media_buy_id: id }) => id === part.sellerMediaBuyId);
        const [packageId] = sold === undefined ? [] : packagesOf(sold);
        if (connection === undefined || registration === undefined || packageId === undefined) continue;
        const { id, legId, sellerOperationId } = registration;
        this.truths.push({
          ...{
            tenant,
            connection,
            packageId,
            mediaBuyId: part.sellerMediaBuyId,
            days: new Map(),
            sequence: 0,
          },
          operationId: sellerOperationId,
          hasEnded: false,
          registration: {
            ...{ id, legId, sellerOperationId, kind: 'report', mode: 'signed', operationId: '' },
            ...{ organizationId: tenant.scope.organizationId, connectionId: connection.id },
            ...{ dialect: connection.dialect, sellerAgentUrl: connection.agentUrl },
          },
        });
      }
    }
  }
}
