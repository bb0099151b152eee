/** The rules for tools and programs that use the network. */

import { functionCallLines } from './condition-text.ts';
import { lineCall } from './starter-test.ts';
import type { StarterRule, StarterSection } from './starter-policy.ts';

const webTools = ['read_url_content', 'search_web'];
/** Programs that communicate with other machines. */
export const networkPrograms = [
  'curl',
  'wget',
  'aria2c',
  'http',
  'https',
  'ssh',
  'scp',
  'sftp',
  'nc',
  'ncat',
  'netcat',
  'socat',
  'telnet',
  'ftp',
  'dig',
  'host',
  'nslookup',
  'whois',
  'ping',
  'ping6',
  'getent',
  'traceroute',
  'tracepath',
  'mtr',
  'gh',
  'glab',
  'git push',
  'git pull',
  'git fetch',
  'git clone',
  'git ls-remote',
  'git remote show',
  'git remote update',
  'git remote prune',
  'git submodule update',
  'git submodule add',
  'npm view',
  'npm search',
  'npm ping',
  'npm whoami',
  'npm doctor',
  'npm outdated',
  'pnpm outdated',
  'pip list --outdated',
  'cargo search',
  'cargo info',
  'cnpm',
  'tldr',
];

const read = { call: 'read_url_content', args: { url: 'https://example.com/' } };
const search = { call: 'search_web', args: { query: 'x' } };

/** For the preset strict: no network. */
export function denyNetworkSection(): StarterSection {
  const reason = 'This policy keeps the agent off the network. Ask the user for what you need.';
  const tools: StarterRule = {
    effect: 'deny',
    targets: webTools,
    name: 'no web',
    reason,
    tests: [
      { ...read, expect: 'deny' },
      { ...search, expect: 'deny' },
    ],
  };
  const programs: StarterRule = {
    effect: 'deny',
    targets: ['run_command'],
    name: 'no network programs',
    reason,
    when: functionCallLines('runs', networkPrograms),
    unknown: 'ask',
    tests: [lineCall('curl https://example.com/', 'deny'), lineCall('ls && sudo wget -q example.com', 'deny')],
  };
  return {
    title: 'Network',
    text: ['Bridle does not see what a script does. Only a sandbox keeps scripts off the network.'],
    rules: [tools, programs],
  };
}

/** For the preset balanced: ask about each address. */
export function askNetworkSection(): StarterSection {
  const rule: StarterRule = {
    effect: 'ask',
    targets: webTools,
    name: 'web',
    reason: 'This goes to the network, and the answer may try to instruct the agent. May it run?',
    tests: [
      { ...read, expect: 'ask' },
      { ...search, expect: 'ask' },
    ],
  };
  return {
    title: 'Network',
    text: ['Commands that reach the network are not in the list above, so they are asked about too.'],
    rules: [rule],
  };
}

/** For the preset trusting: allow public pages. */
export function allowNetworkSection(): StarterSection {
  const pages: StarterRule = {
    effect: 'allow',
    targets: ['read_url_content'],
    name: 'public pages',
    when: ['isPublicHost()'],
    tests: [{ ...read, expect: 'allow' }],
  };
  const web: StarterRule = {
    effect: 'allow',
    targets: ['search_web'],
    name: 'web search',
    tests: [{ ...search, expect: 'allow' }],
  };
  return {
    title: 'Network',
    text: ['Reading only, and only public addresses. An address or a search can still carry data out.'],
    rules: [pages, web],
  };
}
