import { Module } from '@nestjs/common';
import { capabilityOf } from './routes/controller-of.js';
import { actRoutes } from './assistants/acts.routes.js';
import { jobRoutes } from './jobs/jobs.routes.js';
import { needRoutes } from './needs/needs.routes.js';
import { practiceRoutes } from './practice/practice.routes.js';
import { searchRoutes } from './routes/search.routes.js';

/** The rows of no capability: they are about every noun. */
export const platform = capabilityOf('platform', {
  acts: actRoutes,
  jobs: jobRoutes,
  needs: needRoutes,
  practice: practiceRoutes,
  search: searchRoutes,
});

@Module({ controllers: [...platform.controllers] })
export class PlatformModule {}
