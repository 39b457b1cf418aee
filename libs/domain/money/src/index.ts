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
export { currencyExponent, isCurrency, budgetFault, checkBudget, isPayable } from './currency.js';
export { moneyText } from './money-text.js';
