/** Environment variable set for everything an agent starts. Commands meant for people refuse to run where it is set. */
export const agentVariable = 'BRIDLE_AGENT';

/**
 * True for Bridle's own variables, such as the store address and keys. Programs that an agent starts must not see them.
 */
export function isBridleVariable(name: string): boolean {
  return name.startsWith('BRIDLE_');
}
