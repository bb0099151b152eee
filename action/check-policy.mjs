/**
 * The script of the GitHub Action: lints and tests a policy, compares it with the version of the base, and decides the
 * calls of a journal again. It reports annotations, a summary and a file for a comment. It fails closed: everything that
 * it cannot check is an error.
 */

import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, isAbsolute, join, relative } from 'node:path';
import { CheckError, commitOf, isSameAsIn, isThroughLink, readFrom, root, run } from './base-files.mjs';
import { annotation, code, markdown } from './report.mjs';

const { env } = process;
const failOn = { none: [], looser: ['looser'], any: ['looser', 'stricter'] };

/** Runs a command of Bridle and returns what it printed as JSON, one value per line. Exit code 2 is a problem to report. */
function bridle(...args) {
  const { status, stdout, stderr } = run(process.execPath, [env.BRIDLE_COMMAND, ...args, '--json']);
  const values = readJson(stdout);
  const failed = `bridle ${args[0]} failed with exit code ${status}: ${stderr.trim() || 'no output'}`;
  if (values === undefined || values.length === 0 || status > 2) throw new CheckError(failed);
  if (values[0].error !== undefined) throw new CheckError(values[0].error, (values[0].problems ?? []).map(placeOf));
  return { status, values, failed };
}

function readJson(text) {
  try {
    return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [JSON.parse(line)]));
  } catch {
    return undefined;
  }
}

/** Paths for people and annotations: relative to the repository. */
function inRepository(file) {
  return isAbsolute(file) ? relative(root, file) : file;
}

/** `bridle.yaml:3:5: text` as a problem at that place. */
function placeOf(problem) {
  const [, file, line, column, message] = /^(.+?):(\d+):(\d+): ([^]*)$/.exec(problem) ?? [];
  if (file === undefined) return { severity: 'error', message: problem };
  return { severity: 'error', file: inRepository(file), line, column, message };
}

function readInputs() {
  const { INPUT_POLICY: policy = '', INPUT_BASE: base = '', INPUT_JOURNAL: journal = '' } = env;
  const { INPUT_FAIL_ON: level = 'none', BRIDLE_COMMAND: command = '' } = env;
  if (!existsSync(command)) throw new CheckError('Bridle is not installed: BRIDLE_COMMAND does not name a file');
  if (!Object.hasOwn(failOn, level)) throw new CheckError(`fail-on must be none, looser or any, not ${level}`);
  for (const [name, file] of Object.entries({ policy, journal })) {
    const isOutside = isAbsolute(file) || file.split('/').includes('..') || file.startsWith('-');
    if (isOutside) throw new CheckError(`${name} must be a file in the repository, not ${file}`);
    if (file !== '' && !existsSync(join(root, file))) throw new CheckError(`${name}: there is no file ${file}`);
  }
  if (policy === '') throw new CheckError('policy is empty: name a policy file');
  return { policy, base, journal, level };
}

function lint(policy) {
  const [{ findings }] = bridle('lint', '--policy', policy).values;
  return findings
    .filter(({ severity }) => severity !== 'note')
    .map(({ severity, kind, message, hint, file, at }) => ({
      severity,
      file: inRepository(file),
      line: at.line,
      column: at.column,
      message: `${kind}: ${message} ${hint}`.trim(),
    }));
}

function test(policy) {
  const { values, status } = bridle('test', '--policy', policy);
  const [{ cases, summary }] = values;
  const problems = cases
    .filter(({ passed }) => !passed)
    .map(({ file, at, call, problem }) => ({
      severity: 'error',
      file: inRepository(file),
      line: at.line,
      column: at.column,
      message: `The test of ${callText(call)} fails: ${problem}`,
    }));
  if (summary.cases === 0)
    problems.push({
      severity: 'error',
      file: policy,
      line: 1,
      message: 'The policy has no tests: add some under tests:',
    });
  else if (status !== 0 && problems.length === 0) throw new CheckError('bridle test failed, but no test did');
  return { summary, problems };
}

function callText({ tool, server, args = {} }) {
  return `${server === undefined ? tool : `${server}/${tool}`} ${JSON.stringify(args)}`;
}

