/**
 * An event by the JSON format of CloudEvents 1.0.2.
 *
 * @param data JSON text. It is put in as it stands, since parsing it first would change numbers that JavaScript cannot hold.
 */
export function structuredJson(attributes: Readonly<Record<string, string>>, data: string): string {
  const envelope = JSON.stringify({ ...attributes, datacontenttype: 'application/json' });
  return `${envelope.slice(0, -1)},"data":${data}}`;
}
