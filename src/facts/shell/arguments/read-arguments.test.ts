/** The meaning of arguments according to the program table: one line per case, printed by `show`. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { runs } from '../../../../test/property-runs.ts';
import { findProgram } from '../programs/find-program.ts';
import type { ArgumentPart, ParsedArguments } from '../usage/program.ts';
import { readArguments } from './read-arguments.ts';
import { literal, partlyKnownWord, type ShellWord } from '../words/shell-word.ts';

/** `$x` is any number of words, `"$x"` one word, and `_` a space within a word. */
function word(text: string): ShellWord {
  if (!text.includes('$')) return literal(text.replaceAll('_', ' '));
  if (!text.startsWith('"')) return { type: 'open', knownPieces: ['', ''], splits: true, text };
  return partlyKnownWord(text.replaceAll('"', '').split(/\$\w+/u), text);
}

function read(line: string): ParsedArguments {
  const [name = '', ...words] = line.split(' ');
  const program = findProgram(name);
  expect(program, name).toBeDefined();
  return readArguments(program!, words.map(word));
}

function shown(one: ShellWord): string {
  return one.type === 'literal' ? one.value : one.knownPieces.join('…');
}

function showPart(part: ArgumentPart): string {
  const mark = 'harmless' in part && !part.harmless ? '!' : '';
  switch (part.type) {
    case 'subcommand':
      return part.name;
    case 'option':
      return part.value === undefined
        ? `${part.name}${mark}`
        : `${part.name}=${shown(part.value)}(${part.role}${mark})`;
    case 'operand':
      return `${shown(part.word)}(${part.role}${mark})`;
    case 'code':
      return `code[${part.words.map(shown).join(' ')}]`;
    case 'command':
      return `run[${part.argv.map(shown).join(' ')}${part.more ? ' +' : ''}]`;
    default:
      return part satisfies never;
  }
}

function show(line: string): string {
  return read(line).parts.map(showPart).join(' ');
}

function optionsOf(line: string): readonly string[] {
  const names = read(line).parts.flatMap((part) => (part.type === 'option' ? [part.name] : []));
  return Array.from(new Set(names)).toSorted();
}

