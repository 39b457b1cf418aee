export {
  decimalsOf,
  microsOf,
  microsToDecimal,
  parseDecimal,
  roundToMicros,
  type DecimalError,
  type Micros,
} from './micros.js';
export { currencyExponent, isCurrency } from './currency.js';
export { checkBudget, type BudgetError } from './budget.js';
export { divideHalfEven } from './half-even.js';
export { splitByWeights, sumMicros } from './split.js';
