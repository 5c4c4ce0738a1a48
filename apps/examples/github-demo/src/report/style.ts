/** How text is set off. Without colour, styles leave the text alone. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  good(text: string): string;
  bad(text: string): string;
}

const ESCAPE = '\u001b[';

/** Colour on a terminal that wants it (https://no-color.org), plain text elsewhere. */
export function createStyle(colour: boolean): Style {
  const wrap = (code: number) => (text: string) => (colour ? `${ESCAPE}${code}m${text}${ESCAPE}0m` : text);
  return { bold: wrap(1), dim: wrap(2), good: wrap(32), bad: wrap(31) };
}
