/** The mark of everything an agent starts: commands that are for people refuse to run where they find it. */
export const agentVariable = 'BRIDLE_AGENT';

/** Where the store is, and whose keys are used, is no business of what an agent starts. */
export function isBridleVariable(name: string): boolean {
  return name.startsWith('BRIDLE_');
}
