/** Runs before each test file: gives every property its seed. */

import fc from 'fast-check';
import { seed } from './property-runs.ts';

fc.configureGlobal({ seed });
