import type { SeededRandom } from '@switchyard/testing';
import { honestMessage, type Wishes } from './honest-message.js';
import type { HostileWorld } from './hostile-world.js';
import type { SealedMessage } from './sealed-message.js';

/** What faults are made with. */
export interface Forge {
  readonly world: HostileWorld;
  readonly chance: SeededRandom;
  /** The relay's own address. */
  readonly relayUrl: string;
  readonly honest: (options?: Wishes) => SealedMessage;
  /** A text that must be found nowhere afterwards. */
  readonly secret: () => string;
  /** A message that was relayed already, with the seller that has it. */
  readonly relayed: () => SealedMessage;
}

/** One thing that is wrong with a request that is right otherwise, and the code that it is refused with. */
export interface Fault {
  readonly name: string;
  readonly code: string;
  /** False where nobody was authenticated, so that there is nobody whose chain could have it. */
  readonly isRecorded?: false;
  /** True where making one changes what the one before it is judged by. */
  readonly isOneAtATime?: true;
  readonly make: (forge: Forge) => SealedMessage | Promise<SealedMessage>;
}

export function forgeOf(
  world: HostileWorld,
  chance: SeededRandom,
  relayUrl: string,
  marker: string,
  relayed: () => SealedMessage,
): Forge {
  return {
    world,
    chance,
    relayUrl,
    honest: (options) => honestMessage(world, chance, options),
    secret: () => `${marker}${chance.uuid()}`,
    relayed,
  };
}
