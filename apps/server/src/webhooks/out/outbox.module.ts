import { Inject, Module } from '@nestjs/common';
import { Lanes } from '../../platform/lanes/lanes.js';
import { startDispatch, type DispatchDeps } from './dispatch-events.js';
import { subscriberLane } from './tell-subscribers.js';

export const DISPATCH = Symbol('dispatch');
export const DISPATCH_DEPS = Symbol('dispatch deps');

const dispatch = {
  provide: DISPATCH,
  useFactory: (deps: DispatchDeps) => startDispatch(deps),
  inject: [DISPATCH_DEPS],
};

class SubscriberLanes {
  constructor(@Inject(DISPATCH_DEPS) { subscribers, clock }: DispatchDeps, @Inject(Lanes) lanes: Lanes) {
    if (subscribers !== undefined) lanes.add(subscriberLane(subscribers, clock));
  }
}

@Module({ providers: [dispatch, SubscriberLanes], exports: [dispatch] })
export class OutboxModule {}