/** The version of the base is written next to the policy, because its paths are relative to its folder. */
function diff({ policy, base }) {
  const commit = commitOf(base);
  if (isThroughLink(policy))
    throw new CheckError(
      `${policy} is reached through a symbolic link, so it cannot be compared. Name the file itself.`,
    );
  const old = readFrom(commit, policy);
  const short = code(commit.slice(0, 12));
  if (old === undefined) return { base: short, text: 'the policy is new', changes: [], stricter: 0, looser: 0 };
  if (old.isLink) throw new CheckError(`${policy} is a symbolic link in the base ${base}, so it cannot be compared`);
  const copy = join(dirname(policy), `.bridle-base-${randomBytes(8).toString('hex')}${extname(policy)}`);
  writeFileSync(join(root, copy), old.text, { flag: 'wx' });
  try {
    const [{ before, hooks, flips, unshown, summary }] = bridle('diff', copy, policy).values;
    refuseChangedParts({ files: before.filter((file) => basename(file) !== basename(copy)), commit });
    return diffResult({
      base: short,
      flips,
      unshown: [...unshown, ...changedHooks(hooks.before, commit)],
      summary,
      name: (text) => text.replaceAll(basename(copy), basename(policy)),
    });
  } finally {
    rmSync(join(root, copy), { force: true });
  }
}

function diffResult({ base, flips, unshown, summary, name }) {
  const { stricter, looser } = summary;
  return {
    base,
    text: diffText({ flips, unshown, summary }),
    stricter,
    looser,
    unshown: unshown.map(({ at, ...each }) => ({ ...each, at: name(placeText(at)) })),
    changes: flips.map(({ change, call, similar, ...sides }) => ({
      change,
      call: callText(call),
      similar,
      before: name(sideText(sides.before)),
      after: sideText(sides.after),
      line: lineOf(sides.after.rule),
    })),
  };
}

/** The old version is compared with the extended files of the head, so a change in these would stay hidden. */
function refuseChangedParts({ files, commit }) {
  for (const file of files) {
    if (isSameAsIn(commit, file)) continue;
    const problem = 'changed too or is not in the base, so its effect cannot be shown';
    throw new CheckError(`${inRepository(file)}, which the policy extends, ${problem}. Change it alone.`);
  }
}

/** The old version has the hook modules of the head, so `bridle diff` cannot see that their text changed. */
function changedHooks(modules, commit) {
  return modules
    .filter((module) => !isSameAsIn(commit, module))
    .map((module) => ({ side: 'after', rule: `hook module ${basename(module)}`, at: module, change: 'looser' }));
}

function diffText({ flips, unshown, summary: { stricter, looser, complete, cut } }) {
  const hidden = unshown.length === 0 ? '' : `; ${unshown.length} changes that no example call shows`;
  const scope = complete ? '' : '; conditions are tested with example calls, so others may change';
  const limit = cut ? '; some example calls were skipped' : '';
  const changes = flips.length === 0 ? 'no decision changes' : `${stricter} stricter, ${looser} looser`;
  return `${changes}${hidden}${scope}${limit}`;
}

function sideText({ decision, rule }) {
  return rule === undefined ? `${decision} by default` : `${decision} by ${rule.name} (${placeText(rule.at ?? '')})`;
}

/** The line of a rule; the first one if a default decides. */
function lineOf(rule) {
  return Number(/:(\d+)$/.exec(rule?.at ?? '')?.[1] ?? 1);
}

function placeText(at) {
  const [, file = at, line] = /^(.*):(\d+)$/.exec(at) ?? [];
  return line === undefined ? inRepository(file) : `${inRepository(file)}:${line}`;
}

function replay({ policy, journal }) {
  const { values, status, failed } = bridle('replay', journal, '--policy', policy);
  const report = values.find(({ type }) => type === 'report')?.report;
  if (report === undefined || status === 2) throw new CheckError(`${journal} cannot be replayed: ${failed}`);
  const { compared, stricter, looser, cannotTell } = report;
  return {
    text: `${compared} compared: ${stricter} stricter, ${looser} looser, ${cannotTell} not comparable`,
    stricter,
    looser,
    changes: values
      .filter(({ type }) => type === 'flip')
      .map((flip) => ({
        change: flip.change,
        call: callText(flip),
        before: sideText({ decision: flip.was, rule: flip.before }),
        after: sideText({ decision: flip.now, rule: flip.rule }),
        line: lineOf(flip.rule),
      })),
  };
}

