/** The facts as functions of the call, and as methods of a string. */

import { bool, string } from '../expression/cel-type.ts';
import type { CallFactRow, TextFactRow } from './function-row.ts';

const max = 256;

export const callFacts: readonly CallFactRow[] = [
  {
    type: 'call fact',
    name: 'runs',
    signature: 'runs("rm", "git push")',
    description:
      'One of these commands would be executed, at any depth of the line. Bridle does not see what a script or another program does.',
    textArguments: { use: 'entry', max },
    returns: bool,
    make: (facts, entries) => facts.runs(entries),
  },
  {
    type: 'call fact',
    name: 'runsOnly',
    signature: 'runsOnly("ls", "git status")',
    description: 'Only these commands would be executed, and none of them writes a file or starts another program.',
    textArguments: { use: 'entry', max },
    returns: bool,
    make: (facts, entries) => facts.runsOnly(entries),
  },
  {
    type: 'call fact',
    name: 'runsListed',
    signature: 'runsListed("npm test", "cat")',
    description:
      'The same as `runsOnly`, but the line may set variables that do not change what these commands do: `CI=1 npm test`, `file=README.md; cat $file`.',
    textArguments: { use: 'entry', max },
    returns: bool,
    make: (facts, entries) => facts.runsListed(entries),
  },
  {
    type: 'call fact',
    name: 'opaque',
    signature: 'opaque("npm test", "make build")',
    description:
      'The line does not show what would happen: it runs a script, code for an interpreter or an unknown program. The listed commands do not count.',
    textArguments: { use: 'entry', max, optional: true },
    returns: bool,
    make: (facts, entries) => facts.opaque(entries),
  },
  {
    type: 'call fact',
    name: 'reads',
    signature: 'reads("**/.env")',
    description: 'The call reads a file that this glob matches.',
    textArguments: { use: 'glob', max: 1 },
    returns: bool,
    make: (facts, [glob = '']) => facts.reads(glob),
  },
  {
    type: 'call fact',
    name: 'writes',
    signature: 'writes("**/.env")',
    description: 'The call writes, creates or deletes a file that this glob matches.',
    textArguments: { use: 'glob', max: 1 },
    returns: bool,
    make: (facts, [glob = '']) => facts.writes(glob),
  },
  {
    type: 'call fact',
    name: 'readsInside',
    signature: 'readsInside(".", "/usr/share")',
    description: 'Everything the call reads is in one of these folders.',
    textArguments: { use: 'glob', max },
    returns: bool,
    make: (facts, folders) => facts.readsInside(folders),
  },
  {
    type: 'call fact',
    name: 'writesInside',
    signature: 'writesInside(".", "/tmp")',
    description: 'Everything the call writes, creates or deletes is below one of these folders.',
    textArguments: { use: 'glob', max },
    returns: bool,
    make: (facts, folders) => facts.writesInside(folders),
  },
  {
    type: 'call fact',
    name: 'worksIn',
    signature: 'worksIn(".", "packages/web")',
    description: 'Every command runs directly in one of these folders, not in a folder below it.',
    textArguments: { use: 'glob', max },
    returns: bool,
    make: (facts, folders) => facts.worksIn(folders),
  },
  {
    type: 'call fact',
    name: 'host',
    signature: 'host()',
    description: 'The host of the URL in the call.',
    returns: string,
    make: (facts) => facts.host(),
  },
  {
    type: 'call fact',
    name: 'isPublicHost',
    signature: 'isPublicHost()',
    description: 'That host is on the public network, regardless of how its address is written.',
    returns: bool,
    make: (facts) => facts.isPublicHost(),
  },
  {
    type: 'call fact',
    name: 'underDomain',
    signature: 'underDomain("example.com")',
    description: 'That host is this domain or a subdomain of it.',
    textArguments: { use: 'domain', max: 1 },
    returns: bool,
    make: (facts, [name = '']) => facts.underDomain(name),
  },
];

export const textFacts: readonly TextFactRow[] = [
  {
    type: 'text fact',
    name: 'runs',
    signature: 'text.runs("rm", "git push")',
    description: 'The same as `runs`, for a command line in a string.',
    textArguments: { use: 'entry', max },
    returns: bool,
    make: (facts, entries) => (text) => facts.runsIn(text, entries),
  },
  {
    type: 'text fact',
    name: 'runsOnly',
    signature: 'text.runsOnly("ls", "git status")',
    description: 'The same as `runsOnly`, for a command line in a string.',
    textArguments: { use: 'entry', max },
    returns: bool,
    make: (facts, entries) => (text) => facts.runsOnlyIn(text, entries),
  },
  {
    type: 'text fact',
    name: 'opaque',
    signature: 'text.opaque("npm test", "make build")',
    description: 'The same as `opaque`, for a command line in a string.',
    textArguments: { use: 'entry', max, optional: true },
    returns: bool,
    make: (facts, entries) => (text) => facts.opaqueIn(text, entries),
  },
  {
    type: 'text fact',
    name: 'host',
    signature: 'text.host()',
    description: 'The host of a URL.',
    returns: string,
    make: (facts) => facts.hostOf,
  },
  {
    type: 'text fact',
    name: 'isPublicHost',
    signature: 'text.isPublicHost()',
    description: 'The host of a URL is on the public network.',
    returns: bool,
    make: (facts) => facts.isPublicHostOf,
  },
  {
    type: 'text fact',
    name: 'underDomain',
    signature: 'text.underDomain("example.com")',
    description: 'The host of a URL is this domain or a subdomain of it.',
    textArguments: { use: 'domain', max: 1 },
    returns: bool,
    make: (facts, [name = '']) => {
      // This throws if the name is not a domain; the fact about a string would only be unknown.
      facts.underDomain(name);
      return (text) => facts.underDomainOf(text, name);
    },
  },
];
