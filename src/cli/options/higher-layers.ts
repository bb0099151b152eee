import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The machine's and the user's policy files, where they exist. They apply in addition to a project's policy. */
export function higherLayers(home: string): readonly string[] {
  return ['/etc/bridle/policy.yaml', join(home, 'policy.yaml')].filter((file) => existsSync(file));
}
