import { Inject, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Lanes } from '../../platform/lanes/lanes.js';
import { createVisits, type Visits } from '../../platform/lanes/visits.js';
import { WORKERS, type WorkersContext } from '../../platform/lanes/workers-context.js';
import { followEnds, type EndedBuy } from './follow-ends.js';
import { createLegFollower, type LegFollower } from './follow-legs.js';

/** Follows ended buys beside the inbox, without delaying it. Buys that end during one poll are in the next. */
@Injectable()
export class EndedBuys implements OnApplicationShutdown {
  readonly #visits: Visits;
  readonly #collected = new Map<string, EndedBuy[]>();

  constructor(@Inject(WORKERS) private readonly context: WorkersContext) {
    this.#visits = createVisits(context.atOnce * 8);
  }

  follow(organizationId: string, ended: readonly EndedBuy[]): void {
    if (ended.length === 0) return;
    const { workers } = this.context;
    this.#collected.set(organizationId, [...(this.#collected.get(organizationId) ?? []), ...ended]);
    this.#visits
      .request(organizationId, async () => {
        const buys = this.#collected.get(organizationId) ?? [];
        this.#collected.delete(organizationId);
        await followEnds(workers, { organizationId }, buys);
      })
      .catch((error: unknown) => workers.onUnexpected(error, 'following ended buys'));
  }

  /** After the lanes have stopped, because the inbox may have added some. */
  onApplicationShutdown(): Promise<void> {
    return this.#visits.stop();
  }
}

/** Follows unfinished legs of all tenants. */
@Injectable()
class UnfinishedLegs implements OnApplicationShutdown {
  readonly #follower: LegFollower;

  constructor(@Inject(Lanes) lanes: Lanes, @Inject(WORKERS) { workers }: WorkersContext) {
    const { clock } = workers.ports;
    this.#follower = createLegFollower(workers);
    lanes.add({
      name: 'legs',
      everyMs: 1_000,
      waitsFor: 'sellers',
      due: () => ({ legs: clock.now(), answers: clock.now() }),
      visit: (scope) => this.#follower.visit(scope),
    });
  }

  /** After the lanes have stopped: no visit begins. */
  onApplicationShutdown(): Promise<void> {
    return this.#follower.stop();
  }
}

@Module({ providers: [EndedBuys, UnfinishedLegs], exports: [EndedBuys] })
export class LegsModule {}
