/** Bundlers and build tools for JavaScript, Java and .NET. Their configuration is code, so all of them are opaque. */

import type { ProgramRow, ProgramRows } from '../../usage/program-row.ts';

const vite = `--host[=text]! -p,--port=text --open[=text]! --cors --strictPort --force -c,--config=script --base=text -l,--logLevel=text
  --clearScreen -d,--debug[=text] -f,--filter=text -m,--mode=text --target=text --outDir=filled --assetsDir=text
  --assetsInlineLimit=text --ssr[=script] --sourcemap[=text] --minify[=text] --manifest[=text] --ssrManifest[=text]
  --emptyOutDir! -w,--watch --profile --configLoader=text --app -h -v`;
const next = `-d,--debug --profile --lint --no-lint --turbo --turbopack --webpack --experimental-debug-memory-usage
  --experimental-app-only --experimental-turbo --experimental-build-mode=text -p,--port=text -H,--hostname=text!
  --keepAliveTimeout=text --inspect[=text]! --no-mangling --fix! --dir=sources --quiet --strict --max-warnings=text --verbose
  -h -v`;
const turbo = `-F,--filter=ref --force --no-cache --cache=text --concurrency=text --output-logs=text --log-order=text --log-prefix=text
  --parallel --continue[=text] --dry-run[=text] --dry[=text] --graph[=out] --only --affected --summarize[=text]
  --profile=out --team=text! --token=text! --api=text! --remote-only --remote-cache-timeout=text --cwd=folder
  --env-mode=text --framework-inference=text --no-daemon --daemon --ui=text --verbosity=text -v --color --no-color
  --cache-dir=filled --global-deps=text --single-package --skip-infer --no-update-notifier -h`;
const gradle = `-q,--quiet -i,--info -d,--debug -w,--warn -s,--stacktrace -S,--full-stacktrace -x,--exclude-task=text --no-daemon
  --daemon --offline --continue --parallel --no-parallel --max-workers=text -p,--project-dir=folder -b,--build-file=script
  -c,--settings-file=script -I,--init-script=script -P*=text! -D*=text! --build-cache --no-build-cache
  --configuration-cache --no-configuration-cache --rerun-tasks --refresh-dependencies --tests=text --scan! --console=text
  -g,--gradle-user-home=writes -m,--dry-run --status --stop -t,--continuous --warning-mode=text --profile
  --include-build=script -u --write-locks! --priority=text -h -v`;
const maven: ProgramRow = {
  style: 'dash',
  usage: `-q,-quiet -B,-batch-mode -D*=text! -DskipTests[=text] -DskipITs[=text] -Dmaven.test.skip[=text] -Dtest*=text -pl,-projects=text -am,-also-make
    -amd,-also-make-dependents -f,-file=script -o,-offline -U,-update-snapshots -e,-errors -X,-debug -T,-threads=text
    -P*=text -s,-settings=script -gs,-global-settings=script -t,-toolchains=script -l,-log-file=out -ntp,-no-transfer-progress
    -V,-show-version -v -rf,-resume-from=text -fae,-fail-at-end -ff,-fail-fast -fn,-fail-never -N,-non-recursive
    -nsu -c,-lax-checksums -C,-strict-checksums -h -ep=text! -emp=text! -b=text <text!>... opaque .=writes`,
};

