/** Scans input for database clients: SQL, and commands of the client itself. */

import type { CodeUse } from './code-scan.ts';

/** A form that is understood. Its group captures the file or command. */
interface KnownForm {
  readonly pattern: RegExp;
  readonly roles: readonly CodeUse['role'][];
}

const both = ['reads', 'writes'] as const;
/** A `file:` URI would name another file. */
const quoted = String.raw`'(?!file:)([^'\\]*)'`;

/** The client's own commands: how each uses its last word. The scan gives up at an unlisted one. */
const dotCommands: ReadonlyMap<string, readonly CodeUse['role'][]> = new Map<string, readonly CodeUse['role'][]>([
  ...`.tables .schema .headers .header .mode .width .nullvalue .separator .timer .show .databases .indexes .indices
    .dbinfo .fullschema .help .quit .exit .print .echo .bail .changes .explain .eqp .stats .limit .sha3sum .dump .prompt`
    .split(/\s+/u)
    .map((name) => [name, []] as const),
  ['.read', ['reads']],
  ['.restore', ['reads']],
  ['.open', both],
  ['.output', ['writes']],
  ['.once', ['writes']],
  ['.backup', ['writes']],
  ['.save', ['writes']],
  ['.clone', ['writes']],
  ['.log', ['writes']],
  ['.trace', ['writes']],
]);

