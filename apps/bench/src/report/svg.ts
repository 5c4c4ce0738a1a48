import { figure, type Report, type ScenarioResult } from './report.ts';

const WIDTH = 860;
const LABEL_WIDTH = 190;
const BAR_HEIGHT = 16;
const GAP = 4;
const TITLE_HEIGHT = 30;
const FIGURE_WIDTH = 110;

/** One group of bars for each scenario that has peers: ours above theirs, on the scale of the largest. */
export function svgOf({ scenarios }: Report): string {
  let y = 10;
  const groups: string[] = [];
  for (const scenario of scenarios.filter(({ peers }) => Object.keys(peers).length > 0)) {
    groups.push(groupOf(scenario, y));
    y += TITLE_HEIGHT + barsOf(scenario).length * (BAR_HEIGHT + GAP) + GAP;
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" font-family="system-ui, sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${y}" fill="#ffffff"/>`,
    ...groups,
    '</svg>',
    '',
  ].join('\n');
}

function barsOf({ value, peers }: ScenarioResult): readonly (readonly [string, number])[] {
  return [['waybill', value], ...Object.entries(peers)];
}

function groupOf(scenario: ScenarioResult, top: number): string {
  const bars = barsOf(scenario);
  const largest = Math.max(...bars.map(([, value]) => value));
  const room = WIDTH - LABEL_WIDTH - FIGURE_WIDTH;
  const title = `${scenario.id} ${scenario.title}: ${scenario.measures[0]?.label ?? ''} (${scenario.unit})`;
  return [
    `<text x="8" y="${top + 18}" font-weight="600">${escaped(title)}</text>`,
    ...bars.map(([name, value], index) => {
      const y = top + TITLE_HEIGHT + index * (BAR_HEIGHT + GAP);
      const length = Math.max(1, (room * value) / largest);
      const colour = index === 0 ? '#0b6e4f' : '#b8c0cc';
      return (
        `<text x="${LABEL_WIDTH - 8}" y="${y + 12}" text-anchor="end">${escaped(name)}</text>` +
        `<rect x="${LABEL_WIDTH}" y="${y}" width="${length.toFixed(1)}" height="${BAR_HEIGHT}" fill="${colour}"/>` +
        `<text x="${(LABEL_WIDTH + length + 6).toFixed(1)}" y="${y + 12}">${figure(value)}</text>`
      );
    }),
  ].join('\n');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