describe('wrappers', () => {
  it.each([
    ['env -i A=1 rm -rf x', '--ignore-environment! A=1(assignment!) run[rm -rf x]'],
    ['env - rm', '--ignore-environment! run[rm]'],
    ['env -S A=1_rm_-rf x', 'A=1(assignment!) run[rm -rf x]'],
    ['env -vS"rm_x', '--debug'],
    ['env "A=$x" rm', 'A=…(assignment!) run[rm]'],
    ['sudo -u root A=1 -E rm x', '--user=root(text!) A=1(assignment!) --preserve-env! run[rm x]'],
    ['sudo -uroot -- rm', '--user=root(text!) run[rm]'],
    ['sudo -e /etc/hosts', '--edit! /etc/hosts(writes!)'],
    ['doas -u x rm', '-u=x(text!) run[rm]'],
    ['su - root -c rm_x', '--login! root(text!) --command=rm x(code!)'],
    ['su root -- -c rm', 'root(text!) run[sh -c rm]'],
    ['runuser -u x -- rm', '--user=x(text!) run[rm]'],
    ['nohup rm x', 'run[rm x]'],
    ['timeout -k 5 10 rm -x', '--kill-after=5(text) 10(text) run[rm -x]'],
    ['nice -n 5 rm', '--adjustment=5(text) run[rm]'],
    ['nice -5 rm', '-NUM run[rm]'],
    ['ionice -c3 rm', '--class=3(text) run[rm]'],
    ['stdbuf -oL rm', '--output=L(text) run[rm]'],
    ['time -o out rm', '--output=out(writes!) run[rm]'],
    ['watch -n 1 rm x', '--interval=1(text) code[rm x]'],
    ['watch -x rm x', '--exec run[rm x]'],
    ['flock f rm x', 'f(writes!) run[rm x]'],
    ['flock f -c rm_x', 'f(writes!) --command=rm x(code!)'],
    ['script -qc rm_x f', '--quiet --command=rm x(code!) f(writes!)'],
    ['strace -f -o log rm', '--follow-forks --output=log(writes!) run[rm]'],
    ['strace -o |rm_x ls', '--output=rm x(code!) run[ls]'],
    ['git clone ext::rm_x d', 'clone rm x(code!) d(writes!)'],
    ['npm run x --script-shell=rm', 'run x(text!) --script-shell=rm(program!)'],
    ['[ -n a[`rm`] ]', '-n a[`rm`](variable!) ](text)'],
    ['xargs -0 -n1 rm', '--null --max-args=1(text) run[rm +]'],
    ['xargs -I{} rm x{}y', '-I={}(text) run[rm x…y]'],
    ['xargs -i sh -c rm_{}', '--replace run[sh -c rm …]'],
    ['busybox rm x', 'run[rm x]'],
    ['chroot / rm', '/(folder!) run[rm]'],
    ['unshare -r rm', '--map-root-user! run[rm]'],
    ['setsid -w rm', '--wait run[rm]'],
    ['exec -a x rm', '-a=x(text!) run[rm]'],
    ['command -p rm', '-p! run[rm]'],
    ['command -v rm', '-v rm(text)'],
    ['eval rm x', 'code[rm x]'],
    ['trap rm_x EXIT', 'code[rm x] EXIT(text!)'],
    ['find . -name x -exec rm {} ; -print', '.(entry) -name=x(text) -exec! run[rm …] -print'],
    ['find . -exec sh -c rm_{} {} +', '.(entry) -exec! run[sh -c rm … … +]'],
    ['find . -delete', '.(writes!) -delete!'],
    ['fd -x rm', '--exec! run[rm +]'],
    ['fd -xrm', '--exec! run[rm +]'],
    ['sudo -h ls rm x', '--host=ls(text!) run[rm x]'],
    ['ssh -p 22 host -v rm x', '-p=22(text) host(text!) -v code[rm x]'],
    ['ssh -o ProxyCommand=rm_x h', '-o=rm x(code!) h(text!)'],
    ['docker run --rm -it alpine rm x', 'run --rm --interactive --tty alpine(text!) run[rm x]'],
    ['docker run --entrypoint rm a x', 'run --entrypoint=rm(program!) a(text!) run[x]'],
    ['docker container exec c rm', 'exec c(text!) run[rm]'],
    ['docker compose exec -T web rm', 'compose exec --no-TTY web(text!) run[rm]'],
    ['kubectl exec pod -c x -- rm y', 'exec pod(text!) --container=x(text) run[rm y]'],
    ['npx -y rm x', '--yes! run[rm x]'],
    ['npm exec -- rm x', 'exec run[rm x]'],
    ['npx -c rm_x', '--call=rm x(code!)'],
    ['uv run rm', 'run run[rm]'],
    ['git bisect run rm x', 'bisect run run[rm x]'],
    ['git submodule foreach rm x', 'submodule foreach code[rm x]'],
  ])(proves('X02')('%s'), (line, parts) => {
    expect(show(line)).toBe(parts);
  });

  it.each([
    'sudo $x rm',
    'env "$x" rm',
    'timeout $x rm',
    'xargs $x rm',
    'find $x -name y',
    'find . -exec echo "$x" ;',
    'git "$x"',
    'bash -oc x rm_y',
    'git --config-env=core.pager=X log',
    'zip -T x',
    'env -S$x',
    'sudo --unheard rm x',
    'time -Z rm x',
  ])('reports what may hide a program: %s', (line) => {
    expect(read(line).unsureCommand).toBeTypeOf('string');
  });

  it.each(['cat $x', 'ls --unheard x', 'grep "$x" y', 'git log "$x"', 'rm $x'])(
    'is only unsure where nothing can start: %s',
    (line) => {
      expect(read(line)).toMatchObject({ unsure: expect.any(String), unsureCommand: undefined });
    },
  );
});

