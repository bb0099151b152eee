/**
 * What the action prints and writes. Names, rules and calls come from the branch that is checked, so anybody may have
 * written them: here they become one line of an annotation, or text that Markdown does not interpret.
 */

/** Invisible characters, line ends and characters that change the direction of text. */
const invisible = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;

function plainText(text, maxLength) {
  const shown = String(text).replaceAll(invisible, (unit) => {
    return unit === '\n' || unit === '\t' ? ' ' : `\\u{${unit.codePointAt(0).toString(16)}}`;
  });
  return shown.length > maxLength ? `${shown.slice(0, maxLength)}…` : shown;
}

/** The runner reads commands like `##[group]` anywhere in a line, and `::error::` at its start. */
function withoutCommands(text) {
  return text.replaceAll('##[', '# #[');
}

function escapeData(text) {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text) {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** A line that the runner shows at a place in a file: `::error file=bridle.yaml,line=3::…`. */
export function annotation({ severity, file, line, column, message }) {
  const place = Object.entries({ file, line, col: column, title: 'Bridle' })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${escapeProperty(withoutCommands(plainText(value, 300)))}`);
  return `::${severity} ${place.join(',')}::${escapeData(withoutCommands(plainText(message, 2000)))}`;
}

/** Text as code: the fence is longer than every run of backticks in it. */
export function code(text) {
  const shown = plainText(text, 300);
  const longest = Math.max(0, ...Array.from(shown.matchAll(/`+/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const space = longest > 0 || shown.trim() === '' ? ' ' : '';
  return `${fence}${space}${shown}${space}${fence}`;
}

/** Code in a table, where a pipe would end the cell. */
export function cell(text) {
  return code(text).replaceAll('|', String.raw`\|`);
}

const maxRows = 50;
const marks = { error: '❌', warning: '⚠️' };

/** The report as Markdown. */
export function markdown({ policy, problems, tests, diff, replay, isOk }) {
  return [
    `## ${isOk ? '✅' : '❌'} Policy ${code(policy)}`,
    '',
    ...summaryLines({ problems, tests, diff, replay }),
    ...problemLines(problems),
    ...changeLines('Calls whose decision changes', diff?.changes ?? []),
    ...changeLines('Recorded calls whose decision changes', replay?.changes ?? []),
    '',
  ].join('\n');
}

function summaryLines({ problems, tests, diff, replay }) {
  const count = (severity) => problems.filter((problem) => problem.severity === severity).length;
  return [
    `- Problems: ${countText(count('error'), 'error')}, ${countText(count('warning'), 'warning')}`,
    ...(tests === undefined ? [] : [`- Tests: ${tests.passed} passed, ${tests.failed} failed`]),
    ...(diff === undefined ? [] : [`- Compared with ${diff.base}: ${diff.text}`]),
    ...(replay === undefined ? [] : [`- Recorded calls: ${replay.text}`]),
  ];
}

function countText(count, thing) {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}

function problemLines(problems) {
  if (problems.length === 0) return [];
  const rows = problems.slice(0, maxRows).map(({ severity, file, line, message }) => {
    const place = file === undefined ? '' : `${code(line === undefined ? file : `${file}:${line}`)} `;
    return `- ${marks[severity]} ${place}${code(message)}`;
  });
  return ['', '### Problems', '', ...rows, ...moreLine(problems.length)];
}

function changeLines(title, changes) {
  if (changes.length === 0) return [];
  const rows = changes.slice(0, maxRows).map(({ change, before, after, call, similar = 0 }) => {
    const more = similar === 0 ? '' : ` and ${similar} more like it`;
    return `| ${change === 'looser' ? '**looser**' : 'stricter'} | ${cell(before)} | ${cell(after)} | ${cell(call)}${more} |`;
  });
  return [
    '',
    `### ${title}`,
    '',
    '| change | before | after | call |',
    '|---|---|---|---|',
    ...rows,
    ...moreLine(changes.length),
  ];
}

function moreLine(count) {
  return count > maxRows ? ['', `And ${count - maxRows} more.`] : [];
}
