/** Simple commands of followed lines: those that read, write, move, set something, and hand on lists of files. */

import { expansion, folder, glob, name, printer, variable, word, words, type Growth } from './grow-names.ts';
import { listed, oneOf } from './listed.ts';

/** Everything that these read, they print. */
const readers = listed(
  String.raw`cat ¦ head -n 3 ¦ sort ¦ grep -h . ¦ cat -- ¦ tail -n 3 ¦ nl ¦ sed -n p ¦ tac ¦ awk 1 ¦ sed '' ¦ grep -rh tk`,
  String.raw`command cat ¦ paste ¦ env cat ¦ timeout 2 cat`,
);

export function reader({ choices }: Growth): string {
  return choices.once(2) ? oneOf(choices, readers) : 'cat';
}

export function read(growth: Growth): string {
  const { choices } = growth;
  switch (choices.below(12)) {
    case 9:
      return `cat < ${word(growth)}`;
    case 10:
      return choices.pick(
        `cat <(${reader(growth)} ${words(growth)})`,
        `diff <(cat ${word(growth)}) <(cat ${word(growth)})`,
        `echo "$(< ${name(growth)})"`,
      );
    case 11:
      return choices.pick(
        `mapfile -t m < ${name(growth)} && echo "\${m[@]}"`,
        `read -r l < ${name(growth)} && echo "$l"`,
        `[[ -r ${name(growth)} ]] && cat ${name(growth)}`,
      );
    default:
      return `${reader(growth)} ${words(growth)}`;
  }
}

export function write(growth: Growth): string {
  const { choices } = growth;
  const one = word(growth);
  switch (choices.below(16)) {
    case 0:
      return `touch ${one}`;
    case 1:
      return `echo x > ${one}`;
    case 2:
      return `echo x >> ${one}`;
    case 3:
      return `cp ${one} ${choices.once(2) ? folder(growth) : name(growth)}`;
    case 4:
      return `mv ${one} ${choices.once(2) ? folder(growth) : name(growth)}`;
    case 5:
      return `echo x | tee ${words(growth)}`;
    case 6:
      return `sed -i s/tk/tk/ ${one}`;
    case 7:
      return `ln -s ${choices.pick('../outside', '.env', 'src', '../.env', name(growth))} ${choices.pick('new', 'made', name(growth))}`;
    case 8:
      return `mkdir ${choices.pick('', '-p ')}${choices.pick('new', 'made', 'new/src', folder(growth))}`;
    case 9:
      return `rm -f ${one}`;
    case 10:
      return choices.pick(
        `rm -r ${folder(growth)}/a.ts`,
        'rm -rf sub',
        'rm -rf src/deep',
        'rmdir empty',
        'rm lib',
        'rm -rf new',
      );
    case 11:
      return choices.pick(
        'ln -sfn ../outside lib',
        'ln -sfn sub lib',
        'mv src new',
        'mv sub made',
        'cp -r src new',
        'mv out new',
        'ln -sT ../outside made',
      );
    case 12:
      return `${reader(growth)} ${name(growth)} > ${one}`;
    case 13:
      return choices.pick(
        `cp -r ${folder(growth)} new`,
        `cp -t ${folder(growth)} ${one}`,
        `cp -a ${one} new`,
        `ln ${name(growth)} new`,
        `truncate -s 0 ${one}`,
        `install -m 644 ${one} new`,
        `dd if=${name(growth)} of=${name(growth)}`,
      );
    case 14:
      return `: > ${one}`;
    default:
      return choices.pick(
        `sort -o ${name(growth)} ${one}`,
        `cat ${name(growth)} &> ${name(growth)}`,
        `mv -t ${folder(growth)} ${one}`,
        `chmod 600 ${one}`,
        `cat ${one} >| ${name(growth)}`,
      );
  }
}