describe('shells and interpreters', () => {
  it.each([
    ['bash -ec rm_x a', '-e -c! code[rm x] a(either!)'],
    ['bash -eo pipefail -c rm', '-e -o=pipefail(text!) -c! code[rm]'],
    ['bash -c -e rm', '-c! -e code[rm]'],
    ['bash x.sh -c rm', 'x.sh(script!) -c(either!) rm(either!)'],
    ['bash --rcfile f -i', '--init-file=f(script!) -i!'],
    ['bash +O extglob -c rm', '+O=extglob(text!) -c! code[rm]'],
    ['sh -- x.sh', 'x.sh(script!)'],
    ['python3.12 -c x -O', '-c=x(foreign!) -O(either!)'],
    ['python -m http.server', '-m! run[http.server]'],
    ['python -m pytest -q tests', '-m! run[pytest -q tests]'],
    ['node -e x', '--eval=x(foreign!)'],
    ['perl -pi.bak -e x f', '-p -i=.bak(text!) -e=x(foreign!) f(writes!)'],
    ['perl -lne x', '-l -n -e=x(foreign!)'],
    ['perl -0777 -pe x f', '-NUM -p -e=x(foreign!) f(either!)'],
    ['node -p x', '--print=x(foreign!)'],
    ['python - x', '-(text!) x(either!)'],
    ['ruby -rx -e y', '-r=x(script!) -e=y(foreign!)'],
    ['php -r x', '-r=x(foreign!)'],
    ['awk -f x y', '--file=x(script!) y(reads)'],
    ['vim -c !rm f', '-c=!rm(foreign!) f(either!)'],
    ['vim +!rm f', '+=!rm(foreign!) f(either!)'],
    ['less +!rm f', '+=!rm(foreign!) f(reads)'],
    ['source x y', 'x(script!) y(text!)'],
  ])('%s', (line, parts) => {
    expect(show(line)).toBe(parts);
  });

  it.each([
    ['bash', 'code'],
    ['bash -s x', 'code'],
    ['bash -', 'code'],
    ['bash --rcfile x', 'code'],
    ['bash x.sh', 'data'],
    ['bash -c x', 'data'],
    ['sudo -s', 'code'],
    ['sudo -s rm', 'data'],
    ['su', 'code'],
    ['su -c x', 'data'],
    ['ssh host', 'code'],
    ['ssh host ls', 'data'],
    ['python', 'foreign'],
    ['python -c x', 'data'],
    ['python -', 'foreign'],
    ['python -c x -', 'data'],
    ['node x.js', 'data'],
    ['xargs rm', 'words'],
    ['crontab -l', 'data'],
    ['crontab', 'code'],
    ['cat', 'data'],
  ])('knows how %s uses standard input: %s', (line, stdin) => {
    expect(read(line).stdin).toBe(stdin);
  });

  it('reads code of other shells as bash code only if it is plain', () => {
    expect(read('zsh -c rm_x;_ls').unsureCommand).toBeUndefined();
    expect(read('zsh -c =rm').unsureCommand).toBeTypeOf('string');
    expect(read("fish -c echo_'\\';_rm").unsureCommand).toBeTypeOf('string');
  });
});

