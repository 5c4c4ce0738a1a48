// Controls move the cursor, recolour or retitle a terminal; invisible and bidirectional ones make text look like another one.
const UNPRINTABLE = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** Keys and errors come from outside: what moves a cursor or hides text is shown instead of obeyed. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, escaped);
}

/** The same for a text of several lines. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/** A document that means the same to whoever parses it, and nothing to a terminal. */
export function jsonText(document: Readonly<Record<string, unknown>>): string {
  return printableLines(JSON.stringify(document, null, 2));
}

/** As JSON writes it, which names most controls but lets through DEL, C1 and everything above. */
function escaped(character: string): string {
  const named = JSON.stringify(character).slice(1, -1);
  if (named !== character) return named;
  return Array.from({ length: character.length }, (_, unit) => hex(character.charCodeAt(unit))).join('');
}

const hex = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`;
