/** Writes policy.schema.json from the schema with which policy files are read. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { policyJsonSchema } from '../dist/policy-files/read/policy-schema.js';

const file = join(import.meta.dirname, '..', 'policy.schema.json');
writeFileSync(file, `${JSON.stringify(policyJsonSchema(), undefined, 2)}\n`);
