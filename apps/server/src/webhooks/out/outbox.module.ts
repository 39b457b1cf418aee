import { Module } from '@nestjs/common';
import { DISPATCH, WORKERS, type WorkersContext } from '../../platform/lanes/workers-context.js';
import { startDispatch } from './dispatch-events.js';

const dispatch = {
  provide: DISPATCH,
  useFactory: (context: WorkersContext) => startDispatch(context.dispatch),
  inject: [WORKERS],
};

@Module({ providers: [dispatch], exports: [dispatch] })
export class OutboxModule {}
