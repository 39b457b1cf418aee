export {
  decimalsOf,
  microsOf,
  microsToDecimal,
  parseDecimal,
  roundToMicros,
  type Micros,
  divideHalfEven,
  splitByWeights,
  sumMicros,
} from './micros.js';
export { currencyExponent, isCurrency } from './currency.js';
export { budgetFault, checkBudget, isPayable } from './budget.js';
export { moneyText } from './money-text.js';