describe('options', () => {
  it.each([
    [
      'rm -rf x',
      'rm -fr x',
      'rm -r -f x',
      'rm x -r -f',
      'rm --recursive --force x',
      'rm --rec --fo x',
      'rm -rf -- x',
      'rm -R --force x',
    ],
    ['head -n5 x', 'head -n 5 x', 'head --lines=5 x', 'head --lines 5 x', 'head --li=5 x', 'head x -n5'],
    ['git push -f', 'git push --force'],
    ['git branch -D x', 'git branch x -D'],
    [
      'tar -xzf a',
      'tar xzf a',
      'tar xfz a',
      'tar -x -z -f a',
      'tar --extract --gzip --file=a',
      'tar --get --ungz --file a',
    ],
  ])(proves('X07')('are the same in every spelling: %s'), (first, ...others) => {
    for (const other of others) expect(optionsOf(other), other).toEqual(optionsOf(first));
  });

  it(proves('X07')('of git push are the same by refspec and before the subcommand'), () => {
    expect(optionsOf('git push origin +main')).toEqual(['--force']);
    expect(optionsOf('git push origin :main')).toEqual(['--delete']);
    expect(optionsOf('git push --mirror')).toEqual(['--delete', '--force', '--mirror']);
    expect(show('git -C x push')).toBe('-C=x(folder!) push');
    expect(show('npm add x')).toBe('install x(text!)');
  });

  const letters = { rm: 'rfvd', ls: 'laRhtS', grep: 'rinwlvE', cp: 'rfpvu', sort: 'nrubf' } as const;
  const long = { r: '--recursive', f: '--force', d: '--dir' } as const;

  it(proves('X07')('keep their meaning in any order, cluster and place'), () => {
    const cases = fc
      .constantFrom(...(Object.keys(letters) as (keyof typeof letters)[]))
      .chain((name) =>
        fc.tuple(
          fc.constant(name),
          fc.shuffledSubarray(letters[name].split(''), { minLength: 1 }),
          fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
          fc.nat(2),
          fc.boolean(),
        ),
      );
    fc.assert(
      fc.property(cases, ([name, chosen, cuts, place, dashes]) => {
        const clusters: string[] = [];
        for (const [index, letter] of chosen.entries()) {
          if (index > 0 && cuts[index] === true) clusters[clusters.length - 1] += letter;
          else clusters.push(`-${letter}`);
        }
        const operands = ['a', 'b'];
        const words = [...operands.slice(0, place), ...clusters, ...(dashes ? ['--'] : []), ...operands.slice(place)];
        const one = letters[name].split('').filter((letter) => chosen.includes(letter));
        const other = optionsOf([name, ...one.map((letter) => `-${letter}`), 'a', 'b'].join(' '));
        expect(optionsOf([name, ...words].join(' '))).toEqual(other);
      }),
      { numRuns: runs(300) },
    );
  });

  it(proves('X07')('keep their meaning by long names and their beginnings'), () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...(Object.keys(long) as (keyof typeof long)[])),
        fc.integer({ min: 5, max: 20 }),
        (letter, length) => {
          const beginning = long[letter].slice(0, length);
          expect(optionsOf(`rm ${beginning} x`)).toEqual(optionsOf(`rm -${letter} x`));
        },
      ),
      { numRuns: runs(100) },
    );
  });

  it('are ambiguous if an abbreviation matches several', () => {
    expect(read('rm --no x').unsure).toBeUndefined();
    expect(read('ls --in x').unsure).toBeTypeOf('string');
    expect(read('ls --rec x').parts[0]).toMatchObject({ name: '--recursive', harmless: false });
  });
});

