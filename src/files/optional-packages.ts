/** The packages that only some features need. Users of these features install them; nobody else pays for them. */

import { BridleError, messageOf } from '../kernel/errors.ts';

/** The versions that the tests use. A test keeps them equal to `package.json`. */
export const optionalPackages = {
  '@dbos-inc/dbos-sdk': '5.3.0',
  '@modelcontextprotocol/client': '2.4.0',
  pg: '8.23.1',
} as const;

/** Loads a module that imports optional packages. If that fails, the error says which command installs them. */
export async function loadWithPackages<T>(
  feature: string,
  packages: readonly (keyof typeof optionalPackages)[],
  load: () => Promise<T>,
): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const command = `npm install ${packages.map((name) => `${name}@${optionalPackages[name]}`).join(' ')}`;
    throw new BridleError(
      'PACKAGE_MISSING',
      `${feature} needs ${packages.join(' and ')}. Install with: ${command} (${messageOf(error)})`,
      { cause: error },
    );
  }
}
