/**
 * Makes dist/cli/main.cjs, the command, dist/cli/quick.cjs, what its quick commands need, and dist/cli/late.cjs, what
 * they need seldom. dist/cli/hook.cjs and hook-code.cjs are the hook handler. Node starts CommonJS faster than modules
 * and one file faster than many, and nothing is evaluated before it is used.
 */

import { createHash } from 'node:crypto';
import { chmodSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'vite';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'dist/cli');

/** Loaded anyway before the first line of ours. */
const early = ['node:buffer', 'node:fs', 'node:path'];
/** Everything else that is not ours is evaluated when something of it is used for the first time; so are large tables. */
function lateName(source, importer) {
  if (importer.endsWith('/shell/programs/find-program.js') && source.startsWith('./'))
    return join(dirname(importer), source);
  return /^[./\0]/.test(source) || early.includes(source) ? undefined : source;
}
/** Packages of a file of their own, and what they are called in it. */
const apart = new Map([
  ['@marcbachmann/cel-js', 'cel'],
  ['@bufbuild/re2', 're2'],
  ['yaml', 'yaml'],
]);
const apartFile = './late.cjs';

const mark = '\0late:';
/** Hook processes use a store in a file; the driver for Postgres is a package that only its users install. */
const absent = '\0absent';

/** Puts a CommonJS module before another one that loads it at the first look at one of its names. */
function late() {
  return {
    name: 'late',
    enforce: 'pre',
    resolveId(source, importer) {
      if (importer === undefined) return undefined;
      if (source.endsWith('/postgres-database.js')) return absent;
      if (!importer.startsWith(mark)) {
        const name = lateName(source, importer);
        return name === undefined ? undefined : `${mark}${name}`;
      }
      const isOutside = source.startsWith('node:') || source === apartFile;
      return isOutside ? { id: source, external: true } : undefined;
    },
    async load(id) {
      if (id === absent) return `throw new Error('a hook process cannot use Postgres');`;
      if (!id.startsWith(mark)) return undefined;
      const source = id.slice(mark.length);
      const names = Object.keys(await import(source)).filter((name) => name !== 'default' && /^[\w$]+$/.test(name));
      const getters = names.map((name) => `  get ${name}() { return load().${name}; },`);
      const loaded = apart.has(source)
        ? `require(${JSON.stringify(apartFile)}).${apart.get(source)}`
        : `require(${JSON.stringify(source)})`;
      return `let made;
function load() { return (made ??= ${loaded}); }
module.exports = {
${getters.join('\n')}
};
`;
    },
  };
}

async function bundle(entry, { plugins = [], external = [], minify }) {
  const result = await build({
    root,
    configFile: false,
    logLevel: 'warn',
    plugins,
    ssr: { noExternal: true, target: 'node' },
    build: {
      ssr: entry,
      write: false,
      target: 'node20',
      minify,
      rollupOptions: {
        external: [...external, ...early, ...builtinModules],
        output: { format: 'cjs', codeSplitting: false, exports: 'named', sourcemap: false },
      },
    },
  });
  const [{ code }, ...others] = (Array.isArray(result) ? result : [result]).flatMap(({ output }) => output);
  if (others.length > 0) throw new Error(`${entry} became more than one file`);
  return code;
}

/** Text in ASCII is read and kept in half the space. */
function ascii(code) {
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

async function writeMain(entry, name, external) {
  const code = await bundle(join(folder, entry), { plugins: [late()], external, minify: false });
  writeFileSync(join(folder, name), code);
  chmodSync(join(folder, name), 0o755);
}

await writeMain('main.js', 'main.cjs', ['./command-line.js']);
await writeMain('hook-main.js', 'hook.cjs', []);

const packages = await bundle(join(import.meta.dirname, 'late-packages.mjs'), { external: [/^node:/], minify: true });
writeFileSync(join(folder, 'late.cjs'), packages);

// What the function is given stands before what is global: the clock of Node takes longer to load than to read.
// A decoder is often made and seldom used, and takes long to load too.
const decoder = `function TextDecoder(...how) {
  let made;
  this.decode = (...given) => (made ??= new globalThis.TextDecoder(...how)).decode(...given);
}`;
/** A script that V8 compiles from cached bytecode has no import(). src/cli/quick-bundle.ts passes one to it. */
const importOutside = {
  name: 'import-outside',
  enforce: 'pre',
  resolveId: (source) =>
    source.endsWith('/import-module.js') ? { id: './import-module.js', external: true } : undefined,
};
/** How a bundle loads libsql: with a function that stands before its code. */
const ownLibsql = {
  name: 'own-libsql',
  enforce: 'pre',
  resolveId: (source) => (source.endsWith('/libsql-package.js') ? '\0libsql' : undefined),
  load: (id) => (id === '\0libsql' ? 'export const loadLibsql = () => loadSqlite();' : undefined),
};
/** libsql finds its native part by platform; an installed handler has the right one in its own folder. */
const nativeBesideIt = {
  name: 'native',
  enforce: 'pre',
  transform: (code, id) =>
    id.endsWith('/libsql/index.js')
      ? `const {${code.slice(code.indexOf('databaseOpen')).replace('} = requireNative();', "} = require('./libsql.node');")}`
      : undefined,
};
const sqlite = await bundle(join(root, 'node_modules/libsql/index.js'), {
  plugins: [nativeBesideIt],
  external: ['./libsql.node'],
  minify: true,
});
/** The part of libsql that is not native is in the bundle, which saves finding, reading and compiling it. */
const ownSqlite = `function loadSqlite() {
  const native = require('./libsql.node');
  if (native === undefined) return require('libsql');
  const module = { exports: {} };
  (function (require, module, exports) {${sqlite}
  })((name) => (name === './libsql.node' ? native : require(name)), module, module.exports);
  return module.exports;
}`;

async function writeQuick(entry, name, loadSqlite) {
  const code = ascii(await bundle(join(folder, entry), { plugins: [importOutside, ownLibsql, late()], minify: true }));
  const script = `(function (require, exports, __dirname, performance) {${decoder}\n${loadSqlite}\n${code}\n})`;
  const hash = createHash('sha256').update(script).update(packages).digest('hex').slice(0, 16);
  writeFileSync(join(folder, name), `/*${hash}*/${script}\n`);
}

await writeQuick('quick-command.js', 'quick.cjs', `function loadSqlite() { return require('libsql'); }`);
await writeQuick('hosts/hook-command.js', 'hook-code.cjs', ascii(ownSqlite));