describe('files', () => {
  it.each([
    ['cp a b', 'a(reads) b(writes!)'],
    ['cp -t d a b', '--target-directory=d(writes!) a(reads) b(reads)'],
    ['mv a b', 'a(writes!) b(writes!)'],
    ['tee -a x', '--append x(writes!)'],
    ['sort -o out in', '--output=out(writes!) in(reads)'],
    ['sed -i s/a/b/ f', '--in-place! s/a/b/(text) f(writes!) f(reads!)'],
    ['sed -i.bak -e s/a/b/ f', '--in-place=.bak(text!) --expression=s/a/b/(text) f(writes!) f(reads!)'],
    ['dd if=a of=b', 'if=a(reads) of=b(writes!)'],
    ['tar czf a b', '--create! --gzip --file=a(writes!) b(reads)'],
    ['tar xf a -C d', '--extract! --file=a(reads) --directory=d(folder!)'],
    ['tar -I rm -cf a b', '--use-compress-program=rm(program!) --create! --file=a(writes!) b(reads)'],
    ['curl -o f -d @g http://x', '--output=f(writes!) --data=g(reads!) http://x(text!)'],
    ['curl file:///etc/passwd', '/etc/passwd(reads!)'],
    ['curl -s localhost:3000/x', '--silent localhost:3000/x(text)'],
    ['docker build -t a -f b .', 'build --tag=a(text) --file=b(script!) .(reads)'],
    ['docker compose up -d x', 'compose up --detach x(text!)'],
    ['docker logs -f x', 'logs --follow x(text)'],
    ['kubectl apply -f k8s -n a', 'apply --filename=k8s(reads) --namespace=a(text)'],
    ['helm install a b -f c', 'install a(reads) b(reads) --values=c(reads)'],
    ['terraform plan -out=a -var-file b', 'plan -out=a(writes!) -var-file=b(reads)'],
    ['cmake -S . -B a -DX=y', '-S=.(reads!) -B=a(either!) -D=X=y(harmful!)'],
    ['ninja -C a b', '-C=a(folder!) b(text!)'],
    ['lsof -ti:3000', '-t -i=:3000(text)'],
    ['mysqldump -u a -r b c', '--user=a(text!) --result-file=b(writes!) c(text!)'],
    ['scp a h:b', 'a(reads!) h:b(text!)'],
    ['rsync a ./b:c', 'a(reads) ./b:c(writes!)'],
    ['rsync --filter=merge_x a b', '--filter=…(reads!) a(reads) b(writes!)'],
    ['cargo test a -- --nocapture --logfile', 'test a(text) --nocapture(text) --logfile(harmful!)'],
    ['rsync -e rm a b', '--rsh=rm(code!) a(reads) b(writes!)'],
    ['tar cf a --checkpoint-action=exec=rm b', '--create! --file=a(writes!) --checkpoint-action=rm(code!) b(reads)'],
    ['make SHELL=rm x', 'SHELL=rm(assignment!) x(either!)'],
    ['split --filter=rm x', '--filter=rm(code!) x(reads)'],
    ['uniq a b', 'a(reads) b(writes!)'],
    ['chmod -x f', '-r! f(writes!)'],
    ['git diff --output=x', 'diff --output=x(writes!)'],
    ['git grep -Orm x', 'grep --open-files-in-pager=rm(code!) x(text)'],
    ['git -c core.pager=rm_x log', '-c=rm x(code!) log'],
    ['git -c alias.x=!rm_y x', '-c=rm y(code!) x'],
    ['jq --slurpfile a f .b g', '--slurpfile=a(text) f(reads) .b(text) g(reads)'],
  ])('%s', (line, parts) => {
    expect(show(line)).toBe(parts);
  });

  it.each([
    ['ls', ['lists']],
    ['rg x', ['visible']],
    ['grep -r x', ['walked']],
    ['tar xf a', ['anything']],
    ['find -delete', ['sweeps']],
    ['ln -s /etc/passwd', ['anything']],
    ['curl -O http://x', ['writes']],
    ['cat x', []],
  ])('knows what %s touches apart from its arguments: %j', (line, implied) => {
    expect(read(line).implied).toEqual(implied);
  });

  it.each([
    ['ls -la x', 'entry'],
    ['stat -c %s x', 'entry'],
    ['du -h x', 'entry'],
    ['find x', 'entry'],
    ['tree x', 'entry'],
    ['fd name x', 'entry'],
    ['git ls-files x', 'entry'],
    ['find . -newer x', 'entry'],
    ['touch a --reference=x', 'entry'],
    ['find -delete x', 'writes'],
    ['tree --fromfile x', 'reads'],
    ['tree --gitfile=x', 'reads'],
    ['du -X x', 'reads'],
    ['git ls-files --eol x', 'reads'],
    ['git ls-files -m x', 'reads'],
    ['git ls-files --format=%(eolinfo:worktree) x', 'reads'],
    ['file x', 'reads'],
    ['wc -c x', 'reads'],
  ])(proves('X08')('knows whether %s opens the file: %s'), (line, role) => {
    expect(read(line).parts.at(-1)).toMatchObject({ role });
  });

  it.each([
    ['rm x', 'itself'],
    ['rm -r x', 'tree'],
    ['cp a x', 'into'],
    ['cp -r a x', 'onto'],
    ['ln -s a x', 'link'],
    ['cp -s a x', undefined],
    ['cp -rT a x', undefined],
    ['rsync -a a x', 'sync'],
    ['mkdir x', 'path'],
    ['grep -r a x', 'walked'],
    ['grep -R a x', 'tree'],
  ])('knows the reach of %s: %s', (line, reach) => {
    expect(read(line).parts.at(-1)).toMatchObject({ reach });
  });
});

const harmless = (line: string): boolean => {
  const { parts, unsure, opaque } = read(line);
  return (
    unsure === undefined &&
    !opaque &&
    parts.every((part) => part.type === 'subcommand' || ('harmless' in part && part.harmless))
  );
};

