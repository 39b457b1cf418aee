/**
 * fast-check as specs import it: with one seed, so that the result of the gate is repeatable. `npm run soak` sets
 * another by `PROPERTY_SEED` in each round; a failure prints it.
 */
import fc from '../../node_modules/fast-check/lib/fast-check.js';

fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED ?? 471_101) });

export * from '../../node_modules/fast-check/lib/fast-check.js';
export default fc;
