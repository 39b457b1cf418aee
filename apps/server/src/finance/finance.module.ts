import { Module } from '@nestjs/common';
import { capabilityOf } from '../platform/routes/controller-of.js';
import { bookRoutes } from './books.routes.js';
import { figureRoutes } from './figures.routes.js';
import { fileRoutes } from './files.routes.js';
import { invoiceLifeRoutes } from './invoice-life.routes.js';
import { invoiceRoutes } from './invoices.routes.js';
import { pacingRoutes } from './pacing.routes.js';
import { payableRoutes } from './payables.routes.js';
import { periodRoutes } from './periods.routes.js';
import { reconciliationRoutes } from './reconciliation.routes.js';
import { statementRoutes } from './statements.routes.js';
import { toleranceRoutes } from './tolerances.routes.js';

export const finance = capabilityOf('finance', {
  books: bookRoutes,
  figures: figureRoutes,
  files: fileRoutes,
  invoices: invoiceRoutes,
  invoiceLife: invoiceLifeRoutes,
  pacing: pacingRoutes,
  payables: payableRoutes,
  periods: periodRoutes,
  reconciliation: reconciliationRoutes,
  statements: statementRoutes,
  tolerances: toleranceRoutes,
});

@Module({ controllers: [...finance.controllers] })
export class FinanceModule {}
