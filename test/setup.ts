/** Runs before each test file: gives every property the seed that was asked for. */

import fc from 'fast-check';

const seed = process.env['BRIDLE_SEED'];
if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) });
