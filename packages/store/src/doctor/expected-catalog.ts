import { readFileSync } from 'node:fs';

import type { Catalog } from '../statements/catalog.ts';

const FILE = new URL('../../sql/catalog.json', import.meta.url);

/** What the migrations of this version make of an empty schema. Generated: `npx vitest run --project generated -u` writes it anew. */
export function expectedCatalog(): Catalog {
  // Written by the test beside this file, from what readCatalog gives.
  return JSON.parse(readFileSync(FILE, 'utf8')) as Catalog;
}
