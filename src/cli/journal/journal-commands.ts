/** `bridle journal`: what each of its commands takes, and what `--help` says of it. */

import type { StoreGroup } from '../options/store-command.ts';

export const journalCommands: StoreGroup = {
  does: 'the record of what was decided and what came of it: look at it, verify it, take it elsewhere',
  commands: {
    tail: {
      does: 'the last records, and with --follow those that come',
      flags: [
        ['-n, --lines <count>', 'how many of the last records (default: 10)'],
        ['-f, --follow', 'go on with those that come, until Ctrl-C'],
      ],
      more: `Examples:
  bridle journal tail
  bridle journal tail -f -n 0 --json

Exit codes: 0 fine · 2 no such store · 130 ended with Ctrl-C`,
      load: async () => (await import('./tail-command.ts')).tailRecords,
    },
    show: {
      takes: '<record>',
      does: 'one record whole, by its number, or every record of a call, by its id',
      flags: [],
      more: `Characters that cannot be seen are spelled out.

Examples:
  bridle journal show 17
  bridle journal show 9f1c2d34-5b6a-4c7d-8e9f-0a1b2c3d4e5f --json

Exit codes: 0 shown · 1 there is none, or it was changed · 2 no such store`,
      load: async () => (await import('./show-command.ts')).showRecords,
    },
    verify: {
      takes: '[file]',
      does: 'check every record and every signature, of the store or of an exported file',
      flags: [
        ['--head <hash>', 'a head that was kept elsewhere: an end that is cut off before it is found'],
        ['--key <file...>', 'public keys whose signatures count beside those in ~/.bridle/keys'],
        ['--from <count>', 'the file begins with this record, since it was exported so'],
        ['--strict', 'a file without signatures is a fault'],
      ],
      more: `FILE is an export, or - for stdin. A changed, missing, doubled, moved or foreign record is found, and so is a
checkpoint that is missing or not signed by a known key. Records after the last checkpoint are only chained: whoever
can write the store can cut them off or replace them. Keep heads elsewhere (bridle journal head) to find that, too.

Examples:
  bridle journal verify
  bridle journal verify --head "$(cat kept/head)"
  bridle journal verify export.jsonl --key journal.pub

Exit codes: 0 whole · 1 a fault was found · 2 no such store, file or key`,
      load: async () => (await import('./verify-command.ts')).verifyJournalCommand,
    },
    export: {
      does: 'every record as a line of JSON, with the signed checkpoints between them',
      flags: [['--from <count>', 'begin with this record (default: 0)']],
      more: `Examples:
  bridle journal export > journal.jsonl
  bridle journal export --from 5000 | gzip > rest.jsonl.gz

Exit codes: 0 fine · 2 no such store, or a damaged one · 141 nobody reads the output any more`,
      load: async () => (await import('./export-command.ts')).exportJournal,
    },
    head: {
      does: 'how many records there are, and the hash of the last one: keep it elsewhere, and verify --head shows a cut',
      flags: [],
      more: `Examples:
  bridle journal head > /mnt/elsewhere/head
  bridle journal verify --head "$(cat /mnt/elsewhere/head)"

Exit codes: 0 fine · 2 no such store`,
      load: async () => (await import('./head-command.ts')).showHead,
    },
  },
};