/** Runs every step, also after one that failed, so that one run shows all problems. */
function check() {
  const problems = [];
  const attempt = (step, file) => {
    try {
      return step();
    } catch (error) {
      if (!(error instanceof CheckError)) throw error;
      if (error.problems.length > 0) problems.push(...error.problems);
      else problems.push({ severity: 'error', file, message: error.message });
      return undefined;
    }
  };
  const inputs = attempt(readInputs);
  if (inputs === undefined) return { policy: env.INPUT_POLICY ?? '', problems };
  const { policy, base, journal, level } = inputs;
  const linted = attempt(() => lint(policy), policy);
  // The other steps would only repeat why the policy cannot be loaded.
  if (linted === undefined) return { policy, problems };
  const tested = attempt(() => test(policy), policy);
  problems.push(...linted, ...(tested?.problems ?? []));
  const compared = base === 'none' ? undefined : attempt(() => diff({ policy, base }), policy);
  const replayed = journal === '' ? undefined : attempt(() => replay({ policy, journal }), policy);
  problems.push(...changeProblems({ policy, level, results: [compared, replayed] }));
  return { policy, problems, tests: tested?.summary, diff: compared, replay: replayed };
}

function changeProblems({ policy, level, results }) {
  const changes = results.flatMap((result) => result?.changes ?? []);
  const unshown = results.flatMap((result) => result?.unshown ?? []);
  return [
    ...changes.map(({ change, call, before, after, line }) => ({
      severity: failOn[level].includes(change) ? 'error' : 'warning',
      file: policy,
      line,
      message: `${change}: ${call} was ${before}, is now ${after}`,
      isChange: true,
    })),
    // If nobody knows the direction, bridle diff says looser.
    ...unshown.map((each) => ({
      severity: failOn[level].includes(each.change) ? 'error' : 'warning',
      file: policy,
      line: 1,
      message: unshownText(each),
    })),
  ];
}

function unshownText({ rule, at, side, change }) {
  const what = side === 'before' ? 'was removed or changed' : 'is new or changed';
  const effect = change === 'stricter' ? 'it can only make decisions stricter' : 'it may make decisions looser';
  return `${rule} (${at}) ${what}. No example call shows the effect, and ${effect}.`;
}

const maxAnnotations = 40;

function writeResults(results) {
  const isOk = results.problems.every(({ severity }) => severity !== 'error');
  const errorsFirst = results.problems.toSorted((a, b) => a.severity.localeCompare(b.severity));
  for (const problem of errorsFirst.slice(0, maxAnnotations)) console.log(annotation(problem));
  const text = markdown({ ...results, problems: results.problems.filter(({ isChange }) => isChange !== true), isOk });
  const file = join(mkdtempSync(join(env.RUNNER_TEMP ?? tmpdir(), 'bridle-report-')), 'comment.md');
  writeFileSync(file, text);
  if (env.GITHUB_STEP_SUMMARY) appendFileSync(env.GITHUB_STEP_SUMMARY, text);
  const sum = (name) => (results.diff?.[name] ?? 0) + (results.replay?.[name] ?? 0);
  const outputs = { 'comment-file': file, stricter: sum('stricter'), looser: sum('looser') };
  if (env.GITHUB_OUTPUT)
    appendFileSync(
      env.GITHUB_OUTPUT,
      Object.entries(outputs)
        .map(([name, value]) => `${name}=${value}\n`)
        .join(''),
    );
  console.log(isOk ? 'The policy passes.' : 'The policy does not pass: see the annotations.');
  return isOk;
}

// Only a complete run without errors resets this.
process.exitCode = 1;
try {
  if (writeResults(check())) process.exitCode = 0;
} catch (error) {
  console.log(annotation({ severity: 'error', message: `The check of the policy crashed: ${error.stack}` }));
}