describe('harmless arguments', () => {
  it.each([
    'ls -la src',
    'cat a b',
    'grep -rn x src',
    'git status --short',
    'git log --oneline -5',
    'git diff HEAD',
    'git branch --list x',
    'head -n 5 x',
    'sed -n 1,5p f',
    'sed s/a/b/g f',
    'awk {print_$1} f'.replace('$1', 'NF'),
    'jq .a f',
    'find . -name x',
    'sort -u f',
    'wc -l f',
    'docker ps -a',
    'git config user.name',
    'rg --json x src',
    'date +%s',
    'git config --get user.name',
    'gh pr view 1',
    'systemctl status x',
    'npm ls',
  ])(proves('X03')('are known: %s'), (line) => {
    expect(harmless(line)).toBe(true);
  });

  it.each(
    [
      [
        'ls --unheard',
        'cat $x',
        'grep --unheard=x y',
        'git status --unheard',
        'git log --output=x',
        'git diff --ext-diff',
        'git diff --outpu=x',
        'git branch x',
        'git branch -D x',
        'git -c a=b status',
      ],
      [
        'sed -i s/a/b/ f',
        'sed s/a/b/w_x f',
        'sed s/a/b/e f',
        'sed 1e_rm f',
        'sed 1w_x f',
        'sed -f x f',
        'sed s/a/b/;w_x f',
        'sed s/[^]/]/;s/w_x/y/ f',
        'sed r_x f',
      ],
      [
        'awk BEGIN{system("rm")} f',
        'awk {print>"x"} f',
        'awk {print|"rm"} f',
        'awk {getline<"x"} f',
        'awk -f x f',
        'awk @load"x" f',
        'awk BEGIN{f="system";@f("rm")}',
      ],
      [
        'sort -o x y',
        'sort --compress-program=rm x',
        'find . -delete',
        'find . -exec rm ;',
        'find . -fprint x',
        'tar cf x y',
        'rg --pre=rm x',
        'rg --pr=rm x',
        'less -o x y',
        'less +!rm y',
        'man -P rm x',
        'date -s x',
        'uniq a b',
        'xxd a b',
      ],
      [
        'cp a b',
        'rm x',
        'kill 1',
        'npm run x',
        'npm test x',
        'make x',
        'node x',
        'tee x',
        'curl x',
        'wget x',
        'ssh x',
        'git push origin x',
        'git fetch x',
        'docker run x',
        'split x',
      ],
    ].flat(),
  )(proves('X03')('exclude arguments that may do harm: %s'), (line) => {
    expect(harmless(line) && read(line).implied.every((kind) => kind === 'lists' || kind === 'searches')).toBe(false);
  });
});

describe('what follows a command', () => {
  it('may run in another folder', () => {
    expect(['cd x', 'pushd', 'popd', 'source x'].filter((line) => !read(line).changesFolder)).toEqual([]);
    expect(read('ls x').changesFolder).toBe(false);
  });

  it('may have another meaning', () => {
    const lines = [
      'alias x=y',
      'unalias x',
      'hash -p x y',
      'enable -f x y',
      'shopt -s expand_aliases',
      'set -k',
      'set -o keyword',
      'unset -f x',
      'declare -n x=y',
      'history -s x',
      'bind x',
    ];
    expect(lines.filter((line) => read(line).changesMeaning === undefined)).toEqual([]);
    expect(
      ['alias', 'set -euo pipefail', 'unset x', 'declare x=y', 'hash x'].filter(
        (line) => read(line).changesMeaning !== undefined,
      ),
    ).toEqual([]);
  });
});

describe('reading', () => {
  const names = [
    'bash',
    'env',
    'sudo',
    'xargs',
    'find',
    'git',
    'tar',
    'dd',
    'sed',
    'ssh',
    'docker',
    'npm',
    'rm',
    'test',
    'curl',
    'kill',
    'gcc',
    'set',
  ];
  const pieces = fc.constantFrom(
    '-',
    '--',
    '-c',
    '-rf',
    '--x=y',
    '-S',
    '{}',
    ';',
    '+',
    'a=b',
    'run',
    'exec',
    '-exec',
    '',
    '"$x"',
    '$x',
    '"-o$x"',
    '"--out=$x"',
    '+x',
    '-5',
    'x_y',
    '@f',
  );

  it('never throws, and reports every word that is not literal', () => {
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.array(pieces, { maxLength: 8 }), (name, words) => {
        const line = [name, ...words].join(' ');
        const { parts, unsure } = read(line);
        const kept = parts.flatMap((part) =>
          part.type === 'command'
            ? part.argv
            : part.type === 'code'
              ? part.words
              : part.type === 'operand'
                ? [part.word]
                : part.type === 'option' && part.value !== undefined
                  ? [part.value]
                  : [],
        );
        const open = words.filter((text) => text.includes('$')).length;
        expect(unsure !== undefined || kept.filter(({ type }) => type === 'open').length >= open, line).toBe(true);
      }),
      { numRuns: runs(2000) },
    );
  });
});
