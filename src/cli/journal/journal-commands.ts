/** The `bridle journal` commands: rows of the table of commands. */

import { type CommandGroup, type Flag, jsonFlag, storeFlags } from '../command/command-row.ts';

const common: readonly Flag[] = [...storeFlags, jsonFlag];

export const journalCommands: CommandGroup = {
  summary: 'show, verify and export the record of decisions and their outcomes',
  commands: {
    tail: {
      summary: 'show the last records; with --follow, also new ones',
      options: [
        ['-n, --lines <count>', 'how many records to show (default: 10)'],
        ['-f, --follow', 'show new records as they are written (Ctrl-C to stop)'],
        ...common,
      ],
      examples: ['bridle journal tail', 'bridle journal tail -f -n 0 --json'],
      exitCodes: { 0: 'shown', 2: 'no such store', 130: 'stopped with Ctrl-C' },
      load: async () => (await import('./show-commands.ts')).tailRecords,
    },
    show: {
      usage: '<record>',
      summary: 'show one record in full by its number, or all records with this call id, from every session',
      options: common,
      details: 'Invisible characters are escaped.',
      examples: ['bridle journal show 17', 'bridle journal show 9f1c2d34-5b6a-4c7d-8e9f-0a1b2c3d4e5f --json'],
      exitCodes: { 0: 'shown', 1: 'no such record, or its hash does not match', 2: 'no such store' },
      load: async () => (await import('./show-commands.ts')).showRecords,
    },
    verify: {
      usage: '[file]',
      summary: 'check every record and signature of the store or of an exported file',
      options: [
        ['--head <hash>', 'a head you saved earlier; detects records cut off at the end'],
        ['--key <file...>', 'public keys to accept in addition to those in ~/.bridle/keys'],
        ['--from <count>', 'the number of the first record in the file (for an export made with --from)'],
        ['--strict', 'treat a file without signatures as a fault'],
        ...common,
      ],
      details: `FILE is an export, or - for stdin. Finds records that were changed, removed, duplicated, reordered or added, and
checkpoints that are missing or not signed by a known key. Records after the last checkpoint are chained but not yet
signed: anyone who can write the store can remove or replace them. To detect that too, save heads on another machine
(bridle journal head).`,
      examples: [
        'bridle journal verify',
        'bridle journal verify --head "$(cat saved/head)"',
        'bridle journal verify export.jsonl --key journal.pub',
      ],
      exitCodes: { 0: 'intact', 1: 'a fault was found', 2: 'no such store, file or key' },
      load: async () => (await import('./verify-command.ts')).verifyJournalCommand,
    },
    export: {
      summary: 'print every record and every signed checkpoint as a line of JSON',
      options: [['--from <count>', 'start with this record (default: 0)'], ...common],
      examples: ['bridle journal export > journal.jsonl', 'bridle journal export --from 5000 | gzip > rest.jsonl.gz'],
      exitCodes: { 0: 'exported', 2: 'no such store, or a damaged one', 141: 'output closed by the reader' },
      load: async () => (await import('./show-commands.ts')).exportJournal,
    },
    head: {
      summary: 'print the number of records and the hash of the last one, to save for verify --head',
      options: common,
      examples: [
        'bridle journal head > /mnt/elsewhere/head',
        'bridle journal verify --head "$(cat /mnt/elsewhere/head)"',
      ],
      exitCodes: { 0: 'printed', 2: 'no such store' },
      load: async () => (await import('./show-commands.ts')).showHead,
    },
  },
};
