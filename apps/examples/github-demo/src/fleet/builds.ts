import { fileURLToPath } from 'node:url';

/** The two builds of the dispatcher that the story is about. */
export type Build = 'older' | 'newer';

/** The configuration that makes a build what it is. The files lie beside `src` and `dist`, so both reach them the same way. */
export function configurationOf(build: Build): string {
  return fileURLToPath(new URL(`../../dispatcher.${build}.config.mjs`, import.meta.url));
}
