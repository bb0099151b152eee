import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** A policy of the whole machine and one of the user: they hold beside whatever a project says. */
export function higherLayers(home: string): readonly string[] {
  return ['/etc/bridle/policy.yaml', join(home, 'policy.yaml')].filter((file) => existsSync(file));
}