const sqliteUses =
  /readfile|writefile|load_extension|fsdir|zipfile|\bedit["'\]`]?\s*\(|\battach\b|\bvacuum\b|\bvirtual\b|\w_directory|\bfile:/giu;
const sqliteKnown: readonly KnownForm[] = [
  { pattern: new RegExp(String.raw`\breadfile\s*\(\s*${quoted}\s*\)`, 'giu'), roles: ['reads'] },
  { pattern: new RegExp(String.raw`\bwritefile\s*\(\s*${quoted}\s*,`, 'giu'), roles: ['writes'] },
  { pattern: new RegExp(String.raw`\battach\s+(?:database\s+)?${quoted}\s+as\b`, 'giu'), roles: both },
  { pattern: new RegExp(String.raw`\bvacuum\s+(?:main\s+)?into\s+${quoted}`, 'giu'), roles: ['writes'] },
  { pattern: /\bvacuum\s*(?:;|$)/giu, roles: [] },
];

/** Scans input for `sqlite3`: SQL, and lines that start with a dot. */
export function scanSqlite(code: string): readonly CodeUse[] | undefined {
  const uses: CodeUse[] = [];
  const rest: string[] = [];
  for (const line of code.split('\n')) {
    if (!/^\s*\./u.test(line)) rest.push(line);
    else {
      const found = scanDotCommand(line);
      if (found === undefined) return undefined;
      uses.push(...found);
    }
  }
  const others = scanMentions(rest.join('\n'), { mentions: sqliteUses, known: sqliteKnown });
  return others && [...uses, ...others];
}

function scanDotCommand(line: string): readonly CodeUse[] | undefined {
  const [name = '', ...args] = line.trim().split(/\s+/u);
  const shell = /^\s*\.(?:shell|system)\s+(.*)$/u.exec(line);
  if (shell !== null) return [{ role: 'code', text: shell[1] }];
  if (name === '.import') return importUses(args);
  const roles = dotCommands.get(name);
  if (roles === undefined) return undefined;
  const last = args.at(-1);
  if (roles.length === 0 || last === undefined) return [];
  if (/["'\\|]/u.test(line) || args.some((arg) => arg.startsWith('-'))) return undefined;
  return /^(?:off|on|stdout|stderr)$/u.test(last) ? [] : roles.map((role) => ({ role, text: last }));
}

/** `.import --csv file table`. */
function importUses(args: readonly string[]): readonly CodeUse[] | undefined {
  const [file, table, ...more] = args.filter((arg) => !/^--?(?:csv|ascii|v)$/u.test(arg));
  if (file === undefined || table === undefined || more.length > 0 || /["'\\|]|^-/u.test(file)) return undefined;
  return [{ role: 'reads', text: file }];
}

interface ScanPatterns {
  /** Every place where a file or a command may be used. */
  readonly mentions: RegExp;
  readonly known: readonly KnownForm[];
}

/** Undefined unless every mention has a known form. */
function scanMentions(text: string, { mentions, known }: ScanPatterns): readonly CodeUse[] | undefined {
  const uses: CodeUse[] = [];
  let rest = text;
  for (const { pattern, roles } of known) {
    rest = rest.replaceAll(pattern, (_, file: unknown) => {
      uses.push(...roles.map((role) => ({ role, text: typeof file === 'string' ? file : undefined })));
      return ' ';
    });
  }
  return rest.search(mentions) === -1 ? uses : undefined;
}

const psqlWords: ScanPatterns = {
  // Backslashes and backquotes are commands of psql. The rest touches files of the server.
  mentions:
    /\\(?!(?:d\w*\+?|l\+?|q|x|timing|conninfo|echo|qecho|pset|a|t|h|z|du\+?)(?:\s|$))|`|\bcopy\b|pg_read|pg_ls|pg_stat_file|lo_(?:im|ex)port|dblink|language|\bload\b|\bdo\b/giu,
  known: [
    { pattern: /^\s*\\(?:i|ir|include|include_relative)\s+([^\s'`:|]+)\s*$/gimu, roles: ['reads'] },
    { pattern: /^\s*\\(?:o|out|w|write)\s+([^\s'`:|]+)\s*$/gimu, roles: ['writes'] },
    { pattern: /^\s*\\!\s*([^\n]+)$/gimu, roles: ['code'] },
    { pattern: /\\?\bcopy\b[^;'\\`]*\bfrom\s+program\s+'([^'\\]*)'/giu, roles: ['code'] },
    { pattern: /\\?\bcopy\b[^;'\\`]*\bto\s+program\s+'([^'\\]*)'/giu, roles: ['code'] },
    { pattern: /\\?\bcopy\b[^;'\\`]*\bfrom\s+'([^'\\]*)'/giu, roles: ['reads'] },
    { pattern: /\\?\bcopy\b[^;'\\`]*\bto\s+'([^'\\]*)'/giu, roles: ['writes'] },
    { pattern: /\\?\bcopy\b[^;'\\`]*\b(?:from\s+p?stdin|to\s+p?stdout)\b/giu, roles: [] },
  ],
};

/** Scans input for `psql`. */
export function scanPsql(code: string): readonly CodeUse[] | undefined {
  return scanMentions(code, psqlWords);
}

const mysqlWords: ScanPatterns = {
  mentions:
    /\\(?![Gg](?:\s|;|$))|\bsource\b|\bsystem\b|\btee\b|\bpager\b|\bedit\b|\bdelimiter\b|infile|outfile|dumpfile|load_file|\bload\b|soname|\/\*!/giu,
  known: [
    { pattern: /^\s*source\s+([^\s;'"]+)\s*;?\s*$/gimu, roles: ['reads'] },
    { pattern: /^\s*\\\.\s+([^\s;'"]+)\s*$/gimu, roles: ['reads'] },
    { pattern: /^\s*(?:system|\\!)\s+([^;\n]+)$/gimu, roles: ['code'] },
    { pattern: /\bload_file\s*\(\s*'([^'\\]*)'\s*\)/giu, roles: ['reads'] },
    { pattern: /\bload\s+data\s+(?:local\s+)?infile\s+'([^'\\]*)'/giu, roles: ['reads'] },
    { pattern: /\binto\s+(?:outfile|dumpfile)\s+'([^'\\]*)'/giu, roles: ['writes'] },
  ],
};

/** Scans input for `mysql`. */
export function scanMysql(code: string): readonly CodeUse[] | undefined {
  return scanMentions(code, mysqlWords);
}

/** redis commands that make the server write files, run code or connect to other servers. */
const redisUnsafe =
  /\b(?:config|(?:bg)?save|bgrewriteaof|eval\w*|script|function|fcall\w*|module|debug|slaveof|replicaof|migrate|shutdown|acl|failover|p?sync|cluster|monitor)\b/iu;
const redisSafe =
  /^(?:append|auth|bitcount|client|dbsize|decr(?:by)?|del|echo|exists|expire(?:at)?|flush(?:all|db)|get\w*|h(?:del|exists|get(?:all)?|incrby|keys|len|mget|mset|scan|set(?:nx)?|vals)|incr(?:by(?:float)?)?|info|keys|lastsave|latency|l(?:index|insert|len|pop|push|range|rem|set|trim)|mget|mset|object|persist|pexpire|ping|pttl|publish|pubsub|r(?:pop|push)|randomkey|rename(?:nx)?|role|s(?:add|card|diff|inter|ismember|members|move|pop|rem|scan|union)|scan|select|set(?:ex|nx)?|slowlog|sort|strlen|time|touch|ttl|type|unlink|x(?:add|info|len|range|read)|z(?:add|card|count|incrby|range|rangebyscore|rank|rem|revrange|score))$/iu;

/** Scans input for `redis-cli`: one command as arguments, or several as lines. */
export function scanRedis(code: string): readonly CodeUse[] | undefined {
  const [first = ''] = code.trim().split(/\s+/u);
  return redisSafe.test(first) && !redisUnsafe.test(code) ? [] : undefined;
}
