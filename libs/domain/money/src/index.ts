export { decimalsOf, microsOf, microsToDecimal, parseDecimal, roundToMicros, type Micros } from './micros.js';
export { currencyExponent, isCurrency } from './currency.js';
export { budgetFault, checkBudget, isPayable } from './budget.js';
export { divideHalfEven } from './half-even.js';
export { splitByWeights, sumMicros } from './split.js';
