/** Finds tool schemas that differ between two policies, and generates calls that may show the difference. */

import { type CallClass, sampleCallOf } from '../sample-calls/call-classes.ts';
import { descriptiveSchema } from '../layers/open-catalog.ts';
import type { CheckRequest, LoadedPolicy } from '../loaded-policy.ts';
import { targetCovers } from '../policy-rules.ts';
import { parseTarget } from '../../kernel/policy/rules/target.ts';
import { sampleArgs } from '../sample-calls/sample-args.ts';
import { schemaRuleName } from '../layers/implied-rules.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { ChangedRule } from './changed-rules.ts';

interface ToolSchema {
  readonly target: string;
  readonly schema: JsonObject;
  readonly at: string;
}

function schemasOf({ layers }: LoadedPolicy): readonly ToolSchema[] {
  return layers.flatMap(({ policyFile: { file, tools } }) =>
    tools.flatMap(({ target: { text, at }, schema }) =>
      schema === undefined ? [] : [{ target: text, schema, at: `${file}:${at.line}` }],
    ),
  );
}

/** The schemas that only one of the policies has. */
export function changedSchemas(before: LoadedPolicy, after: LoadedPolicy): readonly ChangedRule[] {
  const [old, now] = [schemasOf(before), schemasOf(after)];
  return [...onlyIn(old, now, 'before'), ...onlyIn(now, old, 'after')];
}

function onlyIn(
  schemas: readonly ToolSchema[],
  others: readonly ToolSchema[],
  side: ChangedRule['side'],
): readonly ChangedRule[] {
  const otherMeanings = new Set(others.map(meaningOf));
  const otherTargets = new Set(others.map(({ target }) => target));
  return schemas
    .filter((each) => !otherMeanings.has(meaningOf(each)))
    .map(({ target, at }) => {
      // A schema where there was none only adds a check.
      const change = side === 'after' && !otherTargets.has(target) ? 'stricter' : 'looser';
      return { side, rule: schemaRuleName(target), at, change };
    });
}

function meaningOf({ target, schema }: ToolSchema): string {
  return JSON.stringify([target, schema]);
}

/** Calls without args, with args that match one of the schemas, and with one argument too many. */
export function* schemaCalls(policies: readonly LoadedPolicy[], classes: readonly CallClass[]): Iterable<CheckRequest> {
  for (const { target, schema } of policies.flatMap(schemasOf)) {
    for (const each of classes.filter(({ server, tool }) => targetCovers(parseTarget(target), server, tool))) {
      const validArgs = sampleArgs({ ...each.declared, name: each.tool, schema: descriptiveSchema(schema) });
      yield sampleCallOf(each, {});
      yield sampleCallOf(each, validArgs);
      yield sampleCallOf(each, { ...validArgs, another_argument: 'example' });
    }
  }
}
