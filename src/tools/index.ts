/** `bridle/tools`: the built-in tools as declarations. */

export { builtinTools } from './builtin-tools.ts';
