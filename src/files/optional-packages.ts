/** Loads modules that need optional packages. Users of these features install them; nobody else pays for them. */

import { BridleError, messageOf } from '../kernel/errors.ts';
import { installCommand, type optionalPackages } from './own-packages.ts';

/** Loads a module that imports optional packages. If that fails, the error says which command installs them. */
export async function loadWithPackages<T>(
  feature: string,
  packages: readonly (keyof typeof optionalPackages)[],
  load: () => Promise<T>,
): Promise<T> {
  try {
    return await load();
  } catch (error) {
    throw new BridleError(
      'PACKAGE_MISSING',
      `${feature} needs ${packages.join(' and ')}. Install with: ${installCommand(...packages)} (${messageOf(error)})`,
      { cause: error },
    );
  }
}
