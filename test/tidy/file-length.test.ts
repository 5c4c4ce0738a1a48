import { isCode, isTest, type SourceFile } from './files.ts';
import { type Breach, enforce } from './rule.ts';

/** Nine tenths of the files of codebases that people call well made stay below; beyond it a file is usually two. */
const MAX_LINES = 300;

function tooLong({ text }: SourceFile): readonly Breach[] {
  const lines = text.split('\n').length - 1;
  return lines > MAX_LINES ? [{ line: MAX_LINES + 1, what: `${lines} lines` }] : [];
}

const lines = (count: number): string => 'x\n'.repeat(count);

enforce({
  title: `D01: no source file is longer than ${MAX_LINES} lines`,
  mend: 'Split the file by what it is about: there are two nouns or two verbs in it.',
  covers: (path) =>
    (isCode(path) || path.endsWith('.sql')) &&
    !isTest(path) &&
    !path.includes('/generated/') &&
    !path.startsWith('schemas/'),
  breaches: tooLong,
  caught: [{ path: 'packages/store/src/x.ts', text: lines(301) }],
  allowed: [
    { path: 'packages/store/src/x.ts', text: lines(300) },
    { path: 'packages/store/src/x.test.ts', text: lines(301) },
    { path: 'packages/store/src/generated/x.ts', text: lines(301) },
  ],
  exceptions: {},
});
