import type { SourceFile } from './files.ts';
import { enforce, matchingLines } from './rule.ts';

/** Bracketed letters keep the patterns from matching themselves. */
const WORDS = [
  String.raw`\.\./s[h]ared\b`,
  String.raw`(^|[\s"'\x60(])/w[o]rk/`,
  String.raw`/tmp/b[r]ief`,
  String.raw`\bhttps?://[^\s"']*(reg[i]stry|artif[a]ctory|verd[a]ccio)`,
  String.raw`\b(TO[D]O|FI[X]ME|XX[X]|HA[C]K)\b`,
];

const sample = (...parts: readonly string[]): SourceFile => ({ path: 'docs/x.md', text: parts.join('') });

enforce({
  title: 'D06: no path or host of one machine, and no marker of unfinished work, is in the tree',
  mend: 'A fresh clone elsewhere has neither; finish the work or write it into the issue tracker.',
  covers: () => true,
  breaches: matchingLines(new RegExp(WORDS.join('|'))),
  caught: [
    sample('see ../', 'shared/x'),
    sample('cd /', 'work/main'),
    sample('https://', 'registry.example.org/x'),
    sample('// TO', 'DO: later'),
  ],
  allowed: [sample('a registry of readers'), sample('packages/work/x'), sample('https://example.org/readers')],
});
