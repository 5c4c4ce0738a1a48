import { describe, expect, test } from 'vitest';
import type { Findings } from '../scenario/scenario.ts';
import { markdownOf, summaryOf } from './markdown.ts';
import { figure, type Report, resultOf } from './report.ts';
import { svgOf } from './svg.ts';

const findings: Findings = {
  measures: [
    {
      label: 'no keys',
      value: 31_234.5,
      unit: 'messages/s',
      peers: { 'graphile-worker': 10_000 },
      ratio: 3.12,
      against: 'graphile-worker',
      target: { atLeast: 1.5 },
      spread: 0.05,
    },
    {
      label: 'a <slow> handler',
      value: 12,
      unit: 'messages/s',
      peers: {},
      ratio: 12,
      against: 'itself',
      target: { atMost: 5 },
    },
  ],
  faults: [],
};
const report: Report = {
  machine: { cores: 2 },
  versions: { node: '24.0.0' },
  server: { shared_buffers: '1GB' },
  date: '2026-01-31',
  scenarios: [resultOf('drain', 'drain a queue', findings)],
};

describe('a report', () => {
  test('shows the first measure on top, and is met only if all of them are', () => {
    const [result] = report.scenarios;
    expect(result).toMatchObject({
      id: 'P02',
      name: 'drain',
      value: 31_234.5,
      ratio: 3.12,
      target: { atLeast: 1.5 },
      met: false,
    });
    expect(result?.measures.map(({ met }) => met)).toEqual([true, false]);
  });

  test('as Markdown names machine, versions, settings and date, and what each contender gives up', () => {
    const text = markdownOf(report);
    expect(text).toContain(
      'Measured 2026-01-31 on cores 2. Versions: node 24.0.0. PostgreSQL settings: shared_buffers 1GB.',
    );
    expect(text).toContain(
      '| P02 | `drain`: no keys | 31,235 messages/s (spread 5 %) | graphile-worker 10,000 | 3.12 of graphile-worker | at least 1.5 | yes |',
    );
    expect(text).toContain('| at most 5 | **no** |');
    expect(text).toContain('| pg-boss |');
  });

  test('as a picture has a bar for us and for each peer', () => {
    const picture = svgOf(report);
    expect(picture.match(/<rect [^>]*height="16"/g)).toHaveLength(2);
    expect(picture).toContain('>31,235</text>');
  });

  test('shows three digits, or whole numbers from a hundred on', () => {
    expect([0.12345, 4.5678, 99.96, 123.4, 65_432.1, Number.NaN].map(figure)).toEqual([
      '0.123',
      '4.57',
      '100',
      '123',
      '65,432',
      '-',
    ]);
  });

  test('sums a scenario up by its first measure and the targets that it meets', () => {
    expect(summaryOf(report)).toContain(
      '| P02 | drain a queue | no keys: 31,235 messages/s | 3.12 of graphile-worker | at least 1.5 | 1 of 2 |',
    );
    expect(summaryOf(report)).toContain('Measured 2026-01-31 on cores 2; node 24.0.0.');
  });
});
