/** What a quick command needs only where it reads a policy for the first time: dist/cli/late.cjs. */

export * as cel from '@marcbachmann/cel-js';
export * as re2 from '@bufbuild/re2';
export * as yaml from 'yaml';
