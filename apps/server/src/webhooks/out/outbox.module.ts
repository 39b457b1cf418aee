import { Module } from '@nestjs/common';
import { startDispatch, type DispatchDeps } from './dispatch-events.js';

export const DISPATCH = Symbol('dispatch');
export const DISPATCH_DEPS = Symbol('dispatch deps');

const dispatch = {
  provide: DISPATCH,
  useFactory: (deps: DispatchDeps) => startDispatch(deps),
  inject: [DISPATCH_DEPS],
};

@Module({ providers: [dispatch], exports: [dispatch] })
export class OutboxModule {}
