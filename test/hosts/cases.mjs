/** All cases, in the order of the report. */

import { askCases } from './cases/asks.mjs';
import { decisionCases } from './cases/decisions.mjs';
import { environmentCases } from './cases/environment.mjs';
import { faultCases } from './cases/faults.mjs';
import { protectionCases } from './cases/protection.mjs';
import { recordingCases } from './cases/recording.mjs';

/**
 * @typedef {object} Case
 * @property {string} name
 * @property {string} title what is true if it passes
 * @property {(driver: import('./driver.mjs').Driver, host: string) => string | undefined} [skip] the limit of the host that rules it out
 * @property {(lab: import('./lab.mjs').Lab) => Promise<void>} run throws if it is not true
 */

/** @type {Case[]} */
export const cases = [
  ...decisionCases,
  ...askCases,
  ...recordingCases,
  ...protectionCases,
  ...environmentCases,
  ...faultCases,
];