export const projectPrograms: ProgramRows = {
  vite: {
    usage: `${vite} opaque .=writes`,
    commands: {
      'build, dev, serve, preview, optimize': `${vite} <sources!>... opaque .=writes`,
      '*': `${vite} <sources!>... opaque .=writes`,
    },
  },
  next: {
    usage: 'opaque -h -v',
    commands: { '*': `${next} <sources!>... opaque .=writes` },
  },
  webpack: `--mode=text -c,--config=script --config-name=text -m,--merge --env=text! --node-env=text --config-node-env=text
    -o,--output-path=filled --entry=sources --output-filename=text -t,--target=text -d,--devtool=text --no-devtool -w,--watch
    --no-watch --stats[=text] -j,--json[=out] --color --no-color --progress[=text] --analyze! --name=text --hot --no-hot
    --fail-on-warnings --disable-interpret --extends=script --open! --host=text! --port=text -h -v <sources!>... opaque
    .=writes`,
  rollup: `-c*,--config[=script] -o,--file=out -d,--dir=filled -f,--format=text -i,--input=sources -w,--watch -p,--plugin=script
    -m,--sourcemap[=text] --environment=text! --silent --bundleConfigAsCjs --configPlugin=script -e,--external=text
    -g,--globals=text -n,--name=text --exports=text --preserveModules --failAfterWarnings --logLevel=text --waitForBundleInput
    --no-treeshake --validate --watch.onEnd=code --watch.onStart=code --watch.onBundleEnd=code --watch.onBundleStart=code
    --watch.onError=code -h -v <sources!>... opaque .=writes`,
  // It follows the imports of a file to any place.
  esbuild: `--bundle --outfile=out --outdir=filled --minify --minify-whitespace --minify-identifiers --minify-syntax --sourcemap[=text]
    --format=text --platform=text --target=text --watch[=text] --serve[=text]! --servedir=reads! --metafile=out
    --tsconfig=in --log-level=text --log-limit=text --splitting --jsx=text --jsx-factory=text --jsx-import-source=text
    --packages=text --allow-overwrite! --analyze[=text] --banner=text --charset=text --color=text --conditions=text
    --drop=text --entry-names=text --asset-names=text --chunk-names=text --global-name=text --keep-names
    --legal-comments=text --main-fields=text --public-path=text --tree-shaking=text --outbase=text --external=text
    --preserve-symlinks -h <sources!>... opaque .=writes`,
  turbo: {
    usage: `${turbo} opaque`,
    commands: { '*': `${turbo} <text!>... opaque .=writes` },
  },
  nx: `-t,--target,--targets=text -p,--projects=text --all --exclude=text --parallel[=text] --skip-nx-cache --skipNxCache --verbose
    -c,--configuration=text --base=ref --head=ref --files=text --uncommitted --untracked --affected --output-style=text
    --outputStyle=text --nxBail --prod --watch --dry-run --graph[=out] --runner=script --tag=text --interactive -h
    <text!>... opaque .=writes`,
  storybook: `-p,--port=text -h,--host=text! -c,--config-dir=script -o,--output-dir=filled -w,--watch --ci --no-open --quiet --smoke-test
    --docs --debug-webpack --disable-telemetry --stats-json[=filled] --loglevel=text --no-manager-cache --exact-port
    --initial-path=text <text!>... opaque .=writes`,
  'pre-commit': {
    usage: 'opaque -h -V',
    commands: {
      run: `-a,--all-files --files=sources -s,--from-ref,--source=ref -o,--to-ref,--origin=ref -v,--verbose --color=text
        --show-diff-on-failure --hook-stage=text -c,--config=script --fail-fast <text!>... opaque .=writes`,
      '*': 'opaque -c,--config=script -f,--overwrite! -t,--hook-type=text --install-hooks <text!>... .=writes elsewhere',
    },
  },
  'mvn, mvnw': maven,
  'gradle, gradlew': `${gradle} <text!>... opaque .=writes`,
  dotnet: {
    usage: 'opaque -h -d --info --list-sdks --list-runtimes',
    commands: {
      'build, test, run, restore, publish, clean, pack, format, watch, msbuild, build-server': `-c,--configuration=text -f,--framework=text -r,--runtime=text -o,--output=filled -v,--verbosity=text --no-restore
        --no-build --no-dependencies --no-incremental --nologo --self-contained[=text] --project=script --filter=text
        -l,--logger=labelled! --collect=text --results-directory=filled -s,--settings=script --blame -t,--list-tests
        --launch-profile=text --no-launch-profile -p*=text! --interactive --force --source=text! --packages=writes
        --configfile=script --locked-mode --verify-no-changes --include=text --exclude=text --severity=text -h <sources!>...
        opaque .=writes`,
      '*': 'opaque <harmful>... .=writes elsewhere',
    },
  },
};
