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
    ['# only\n', '1:1: the file says nothing; begin with "version: 1"'],
    ['version: 1\u0000', '1:11: the character U+0000 cannot stand here; in a text in double quotes write \\u0000'],
    [
      head('default: "a\u0007"'),
      '2:12: the character U+0007 cannot stand here; in a text in double quotes write \\u0007',
    ],
    [head('# \u007f'), '2:3: the character U+007F cannot stand here; in a text in double quotes write \\u007F'],
    [head('# \u0085'), '2:3: the character U+0085 cannot stand here; in a text in double quotes write \\u0085'],
    [head('# a\u2028rules:'), '2:4: the character U+2028 cannot stand here; in a text in double quotes write \\u2028'],
    [head('# \u202e'), '2:3: the character U+202E cannot stand here; in a text in double quotes write \\u202E'],
    [head('\ufeffrules: []'), '2:1: the character U+FEFF cannot stand here; in a text in double quotes write \\uFEFF'],
    [head('# \ud800'), '2:3: the character U+D800 cannot stand here; it is half of one'],
    ['version: 1\rrules: []', '1:11: the character U+000D cannot stand here; in a text in double quotes write \\u000D'],
    ['- a', '1:1: the file is a list; write a mapping that begins with "version: 1"'],
    ['hello', '1:1: the file is the text "hello"; write a mapping that begins with "version: 1"'],
    ['42', '1:1: the file is the number 42; write a mapping that begins with "version: 1"'],
    ['null', '1:1: the file says nothing; begin with "version: 1"'],
    ['...', '1:1: the file says nothing; begin with "version: 1"'],
    ['---', '1:1: the file says nothing; begin with "version: 1"'],
    ['--- # x\n', '1:1: the file says nothing; begin with "version: 1"'],
    [head('---\nversion: 1'), '2:1: a second document begins here; a policy file is one document'],
    [head('...\nversion: 1'), '3:1: a second document begins here; a policy file is one document'],
    [head('...\n---\n'), '3:1: a second document begins here; a policy file is one document'],
  ],
  'what looks like YAML': [
    [rules('  - allow: "a\n    name: x\n  - deny: y'), '3:12: the closing quote of this text is missing'],
    [
      rules('  - allow: [a\n    name: x\n  - deny: y'),
      '3:12: the "]" or "}" that ends this is missing, or is not indented enough',
    ],
    [head('servers: [a, {name: b'), '2:14: the "]" or "}" that ends this is missing, or is not indented enough'],
    [
      rules('\u00a0\u00a0- allow: x'),
      '3:1: the character U+00A0 cannot indent a line; it looks like a space, use spaces',
    ],
    [
      rules('  - allow: x\n  \u3000name: y'),
      '4:3: the character U+3000 cannot indent a line; it looks like a space, use spaces',
    ],
    [rules('  -allow: x\n  -deny: y'), '3:3: "-allow" is no entry of a list; write a space after the "-"'],
    [rules('  - alow: x'), '3:5: a rule has no key "alow"; did you mean "allow"?'],
    [
      rules('  - nam: x'),
      '3:5: a rule has no key "nam"; did you mean "name"?',
      '3:5: a rule has none of allow, ask, deny and forbid; write one of them',
    ],
    [
      head('a b\nc d\ne f\ng h'),
      '2:1: this is no "key: value"; a ":" with a space after it is missing',
      '3:1: this is no "key: value"; a ":" with a space after it is missing',
      '4:1: this is no "key: value"; a ":" with a space after it is missing',
    ],
  ],
  'what YAML can do and a policy cannot': [
    [
      rules('  - allow: !foo a'),
      '3:12: "!foo" is a YAML tag; policy files have none, put a condition that begins with "!" in quotes',
    ],
    [
      rules('  - allow: !!js/function a'),
      '3:12: "!!js/function" is a YAML tag; policy files have none, put a condition that begins with "!" in quotes',
    ],
    [
      rules('  - allow: !!binary aGk='),
      '3:12: "!!binary" is a YAML tag; policy files have none, put a condition that begins with "!" in quotes',
    ],
    [
      rules('  - allow: !!str a'),
      '3:12: "!!str" is a YAML tag; policy files have none, put a condition that begins with "!" in quotes',
    ],
    [
      rules('  - allow: a\n    expires: !!timestamp 2027-01-01'),
      '4:14: "!!timestamp" is a YAML tag; policy files have none, put a condition that begins with "!" in quotes',
    ],
    [
      rules('  - allow: a\n    when: !isPublicHost()'),
      '4:11: "!isPublicHost()" is a YAML tag; policy files have none, put a condition that begins with "!" in quotes',
    ],
    [
      head('default: !<tag:yaml.org,2002:str> ask'),
      '2:10: "!<tag:yaml.org,2002:str>" is a YAML tag; policy files have none, put a condition that begins with "!" in quotes',
    ],
    [
      head('rules: !!set {a}'),
      '2:8: "!!set" is a YAML tag; policy files have none, put a condition that begins with "!" in quotes',
    ],
    [
      rules('  - &a\n    allow: a'),
      '3:5: "&a" is a YAML anchor; policy files have none, write the value out where it is needed',
    ],
    [
      rules('  - allow: &x a\n  - allow: *x'),
      '3:12: "&x" is a YAML anchor; policy files have none, write the value out where it is needed',
    ],
    [head('default: *x'), '2:10: "*x" is a YAML alias; policy files have none, put it in quotes if a text is meant'],
    [rules('  - allow: *'), '3:12: "*" begins an alias in YAML; put it in quotes: \'*\''],
    [rules('  - allow: [*]'), '3:13: "*" begins an alias in YAML; put it in quotes: \'*\''],
    [
      'a: &a [x,x]\nb: &b [*a,*a]',
      '1:4: "&a" is a YAML anchor; policy files have none, write the value out where it is needed',
    ],
    ['%YAML 1.1\n---\nversion: 1', '1:1: "%YAML 1.1" is a YAML directive; policy files have none, they are YAML 1.2'],
    ['%YAML 1.2\n---\nversion: 1', '1:1: "%YAML 1.2" is a YAML directive; policy files have none, they are YAML 1.2'],
    ['%TAG ! x\n---\nversion: 1', '1:1: "%TAG ! x" is a YAML directive; policy files have none, they are YAML 1.2'],
    [head('<<: {default: allow}'), '2:1: merge keys are not used in policy files; write the keys out'],
    [
      rules('  - <<: {allow: a}\n    name: b'),
      '3:5: merge keys are not used in policy files; write the keys out',
      '3:5: a rule has none of allow, ask, deny and forbid; write one of them',
    ],
  ],
  'what is not YAML': [
    [rules('\t- allow: a'), '3:1: a tab cannot indent a line; use spaces'],
    [head('rules: [a, b'), '2:8: the "]" or "}" that ends this is missing, or is not indented enough'],
    [head('rules: {a'), '2:8: the "]" or "}" that ends this is missing, or is not indented enough'],
    [head('default: "ask'), '2:10: the closing quote of this text is missing'],
    [head("default: 'ask"), '2:10: the closing quote of this text is missing'],
    [
      head(' default: ask'),
      '1:10: a mapping cannot begin here; if this is a text with ": " in it, put the whole text in single quotes',
    ],
    [rules('  - allow: a\n   name: b'), '4:1: an entry of a list begins with "- ", indented like the others'],
    [head('default'), '2:1: this is no "key: value"; a ":" with a space after it is missing'],
    [head('default:ask'), '2:1: this is no "key: value"; a ":" with a space after it is missing'],
    [head('}'), '2:1: this cannot stand here; if it belongs to a text, put the whole text in single quotes'],
    [head('rules: [,]'), '2:9: this cannot stand here; if it belongs to a text, put the whole text in single quotes'],
    [head('default: `x`'), '2:10: a text cannot begin with this character; put the whole text in single quotes'],
    [head('default: |x'), '2:11: after "|" or ">" a text begins on the next line'],
    [head('default: %x'), '2:10: a text cannot begin with this character; put the whole text in single quotes'],
    [
      head('default: a: b'),
      '2:10: a mapping cannot begin here; if this is a text with ": " in it, put the whole text in single quotes',
    ],
    [head('? '), '1:1: a key is missing before ":"'],
    [head('- a'), '2:1: this is no "key: value"; a ":" is missing, or lines are not indented as meant'],
    [head('a\nb: 1'), '2:1: this is no "key: value"; a ":" with a space after it is missing'],
    [
      rules('  - deny: a\n    when: "a" == args.b'),
      '4:15: this follows the end of a value; if it belongs to a text, put the whole text in single quotes',
    ],
    [
      rules('  - deny: a\n    when: args.a == "x: y"'),
      '4:11: a mapping cannot begin here; if this is a text with ": " in it, put the whole text in single quotes',
    ],
    [
      rules('  - deny: a\n    when: @x'),
      '4:11: a text cannot begin with this character; put the whole text in single quotes',
    ],
    [
      rules('  - deny: a\n    when: "a\\.b"'),
      '4:13: this escape is not known in double quotes; write a backslash as "\\\\", or use single quotes',
    ],
  ],
  keys: [
    [head('version: 1'), '2:1: the key "version" is there twice'],
    [rules('  - allow: a\n    name: b\n    name: c'), '5:5: the key "name" is there twice'],
    [head('tests: [{call: a, args: {a: 1, a: 2}, expect: deny}]'), '2:32: the key "a" is there twice'],
    [
      head('__proto__: {default: allow}'),
      '2:1: a policy file has no key "__proto__"; its keys are version, default, strict, extends, workspaces, servers, tools, rules, tests',
    ],
    [
      head('constructor: 1'),
      '2:1: a policy file has no key "constructor"; its keys are version, default, strict, extends, workspaces, servers, tools, rules, tests',
    ],
    [
      head('tests: [{call: a, args: {__proto__: 1}, expect: deny}]'),
      '2:26: the key "__proto__" cannot be part of any data',
    ],
    [head('1: a'), '2:1: the key "1" is not a text; put it in quotes if it is meant as one'],
    [head('true: a'), '2:1: the key "true" is not a text; put it in quotes if it is meant as one'],
    [head('null: a'), '2:1: the key "null" is not a text; put it in quotes if it is meant as one'],
    [head(': a'), '2:3: a key is missing before ":"'],
    [head('? [a]\n: b'), '2:3: a key is a text, not a list or a mapping'],
    [head('{a: 1}: b'), '2:1: a key is a text, not a list or a mapping'],
    ['{version: 1, [a]: 2}', '1:14: a key is a text, not a list or a mapping'],
    [head('defalt: ask'), '2:1: a policy file has no key "defalt"; did you mean "default"?'],
    [
      head('xyzzy: 1'),
      '2:1: a policy file has no key "xyzzy"; its keys are version, default, strict, extends, workspaces, servers, tools, rules, tests',
    ],
    [head('rule: []'), '2:1: a policy file has no key "rule"; did you mean "rules"?'],
    [head('Rules: []'), '2:1: a policy file has no key "Rules"; did you mean "rules"?'],
    [rules('  - deny: a\n    reson: b'), '4:5: a rule has no key "reson"; did you mean "reason"?'],
    [
      rules('  - ask: a\n    handler: b'),
      '4:5: a rule has no key "handler"; its keys are allow, ask, deny, forbid, name, reason, when, grant, expires, unknown, shadow',
    ],
    [
      '{version:1}',
      '1:1: the version is missing; begin with "version: 1"',
      '1:2: a policy file has no key "version:1"; did you mean "version"?',
    ],
  ],
  'the head': [
    ['rules: []', '1:1: the version is missing; begin with "version: 1"'],
    ['version: 2', '1:10: version 2 is not known; this Bridle reads version 1'],
    ['version: "1"', '1:10: version is the text "1"; write "version: 1"'],
    ['version: 1.0', '1:10: version 1.0 is not known; this Bridle reads version 1'],
    ['version: 01', '1:10: version 01 is not known; this Bridle reads version 1'],
    ['version:', '1:1: version has no value; write "version: 1"'],
    ['version: [1]', '1:10: version is a list; write "version: 1"'],
    [head('default: no'), '2:10: default is "no", not allow, ask or deny'],
    [head('default: true'), '2:10: default is true; write allow, ask or deny'],
    [head('default: alow'), '2:10: default is "alow", not allow, ask or deny; did you mean "allow"?'],
    [head('default:'), '2:1: default has no value; write allow, ask or deny'],
    [head('default: forbid'), '2:10: default is "forbid", not allow, ask or deny'],
    [head('strict: no'), '2:9: strict is the text "no"; write true or false'],
    [head('strict: "true"'), '2:9: strict is the text "true"; write true or false'],
    [head('strict: 1'), '2:9: strict is the number 1; write true or false'],
    [head('extends: []'), '2:10: extends is an empty list; name at least one, or leave the key out'],
    [head('extends: ~'), '2:10: extends has no value; write a text'],
    [head('extends: [1]'), '2:11: an entry of extends is the number 1; put it in quotes if a text is meant'],
    [head('extends: "a\\0b"'), '2:10: extends contains control characters'],
    [head('workspaces: {}'), '2:13: workspaces is a mapping; write a text'],
    [head('workspaces: [""]'), '2:14: an entry of workspaces is empty'],
  ],
  rules: [
    [head('rules: {allow: a}'), '2:8: rules is a mapping; write a list'],
    [head('rules:'), '2:1: rules has no value; write a list'],
    [
      rules('  - allow'),
      '3:5: a rule is the text "allow"; write a mapping with allow, ask, deny, forbid, name, reason, when, grant, expires, unknown, shadow',
    ],
    [
      rules('  - '),
      '3:3: a rule has no value; write a mapping with allow, ask, deny, forbid, name, reason, when, grant, expires, unknown, shadow',
    ],
    [rules('  - name: x'), '3:5: a rule has none of allow, ask, deny and forbid; write one of them'],
    [rules('  - allow: a\n    deny: b'), '4:5: a rule has both allow and deny; write two rules'],
    [rules('  - allow: []'), '3:12: allow is an empty list; name at least one, or leave the key out'],
    [rules('  - allow: 1e3'), '3:12: allow is the number 1000; put it in quotes if a text is meant'],
    [rules('  - allow:'), '3:5: allow has no value; write a text'],
    [rules('  - allow: {tool: a}'), '3:12: allow is a mapping; write a text'],
    [rules('  - allow: [a, 1]'), '3:16: an entry of allow is the number 1; put it in quotes if a text is meant'],
    [rules("  - allow: 'a*'"), '3:12: the target "a*" is not one of "tool", "server/tool", "server/*" or "*"'],
    [rules('  - allow: a/'), '3:12: the target "a/" is not one of "tool", "server/tool", "server/*" or "*"'],
    [rules('  - allow: "*/x"'), '3:12: the target "*/x" is not one of "tool", "server/tool", "server/*" or "*"'],
    [rules('  - allow: "a "'), '3:12: the target "a " has a part that begins or ends with a space'],
    [rules('  - allow: ""'), '3:12: the target "" is not one of "tool", "server/tool", "server/*" or "*"'],
    [rules('  - allow: "a\\u200bb"'), '3:12: the target "a\\u{200b}b" has a part that contains invisible characters'],
    [rules('  - allow: a\n    name: 1e3'), '4:11: name is the number 1000; put it in quotes if a text is meant'],
    [rules('  - allow: a\n    name: true'), '4:11: name is true; put it in quotes if a text is meant'],
    [rules('  - allow: a\n    name: null'), '4:11: name has no value; write a text'],
    [rules('  - allow: a\n    name: " "'), '4:11: name is empty'],
    [
      rules('  - allow: a\n    name: x\n  - deny: b\n    name: x'),
      '5:5: two rules are named "x"; the other one is in line 3',
    ],
    [
      rules('  - deny: a\n    reason: |\n      a\n      b'),
      '4:13: reason contains control characters; put it on one line, or after ">-"',
    ],
    [rules('  - allow: a\n    when: true'), '4:11: when is true; put it in quotes if a text is meant'],
    [rules('  - allow: a\n    when: ""'), '4:11: when is empty; write a condition, or leave the key out'],
    [
      rules('  - deny: a\n    when: "runs(\\"r\u200bm\\")"'),
      '4:20: when holds the invisible character U+200B; inside a string of the condition write \\u200B',
    ],
    [
      rules('  - deny: a\n    when: >\n      runs("ls")\n      || runs("r\u200bm")'),
      '6:17: when holds the invisible character U+200B; inside a string of the condition write \\u200B',
    ],
    [rules('  - deny: a\n    when: [a]'), '4:11: when is a list; write a text'],
    [rules('  - allow: a\n    shadow: no'), '4:13: shadow is the text "no"; write true or false'],
  ],
  'what unknown does': [
    [rules('  - deny: a\n    when: runs("rm")\n    unknown: allow'), '5:14: unknown is "allow", not deny or ask'],
    [rules('  - forbid: a\n    when: runs("rm")\n    unknown: true'), '5:14: unknown is true; write deny or ask'],
    [
      rules('  - allow: a\n    when: runs("rm")\n    unknown: ask'),
      '5:5: only a deny or forbid rule takes unknown: if the condition of an allow rule is unknown, the rule never allows; leave unknown out',
    ],
    [
      rules('  - ask: a\n    when: runs("rm")\n    unknown: deny'),
      '5:5: only a deny or forbid rule takes unknown: if the condition of an ask rule is unknown, the rule never allows; leave unknown out',
    ],
    [
      rules('  - forbid: a\n    unknown: ask'),
      '4:5: unknown needs a condition, and this rule always applies; add when, or leave unknown out',
    ],
    [
      rules('  - deny: a\n    expires: 2027-01-01\n    unknown: ask'),
      '5:5: unknown needs a condition, and this rule always applies; add when, or leave unknown out',
    ],
  ],
  'grants and dates': [
    [rules('  - deny: a\n    grant: {timeout: 3s}'), '4:5: a deny rule grants nothing; leave grant out'],
    [rules('  - forbid: a\n    grant: {timeout: 3s}'), '4:5: a forbid rule grants nothing; leave grant out'],
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
    [rules('  - allow: a\n    grant: {}'), '4:12: grant is empty; write timeout, output, approval, or leave it out'],
    [
      rules('  - allow: a\n    grant: 30s'),
      '4:12: grant is the text "30s"; write a mapping with timeout, output, approval',
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
      '4:14: expires is the text "tomorrow", not a day such as "2027-01-01", or a time with its zone such as "2027-01-01T12:00:00Z"',
    ],
    [
      rules('  - allow: a\n    expires: 2027-02-30'),
      '4:14: expires is the text "2027-02-30", not a day such as "2027-01-01", or a time with its zone such as "2027-01-01T12:00:00Z"',
    ],
    [
      rules('  - allow: a\n    expires: 2027-01-01T12:00:00'),
      '4:14: expires is the text "2027-01-01T12:00:00", not a day such as "2027-01-01", or a time with its zone such as "2027-01-01T12:00:00Z"',
    ],
    [
      rules('  - allow: a\n    expires: 2027'),
      '4:14: expires is the number 2027; write a day such as "2027-01-01", or a time with its zone such as "2027-01-01T12:00:00Z"',
    ],
    [
      rules('  - allow: a\n    expires: 2027-1-1'),
      '4:14: expires is the text "2027-1-1", not a day such as "2027-01-01", or a time with its zone such as "2027-01-01T12:00:00Z"',
    ],
    [
      rules('  - allow: a\n    expires: 2027-01-01T25:00Z'),
      '4:14: expires is the text "2027-01-01T25:00Z", not a day such as "2027-01-01", or a time with its zone such as "2027-01-01T12:00:00Z"',
    ],
    [
      rules('  - allow: a\n    expires:'),
      '4:5: expires has no value; write a day such as "2027-01-01", or a time with its zone such as "2027-01-01T12:00:00Z"',
    ],
  ],
  'servers and tools': [
    [head('servers: github'), '2:10: servers is the text "github"; write a list'],
    [head('servers: [1]'), '2:11: a server is the number 1; put it in quotes if a text is meant'],
    [head('servers: [a/b]'), '2:11: the server "a/b" holds a "/"'],
    [head('servers: [a, a]'), '2:14: two servers are named "a"; the other one is in line 2'],
    [
      head('servers: [{name: a, enabledTools: [], disabledTools: []}]'),
      '2:39: a server has both enabledTools and disabledTools; keep one of them',
    ],
    [head('servers: [{paths: {}}]'), '2:11: a server has no name; write "name: \u2026"'],
    [
      head('servers: [{name: a, tools: []}]'),
      '2:21: a server has no key "tools"; its keys are name, enabledTools, disabledTools, paths',
    ],
    [head('servers: [{name: a, paths: [x]}]'), '2:28: paths is a list; write a mapping of tools to lists of arguments'],
    [head('servers: [{name: a, paths: {x: y}}]'), '2:32: paths of "x" is the text "y"; write a list'],
    [head('servers: ["*"]'), '2:11: the server "*" contains a "*"'],
    [
      head('servers: [github]\nrules:\n  - allow: [view_file, githb/*]'),
      '4:24: the server "githb" is not among servers; did you mean "github"?',
    ],
    [
      head('servers: []\nrules:\n  - deny: x/y'),
      '4:11: the server "x" is not among servers; add it there, or leave servers out',
    ],
    [
      head('servers: [github]\ntools: {zzz/y: {tier: observe}}'),
      '3:9: the server "zzz" is not among servers; add it there, or leave servers out',
    ],
    [head('tools: [a]'), '2:8: tools is a list; write a mapping of tools, such as "deploy: { tier: confirm }"'],
    [head("tools: {'a/*': {}}"), '2:9: "a/*" is not one tool; name each of them'],
    [head('tools: {a: {tier: observer}}'), '2:19: tier is "observer", not observe or confirm; did you mean "observe"?'],
    [head('tools: {a: }'), '2:9: the tool "a" has no value; write a mapping with tier, args, paths, touches, schema'],
    [head('tools: {a: {path: [x]}}'), '2:13: the tool "a" has no key "path"; did you mean "paths"?'],
    [
      head('tools: {a: {touches: {}}}'),
      '2:22: touches is empty; write bash, folder, reads, writes, urls, or leave it out',
    ],
    [head('tools: {a: {touches: {writes: [x]}}}'), '2:13: writes names "x", which is not among paths; add it there'],
    [head('tools: {a: {touches: {bash: x}}}'), '2:29: bash is the text "x"; write a list'],
    [head('tools: {a: {schema: true}}'), '2:21: schema is true; write a mapping'],
  ],
  tests: [
    [head('tests: {}'), '2:8: tests is a mapping; write a list'],
    [head('tests:\n  - expect: deny'), '3:5: a test has no call; write "call: \u2026" with the tool to call'],
    [head('tests:\n  - call: a'), '3:5: a test expects nothing; write "expect: allow", ask or deny'],
    [head('tests:\n  - call: a\n    expect: forbid'), '4:13: expect is "forbid", not allow, ask or deny'],
    [head('tests:\n  - call: "*"\n    expect: deny'), '3:11: call is "*"; name one tool'],
    [head('tests:\n  - call: {server: a}\n    expect: deny'), '3:11: call has no tool; write "tool: \u2026"'],
    [head('tests:\n  - call: a\n    args: [a]\n    expect: deny'), '4:11: args is a list; write a mapping'],
    [
      head('tests:\n  - {call: a, args: {x: .inf}, expect: deny}'),
      '3:25: ".inf" is no number that JSON knows; put it in quotes if a text is meant',
    ],
    [
      head('tests:\n  - {call: a, args: {x: .nan}, expect: deny}'),
      '3:25: ".nan" is no number that JSON knows; put it in quotes if a text is meant',
    ],
    [
      head('tests:\n  - {call: a, args: {x: 0o17}, expect: deny}'),
      '3:25: "0o17" is read as the number 15; write it so, or put it in quotes if a text is meant',
    ],
    [
      head('tests:\n  - {call: a, args: {x: 0x1F}, expect: deny}'),
      '3:25: "0x1F" is read as the number 31; write it so, or put it in quotes if a text is meant',
    ],
    [
      head('tests:\n  - {call: a, args: {x: 012}, expect: deny}'),
      '3:25: "012" is read as the number 12; write it so, or put it in quotes if a text is meant',
    ],
    [
      head('tests:\n  - {call: a, args: {x: 12345678901234567890}, expect: deny}'),
      '3:25: the number "12345678901234567890" cannot be kept exactly; put it in quotes if a text is meant',
    ],
    [
      head('tests:\n  - call: a\n    args:\n      x:\n    expect: deny'),
      '5:7: a value is missing; write null if nothing is meant',
    ],
    [
      head('tests:\n  - {call: a, state: {sesion: {}}, expect: deny}'),
      '3:23: state has no key "sesion"; did you mean "session"?',
    ],
    [
      head('tests:\n  - {call: a, args: {x: "\\ud800"}, expect: deny}'),
      '3:25: this text holds half of a character, a lone surrogate',
    ],
    [
      head('tests:\n  - {call: a, rule: 5, expect: deny}'),
      '3:21: rule is the number 5; put it in quotes if a text is meant',
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