export function move(growth: Growth): string {
  const { choices } = growth;
  const to = choices.once(8) && growth.variables.size > 0 ? expansion(growth) : folder(growth);
  switch (choices.below(16)) {
    case 8:
      return `pushd ${to}`;
    case 9:
      return choices.pick(
        'popd',
        'cd -',
        'cd',
        'cd ~',
        'cd ~-',
        'popd -n',
        'pushd',
        'dirs',
        'popd +0',
        'pushd +1',
        "cd ''",
        'cd "$OLDPWD"',
      );
    case 10:
      return choices.pick('cd -', 'popd', `pushd ${to} && popd`, `cd ${to} && cd -`);
    case 11:
      return choices.pick(
        `cd -P ${to}`,
        `cd -L ${to}`,
        `cd -- ${to}`,
        `cd -e ${to}`,
        `cd -P ${to} && cd ..`,
        `cd -@ ${to}`,
      );
    case 12:
      return choices.pick(
        `builtin cd ${to}`,
        `command cd ${to}`,
        `\\cd ${to}`,
        `"cd" ${to}`,
        `cd ${to} extra`,
        `pushd -n ${to}`,
        `env cd ${to}`,
      );
    case 13:
      return choices.pick(
        `cd "${to}" > /dev/null`,
        `cd ${to} 2> /dev/null`,
        `cd ${to} > new`,
        `cd ${to} < missing`,
        `x=1 cd ${to}`,
        `CDPATH=sub cd ${to}`,
        `HOME=sub cd`,
      );
    case 14:
      return choices.pick(
        `cd ${to}/..`,
        `cd ../${to}`,
        `cd ./${to}`,
        `cd ${to}/`,
        `cd ${to}/.`,
        `cd {${to},sub}`,
        `cd ${to}*`,
        'cd s*',
        'cd l?b',
      );
    default:
      return `cd ${to}`;
  }
}

/** Sets a variable. */
export function assign(growth: Growth): string {
  const { choices, variables } = growth;
  const it = choices.pick('f', 'g', 'd');
  const value = name(growth);
  const made = assigned(growth, it, value);
  variables.add(it);
  return made;
}

function assigned(growth: Growth, it: string, value: string): string {
  const { choices } = growth;
  switch (choices.below(16)) {
    case 8:
      return `${it}=${glob(growth)}`;
    case 9:
      return `${it}=$(${printer(growth)})`;
    case 10:
      return choices.pick(
        `export ${it}=${value}`,
        `declare ${it}=${value}`,
        `readonly ${it}=${value}`,
        `${it}+=.ts`,
        `declare -i ${it}=1`,
        `declare -l ${it}=A.TS`,
        `declare -n ${it}=g`,
        `typeset -u ${it}=a`,
      );
    case 11:
      return choices.pick(
        `read ${it} <<< ${value}`,
        `printf -v ${it} %s ${value}`,
        `: \${${it}:=${value}}`,
        `unset ${it}`,
        `read -r ${it} < list.txt`,
        `mapfile ${it} < list.txt`,
        `let ${it}=1`,
      );
    case 12:
      return choices.pick(
        `${it}=(${words(growth)})`,
        `set -- ${words(growth)}`,
        `${it}=${variable(growth)}`,
        `${it}[0]=${value}`,
      );
    case 13:
      return choices.pick(
        `${it}="src/a.ts .env"`,
        `${it}='*.ts'`,
        `${it}='sub/*'`,
        `${it}=`,
        `${it}=~/a.ts`,
        `${it}=a.ts:~/b.ts`,
        `${it}={a,b}.ts`,
        `${it}=-n`,
        `${it}="a.ts\n.env"`,
      );
    case 14:
      return `${it}=${expansion(growth)}`;
    case 15:
      return `${it}=${folder(growth)}`;
    default:
      return `${it}=${value}`;
  }
}

const settings = listed(
  String.raw`CDPATH=sub ¦ CDPATH=..:out ¦ HOME=sub ¦ HOME=$PWD/src ¦ OLDPWD=src ¦ PWD=sub ¦ IFS=/ ¦ IFS= ¦ IFS='a '`,
  String.raw`set -f ¦ shopt -s dotglob ¦ shopt -s nullglob ¦ shopt -s globstar ¦ shopt -s nocaseglob ¦ shopt -s failglob`,
  String.raw`set -P ¦ shopt -s cdable_vars ¦ shopt -s autocd ¦ GLOBIGNORE=.env ¦ GLOBIGNORE="*.md" ¦ set -e ¦ set -u`,
  String.raw`set -o noglob ¦ shopt -s extglob ¦ export CDPATH=sub ¦ declare -x HOME=src ¦ unset HOME ¦ set -n ¦ set -a`,
  String.raw`unset PWD ¦ shopt -u globskipdots ¦ BASHOPTS= ¦ set +B ¦ set -o physical ¦ DIRSTACK=(src) ¦ set -- a.ts .env`,
  String.raw`shift ¦ enable -n cd ¦ hash -p /bin/cat ls ¦ umask 077 ¦ shopt -s lastpipe ¦ shopt -s nocasematch`,
  String.raw`shopt -s inherit_errexit ¦ set -o posix ¦ LC_ALL=C ¦ shopt -s patsub_replacement ¦ . ./go.sh`,
  String.raw`source show.sh ¦ . ./show.sh ¦ eval 'cd sub' ¦ eval 'f=.env' ¦ cd=sub ¦ exec 3< .env ¦ exec < list.txt`,
  String.raw`exec > new`,
);

export function set(growth: Growth): string {
  growth.straight = false;
  return oneOf(growth.choices, settings);
}
