/** Policy files that are wrong, each with everything that is said about it. */

import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { BridleError } from '../../kernel/errors.ts';
import { parsePolicyFile } from './parse-policy-file.ts';

function head(rest: string): string {
  return `version: 1\n${rest}`;
}

function rules(rest: string): string {
  return head(`rules:\n${rest}`);
}

function problemsOf(text: string, file: string): readonly string[] {
  try {
    parsePolicyFile(text, file);
  } catch (error) {
    if (error instanceof BridleError && error.code === 'POLICY_FILE') return error.problems;
    throw error;
  }
  return [];
}

/** A file, and what is wrong with it: line, column, and the words. */
const files: Record<string, readonly (readonly [string, ...string[]])[]> = {
  'what is no document': [
    ['', '1:1: the file is empty; begin with "version: 1"'],
    [' \n\n', '1:1: the file is empty; begin with "version: 1"'],
    ['# only\n', '1:1: the file has no content; begin with "version: 1"'],
    ['version: 1\u0000', '1:11: the character U+0000 is not allowed here; in a double-quoted string, write \\u0000'],
    [
      head('default: "a\u0007"'),
      '2:12: the character U+0007 is not allowed here; in a double-quoted string, write \\u0007',
    ],
    [head('# \u007f'), '2:3: the character U+007F is not allowed here; in a double-quoted string, write \\u007F'],
    [head('# \u0085'), '2:3: the character U+0085 is not allowed here; in a double-quoted string, write \\u0085'],
    [
      head('# a\u2028rules:'),
      '2:4: the character U+2028 is not allowed here; in a double-quoted string, write \\u2028',
    ],
    [head('# \u202e'), '2:3: the character U+202E is not allowed here; in a double-quoted string, write \\u202E'],
    [
      head('\ufeffrules: []'),
      '2:1: the character U+FEFF is not allowed here; in a double-quoted string, write \\uFEFF',
    ],
    [head('# \ud800'), '2:3: the character U+D800 is not allowed here; it is half of a surrogate pair'],
    [
      'version: 1\rrules: []',
      '1:11: the character U+000D is not allowed here; in a double-quoted string, write \\u000D',
    ],
    ['- a', '1:1: the file is a list; write a mapping that begins with "version: 1"'],
    ['hello', '1:1: the file is the string "hello"; write a mapping that begins with "version: 1"'],
    ['42', '1:1: the file is the number 42; write a mapping that begins with "version: 1"'],
    ['null', '1:1: the file has no content; begin with "version: 1"'],
    ['...', '1:1: the file has no content; begin with "version: 1"'],
    ['---', '1:1: the file has no content; begin with "version: 1"'],
    ['--- # x\n', '1:1: the file has no content; begin with "version: 1"'],
    [head('---\nversion: 1'), '2:1: a second YAML document starts here; a policy file has only one'],
    [head('...\nversion: 1'), '3:1: a second YAML document starts here; a policy file has only one'],
    [head('...\n---\n'), '3:1: a second YAML document starts here; a policy file has only one'],
  ],
  'what looks like YAML': [
    [rules('  - allow: "a\n    name: x\n  - deny: y'), '3:12: this string has no closing quote'],
    [
      rules('  - allow: [a\n    name: x\n  - deny: y'),
      '3:12: the closing "]" or "}" is missing, or is not indented enough',
    ],
    [head('servers: [a, {name: b'), '2:14: the closing "]" or "}" is missing, or is not indented enough'],
    [
      rules('\u00a0\u00a0- allow: x'),
      '3:1: the character U+00A0 looks like a space but cannot indent a line; use spaces',
    ],
    [
      rules('  - allow: x\n  \u3000name: y'),
      '4:3: the character U+3000 looks like a space but cannot indent a line; use spaces',
    ],
    [rules('  -allow: x\n  -deny: y'), '3:3: "-allow" is not a list entry; write a space after the "-"'],
    [rules('  - alow: x'), '3:5: a rule has no key "alow"; did you mean "allow"?'],
    [
      rules('  - nam: x'),
      '3:5: a rule has no key "nam"; did you mean "name"?',
      '3:5: a rule needs one of allow, ask, deny or forbid',
    ],
    [
      head('a b\nc d\ne f\ng h'),
      '2:1: this is not "key: value"; write a ":" and a space after the key',
      '3:1: this is not "key: value"; write a ":" and a space after the key',
      '4:1: this is not "key: value"; write a ":" and a space after the key',
    ],
  ],
  'what YAML can do and a policy cannot': [
    [
      rules('  - allow: !foo a'),
      '3:12: "!foo" is a YAML tag; policy files do not support tags, so put a condition that starts with "!" in quotes',
    ],
    [
      rules('  - allow: !!js/function a'),
      '3:12: "!!js/function" is a YAML tag; policy files do not support tags, so put a condition that starts with "!" in quotes',
    ],
    [
      rules('  - allow: !!binary aGk='),
      '3:12: "!!binary" is a YAML tag; policy files do not support tags, so put a condition that starts with "!" in quotes',
    ],
    [
      rules('  - allow: !!str a'),
      '3:12: "!!str" is a YAML tag; policy files do not support tags, so put a condition that starts with "!" in quotes',
    ],
    [
      rules('  - allow: a\n    expires: !!timestamp 2027-01-01'),
      '4:14: "!!timestamp" is a YAML tag; policy files do not support tags, so put a condition that starts with "!" in quotes',
    ],
    [
      rules('  - allow: a\n    when: !isPublicHost()'),
      '4:11: "!isPublicHost()" is a YAML tag; policy files do not support tags, so put a condition that starts with "!" in quotes',
    ],
    [
      head('default: !<tag:yaml.org,2002:str> ask'),
      '2:10: "!<tag:yaml.org,2002:str>" is a YAML tag; policy files do not support tags, so put a condition that starts with "!" in quotes',
    ],
    [
      head('rules: !!set {a}'),
      '2:8: "!!set" is a YAML tag; policy files do not support tags, so put a condition that starts with "!" in quotes',
    ],
    [
      rules('  - &a\n    allow: a'),
      '3:5: "&a" is a YAML anchor; policy files do not support anchors, so repeat the value',
    ],
    [
      rules('  - allow: &x a\n  - allow: *x'),
      '3:12: "&x" is a YAML anchor; policy files do not support anchors, so repeat the value',
    ],
    [
      head('default: *x'),
      '2:10: "*x" is a YAML alias; policy files do not support aliases, so put it in quotes if you mean a string',
    ],
    [rules('  - allow: *'), '3:12: "*" starts an alias in YAML; put it in quotes: \'*\''],
    [rules('  - allow: [*]'), '3:13: "*" starts an alias in YAML; put it in quotes: \'*\''],
    [
      'a: &a [x,x]\nb: &b [*a,*a]',
      '1:4: "&a" is a YAML anchor; policy files do not support anchors, so repeat the value',
    ],
    [
      '%YAML 1.1\n---\nversion: 1',
      '1:1: "%YAML 1.1" is a YAML directive; policy files do not support directives, they are always YAML 1.2',
    ],
    [
      '%YAML 1.2\n---\nversion: 1',
      '1:1: "%YAML 1.2" is a YAML directive; policy files do not support directives, they are always YAML 1.2',
    ],
    [
      '%TAG ! x\n---\nversion: 1',
      '1:1: "%TAG ! x" is a YAML directive; policy files do not support directives, they are always YAML 1.2',
    ],
    [head('<<: {default: allow}'), '2:1: policy files do not support merge keys; write the keys out'],
    [
      rules('  - <<: {allow: a}\n    name: b'),
      '3:5: policy files do not support merge keys; write the keys out',
      '3:5: a rule needs one of allow, ask, deny or forbid',
    ],
  ],
  'what is not YAML': [
    [rules('\t- allow: a'), '3:1: a tab cannot indent a line; use spaces'],
    [head('rules: [a, b'), '2:8: the closing "]" or "}" is missing, or is not indented enough'],
    [head('rules: {a'), '2:8: the closing "]" or "}" is missing, or is not indented enough'],
    [head('default: "ask'), '2:10: this string has no closing quote'],
    [head("default: 'ask"), '2:10: this string has no closing quote'],
    [
      head(' default: ask'),
      '1:10: a mapping cannot start here; if this is a string that contains ": ", put the whole string in single quotes',
    ],
    [rules('  - allow: a\n   name: b'), '4:1: a list entry starts with "- " and is indented like the others'],
    [head('default'), '2:1: this is not "key: value"; write a ":" and a space after the key'],
    [head('default:ask'), '2:1: this is not "key: value"; write a ":" and a space after the key'],
    [head('}'), '2:1: this is not allowed here; if it is part of a string, put the whole string in single quotes'],
    [
      head('rules: [,]'),
      '2:9: this is not allowed here; if it is part of a string, put the whole string in single quotes',
    ],
    [head('default: `x`'), '2:10: a string cannot start with this character; put the whole string in single quotes'],
    [head('default: |x'), '2:11: after "|" or ">", the text starts on the next line'],
    [head('default: %x'), '2:10: a string cannot start with this character; put the whole string in single quotes'],
    [
      head('default: a: b'),
      '2:10: a mapping cannot start here; if this is a string that contains ": ", put the whole string in single quotes',
    ],
    [head('? '), '1:1: a key is missing before ":"'],
    [head('- a'), '2:1: this is not "key: value"; a ":" is missing, or the indentation is wrong'],
    [head('a\nb: 1'), '2:1: this is not "key: value"; write a ":" and a space after the key'],
    [
      rules('  - deny: a\n    when: "a" == args.b'),
      '4:15: this comes after the end of a value; if it is part of a string, put the whole string in single quotes',
    ],
    [
      rules('  - deny: a\n    when: args.a == "x: y"'),
      '4:11: a mapping cannot start here; if this is a string that contains ": ", put the whole string in single quotes',
    ],
    [
      rules('  - deny: a\n    when: @x'),
      '4:11: a string cannot start with this character; put the whole string in single quotes',
    ],
    [
      rules('  - deny: a\n    when: "a\\.b"'),
      '4:13: this escape is not valid in double quotes; write a backslash as "\\\\", or use single quotes',
    ],
  ],
  keys: [
    [head('version: 1'), '2:1: the key "version" appears twice'],
    [rules('  - allow: a\n    name: b\n    name: c'), '5:5: the key "name" appears twice'],
    [head('tests: [{call: a, args: {a: 1, a: 2}, expect: deny}]'), '2:32: the key "a" appears twice'],
    [
      head('__proto__: {default: allow}'),
      '2:1: a policy file has no key "__proto__"; valid keys are version, default, strict, extends, workspaces, hooks, servers, tools, rules, tests',
    ],
    [
      head('constructor: 1'),
      '2:1: a policy file has no key "constructor"; valid keys are version, default, strict, extends, workspaces, hooks, servers, tools, rules, tests',
    ],
    [head('tests: [{call: a, args: {__proto__: 1}, expect: deny}]'), '2:26: the key "__proto__" is not allowed'],
    [head('1: a'), '2:1: the key "1" is not a string; put it in quotes if you mean one'],
    [head('true: a'), '2:1: the key "true" is not a string; put it in quotes if you mean one'],
    [head('null: a'), '2:1: the key "null" is not a string; put it in quotes if you mean one'],
    [head(': a'), '2:3: a key is missing before ":"'],
    [head('? [a]\n: b'), '2:3: a key must be a string, not a list or a mapping'],
    [head('{a: 1}: b'), '2:1: a key must be a string, not a list or a mapping'],
    ['{version: 1, [a]: 2}', '1:14: a key must be a string, not a list or a mapping'],
    [head('defalt: ask'), '2:1: a policy file has no key "defalt"; did you mean "default"?'],
    [
      head('xyzzy: 1'),
      '2:1: a policy file has no key "xyzzy"; valid keys are version, default, strict, extends, workspaces, hooks, servers, tools, rules, tests',
    ],
    [head('rule: []'), '2:1: a policy file has no key "rule"; did you mean "rules"?'],
    [head('Rules: []'), '2:1: a policy file has no key "Rules"; did you mean "rules"?'],
    [rules('  - deny: a\n    reson: b'), '4:5: a rule has no key "reson"; did you mean "reason"?'],
    [
      rules('  - ask: a\n    handler: b'),
      '4:5: a rule has no key "handler"; valid keys are allow, ask, deny, forbid, name, reason, when, grant, expires, unknown, approval, shadow',
    ],
    [
      '{version:1}',
      '1:1: the version is missing; begin with "version: 1"',
      '1:2: a policy file has no key "version:1"; did you mean "version"?',
    ],
  ],
  'the head': [
    ['rules: []', '1:1: the version is missing; begin with "version: 1"'],
    ['version: 2', '1:10: this file has version 2, but this Bridle reads version 1; upgrade Bridle'],
    ['version: "1"', '1:10: version is the string "1"; write "version: 1"'],
    ['version: 1.0', '1:10: version 1.0 is not supported; this version of Bridle reads version 1'],
    ['version: 01', '1:10: version 01 is not supported; this version of Bridle reads version 1'],
    ['version:', '1:1: version has no value; write "version: 1"'],
    ['version: [1]', '1:10: version is a list; write "version: 1"'],
    [head('default: no'), '2:10: default is "no", not allow, ask or deny'],
    [head('default: true'), '2:10: default is true; write allow, ask or deny'],
    [head('default: alow'), '2:10: default is "alow", not allow, ask or deny; did you mean "allow"?'],
    [head('default:'), '2:1: default has no value; write allow, ask or deny'],
    [head('default: forbid'), '2:10: default is "forbid", not allow, ask or deny'],
    [head('strict: no'), '2:9: strict is the string "no"; write true or false'],
    [head('strict: "true"'), '2:9: strict is the string "true"; write true or false'],
    [head('strict: 1'), '2:9: strict is the number 1; write true or false'],
    [head('extends: []'), '2:10: extends is an empty list; add an entry, or remove the key'],
    [head('extends: ~'), '2:10: extends has no value; write a string'],
    [head('extends: [1]'), '2:11: an entry of extends is the number 1; put it in quotes if you mean a string'],
    [head('extends: "a\\0b"'), '2:10: extends contains control characters'],
    [head('workspaces: {}'), '2:13: workspaces is a mapping; write a string'],
    [head('workspaces: [""]'), '2:14: an entry of workspaces is empty'],
    [head('hooks: {}'), '2:8: hooks is a mapping; write a string'],
    [head('hooks:'), '2:1: hooks has no value; write a string'],
    [head('hooks: []'), '2:8: hooks is an empty list; add an entry, or remove the key'],
    [head('hooks: [3]'), '2:9: an entry of hooks is the number 3; put it in quotes if you mean a string'],
    [head('hooks: ["a.mjs", ""]'), '2:18: an entry of hooks is empty'],
    [
      head('hooks: hooks/guard'),
      '2:8: the hook module "hooks/guard" is not an ES module; name a file that ends in .mjs, .js, .mts or .ts',
    ],
    [
      head('hooks: [a.mjs, b.cjs]'),
      '2:16: the hook module "b.cjs" is not an ES module; name a file that ends in .mjs, .js, .mts or .ts',
    ],
    [
      head('hooks: https://example.com/a.mjs'),
      '2:8: the hook module "https://example.com/a.mjs" is a URL; name a file',
    ],
    [
      head('hooks: "data:text/javascript,x.mjs"'),
      '2:8: the hook module "data:text/javascript,x.mjs" is a URL; name a file',
    ],
    [head(`hooks: [${'a.mjs, '.repeat(51)}]`), '2:8: hooks has more than 50 entries'],
  ],
  rules: [
    [head('rules: {allow: a}'), '2:8: rules is a mapping; write a list'],
    [head('rules:'), '2:1: rules has no value; write a list'],
    [
      rules('  - allow'),
      '3:5: a rule is the string "allow"; write a mapping with allow, ask, deny, forbid, name, reason, when, grant, expires, unknown, approval, shadow',
    ],
    [
      rules('  - '),
      '3:3: a rule has no value; write a mapping with allow, ask, deny, forbid, name, reason, when, grant, expires, unknown, approval, shadow',
    ],
    [rules('  - name: x'), '3:5: a rule needs one of allow, ask, deny or forbid'],
    [rules('  - allow: a\n    deny: b'), '4:5: a rule has both allow and deny; write two rules'],
    [rules('  - allow: []'), '3:12: allow is an empty list; add an entry, or remove the key'],
    [rules('  - allow: 1e3'), '3:12: allow is the number 1000; put it in quotes if you mean a string'],
    [rules('  - allow:'), '3:5: allow has no value; write a string'],
    [rules('  - allow: {tool: a}'), '3:12: allow is a mapping; write a string'],
    [rules('  - allow: [a, 1]'), '3:16: an entry of allow is the number 1; put it in quotes if you mean a string'],
    [rules("  - allow: 'a*'"), '3:12: the target "a*" is not one of "tool", "server/tool", "server/*" or "*"'],
    [rules('  - allow: a/'), '3:12: the target "a/" is not one of "tool", "server/tool", "server/*" or "*"'],
    [rules('  - allow: "*/x"'), '3:12: the target "*/x" is not one of "tool", "server/tool", "server/*" or "*"'],
    [rules('  - allow: "a "'), '3:12: the target "a " has a part that begins or ends with a space'],
    [rules('  - allow: ""'), '3:12: the target "" is not one of "tool", "server/tool", "server/*" or "*"'],
    [rules('  - allow: "a\\u200bb"'), '3:12: the target "a\\u{200b}b" has a part that contains invisible characters'],
    [rules('  - allow: a\n    name: 1e3'), '4:11: name is the number 1000; put it in quotes if you mean a string'],
    [rules('  - allow: a\n    name: true'), '4:11: name is true; put it in quotes if you mean a string'],
    [rules('  - allow: a\n    name: null'), '4:11: name has no value; write a string'],
    [rules('  - allow: a\n    name: " "'), '4:11: name is empty'],
    [
      rules('  - allow: a\n    name: x\n  - deny: b\n    name: x'),
      '5:5: two rules are named "x"; the other one is on line 3',
    ],
    [
      rules('  - deny: a\n    reason: |\n      a\n      b'),
      '4:13: reason contains control characters; put it on one line, or use a ">-" block',
    ],
    [rules('  - allow: a\n    when: true'), '4:11: when is true; put it in quotes if you mean a string'],
    [rules('  - allow: a\n    when: ""'), '4:11: when is empty; write a condition, or remove the key'],
    [
      rules('  - deny: a\n    when: "runs(\\"r\u200bm\\")"'),
      '4:20: when contains the invisible character U+200B; in a string of the condition, write \\u200B',
    ],
    [
      rules('  - deny: a\n    when: >\n      runs("ls")\n      || runs("r\u200bm")'),
      '6:17: when contains the invisible character U+200B; in a string of the condition, write \\u200B',
    ],
    [rules('  - deny: a\n    when: [a]'), '4:11: when is a list; write a string'],
    [rules('  - allow: a\n    approval: signed'), '4:5: only an ask rule can have approval; remove approval'],
    [rules('  - allow: a\n    shadow: no'), '4:13: shadow is the string "no"; write true or false'],
  ],
  'what unknown does': [
    [rules('  - deny: a\n    when: runs("rm")\n    unknown: allow'), '5:14: unknown is "allow", not deny or ask'],
    [rules('  - forbid: a\n    when: runs("rm")\n    unknown: true'), '5:14: unknown is true; write deny or ask'],
    [
      rules('  - allow: a\n    when: runs("rm")\n    unknown: ask'),
      '5:5: only deny and forbid rules can have unknown: if the condition of an allow rule is unknown, the rule never allows; remove unknown',
    ],
    [
      rules('  - ask: a\n    when: runs("rm")\n    unknown: deny'),
      '5:5: only deny and forbid rules can have unknown: if the condition of an ask rule is unknown, the rule never allows; remove unknown',
    ],
    [
      rules('  - forbid: a\n    unknown: ask'),
      '4:5: unknown needs a condition, but this rule has none; add when, or remove unknown',
    ],
    [
      rules('  - deny: a\n    expires: 2027-01-01\n    unknown: ask'),
      '5:5: unknown needs a condition, but this rule has none; add when, or remove unknown',
    ],
  ],
  'grants and dates': [
    [rules('  - deny: a\n    grant: {timeout: 3s}'), '4:5: a deny rule cannot have a grant; remove grant'],
    [rules('  - forbid: a\n    grant: {timeout: 3s}'), '4:5: a forbid rule cannot have a grant; remove grant'],
    [
      rules('  - allow: a\n    grant: {timeout: 30}'),
      '4:22: timeout is the number 30; write a duration such as "500ms", "30s", "5m" or "2h"',
    ],
    [
      rules('  - allow: a\n    grant: {timeout: 0s}'),
      '4:22: timeout is "0s", not a duration such as "500ms", "30s", "5m" or "2h"',
    ],
    [
      rules('  - allow: a\n    grant: {approval: 1d}'),
      '4:23: approval is "1d", not a duration such as "500ms", "30s", "5m" or "2h"',
    ],
    [
      rules('  - allow: a\n    grant: {output: 64KB}'),
      '4:21: output is "64KB", not a size such as "512B", "64KiB", "1MiB" or "2GiB"',
    ],
    [
      rules('  - allow: a\n    grant: {output: 5s}'),
      '4:21: output is "5s", not a size such as "512B", "64KiB", "1MiB" or "2GiB"',
    ],
    [
      rules('  - allow: a\n    grant: {output: 9999999999999999GiB}'),
      '4:21: output is "9999999999999999GiB", not a size such as "512B", "64KiB", "1MiB" or "2GiB"',
    ],
    [rules('  - allow: a\n    grant: {}'), '4:12: grant is empty; write timeout, output, approval, or remove it'],
    [
      rules('  - allow: a\n    grant: 30s'),
      '4:12: grant is the string "30s"; write a mapping with timeout, output, approval',
    ],
    [rules('  - allow: a\n    grant: {timeoutMs: 3}'), '4:13: grant has no key "timeoutMs"; did you mean "timeout"?'],
    [
      rules('  - allow: a\n    grant: {timeout: -3s}'),
      '4:22: timeout is "-3s", not a duration such as "500ms", "30s", "5m" or "2h"',
    ],
    [
      rules('  - allow: a\n    grant: {timeout: 1.5s}'),
      '4:22: timeout is "1.5s", not a duration such as "500ms", "30s", "5m" or "2h"',
    ],
    [
      rules('  - allow: a\n    expires: tomorrow'),
      '4:14: expires is the string "tomorrow", not a day such as "2027-01-01", or a time with its zone such as "2027-01-01T12:00:00Z"',
    ],
    [
      rules('  - allow: a\n    expires: 2027-02-30'),
      '4:14: expires is the string "2027-02-30", not a day such as "2027-01-01", or a time with its zone such as "2027-01-01T12:00:00Z"',
    ],
    [
      rules('  - allow: a\n    expires: 2027-01-01T12:00:00'),
      '4:14: expires is the string "2027-01-01T12:00:00", not a day such as "2027-01-01", or a time with its zone such as "2027-01-01T12:00:00Z"',
    ],
    [
      rules('  - allow: a\n    expires: 2027'),
      '4:14: expires is the number 2027; write a day such as "2027-01-01", or a time with its zone such as "2027-01-01T12:00:00Z"',
    ],
    [
      rules('  - allow: a\n    expires: 2027-1-1'),
      '4:14: expires is the string "2027-1-1", not a day such as "2027-01-01", or a time with its zone such as "2027-01-01T12:00:00Z"',
    ],
    [
      rules('  - allow: a\n    expires: 2027-01-01T25:00Z'),
      '4:14: expires is the string "2027-01-01T25:00Z", not a day such as "2027-01-01", or a time with its zone such as "2027-01-01T12:00:00Z"',
    ],
    [
      rules('  - allow: a\n    expires:'),
      '4:5: expires has no value; write a day such as "2027-01-01", or a time with its zone such as "2027-01-01T12:00:00Z"',
    ],
  ],
  'servers and tools': [
    [head('servers: github'), '2:10: servers is the string "github"; write a list'],
    [head('servers: [1]'), '2:11: a server is the number 1; put it in quotes if you mean a string'],
    [head('servers: [a/b]'), '2:11: the server "a/b" contains a "/"'],
    [head('servers: [a, a]'), '2:14: two servers are named "a"; the other one is on line 2'],
    [
      head('servers: [{name: a, enabledTools: [], disabledTools: []}]'),
      '2:39: a server has both enabledTools and disabledTools; keep one of them',
    ],
    [head('servers: [{paths: {}}]'), '2:11: a server has no name; write "name: \u2026"'],
    [
      head('servers: [{name: a, tools: []}]'),
      '2:21: a server has no key "tools"; valid keys are name, enabledTools, disabledTools, paths',
    ],
    [head('servers: [{name: a, paths: [x]}]'), '2:28: paths is a list; write a mapping of tools to lists of arguments'],
    [head('servers: [{name: a, paths: {x: y}}]'), '2:32: paths of "x" is the string "y"; write a list'],
    [head('servers: ["*"]'), '2:11: the server "*" contains a "*"'],
    [
      head('servers: [github]\nrules:\n  - allow: [view_file, githb/*]'),
      '4:24: the server "githb" is not in servers; did you mean "github"?',
    ],
    [
      head('servers: []\nrules:\n  - deny: x/y'),
      '4:11: the server "x" is not in servers; add it there, or remove servers',
    ],
    [
      head('servers: [github]\ntools: {zzz/y: {tier: observe}}'),
      '3:9: the server "zzz" is not in servers; add it there, or remove servers',
    ],
    [head('tools: [a]'), '2:8: tools is a list; write a mapping of tools, such as "deploy: { tier: confirm }"'],
    [head("tools: {'a/*': {}}"), '2:9: "a/*" is not a single tool; list each tool by name'],
    [head('tools: {a: {tier: observer}}'), '2:19: tier is "observer", not observe or confirm; did you mean "observe"?'],
    [head('tools: {a: }'), '2:9: the tool "a" has no value; write a mapping with tier, args, paths, touches, schema'],
    [head('tools: {a: {path: [x]}}'), '2:13: the tool "a" has no key "path"; did you mean "paths"?'],
    [
      head('tools: {a: {touches: {}}}'),
      '2:22: touches is empty; write bash, folder, reads, writes, urls, or remove it',
    ],
    [head('tools: {a: {touches: {writes: [x]}}}'), '2:13: writes lists "x", which is not in paths; add it there'],
    [head('tools: {a: {touches: {bash: x}}}'), '2:29: bash is the string "x"; write a list'],
    [head('tools: {a: {schema: true}}'), '2:21: schema is true; write a mapping'],
  ],
  tests: [
    [head('tests: {}'), '2:8: tests is a mapping; write a list'],
    [head('tests:\n  - expect: deny'), '3:5: a test has no call; write "call: \u2026" with the tool to call'],
    [head('tests:\n  - call: a'), '3:5: a test has no expect; write "expect: allow", "expect: ask" or "expect: deny"'],
    [head('tests:\n  - call: a\n    expect: forbid'), '4:13: expect is "forbid", not allow, ask or deny'],
    [head('tests:\n  - call: "*"\n    expect: deny'), '3:11: call is "*"; name one tool'],
    [head('tests:\n  - call: {server: a}\n    expect: deny'), '3:11: call has no tool; write "tool: \u2026"'],
    [head('tests:\n  - call: a\n    args: [a]\n    expect: deny'), '4:11: args is a list; write a mapping'],
    [
      head('tests:\n  - {call: a, args: {x: .inf}, expect: deny}'),
      '3:25: ".inf" is not a JSON number; put it in quotes if you mean a string',
    ],
    [
      head('tests:\n  - {call: a, args: {x: .nan}, expect: deny}'),
      '3:25: ".nan" is not a JSON number; put it in quotes if you mean a string',
    ],
    [
      head('tests:\n  - {call: a, args: {x: 0o17}, expect: deny}'),
      '3:25: "0o17" would be read as the number 15; write it that way, or put it in quotes if you mean a string',
    ],
    [
      head('tests:\n  - {call: a, args: {x: 0x1F}, expect: deny}'),
      '3:25: "0x1F" would be read as the number 31; write it that way, or put it in quotes if you mean a string',
    ],
    [
      head('tests:\n  - {call: a, args: {x: 012}, expect: deny}'),
      '3:25: "012" would be read as the number 12; write it that way, or put it in quotes if you mean a string',
    ],
    [
      head('tests:\n  - {call: a, args: {x: 12345678901234567890}, expect: deny}'),
      '3:25: the number "12345678901234567890" cannot be represented exactly; put it in quotes if you mean a string',
    ],
    [
      head('tests:\n  - call: a\n    args:\n      x:\n    expect: deny'),
      '5:7: a value is missing; write null if you mean no value',
    ],
    [
      head('tests:\n  - {call: a, state: {sesion: {}}, expect: deny}'),
      '3:23: state has no key "sesion"; did you mean "session"?',
    ],
    [
      head('tests:\n  - {call: a, args: {x: "\\ud800"}, expect: deny}'),
      '3:25: this string contains half of a surrogate pair',
    ],
    [
      head('tests:\n  - {call: a, rule: 5, expect: deny}'),
      '3:21: rule is the number 5; put it in quotes if you mean a string',
    ],
  ],
};

/** Names the reader of a test can see. */
const rows = Object.entries(files).map(([about, list]) => [about, list] as const);

describe.each(rows)('%s', (_, list) => {
  it.each(list)(proves('D01')('%j'), (text, ...expected) => {
    expect(problemsOf(text, 'bridle.yaml')).toEqual(expected.map((each) => `bridle.yaml:${each}`));
  });
});
