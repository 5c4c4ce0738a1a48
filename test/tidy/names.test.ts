import { enforce } from './rule.ts';

const ROOMS = /^(packages|apps|test)\//;
/** Words that say nothing about what is inside, so that everything ends up there. */
const DRAWER = /(^|[/-])(utils?|helpers?|managers?|misc)[/.]|(^|\/)(common|shared|lib|stuff)[/.]/;
const KEBAB = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*$/;
/** Names that a tool or custom has given. */
const GIVEN = /^(README|NOTES|CHANGELOG|LICENSE)\.md$|^\d+[a-z0-9_]*\.sql$|^\.[a-z.]+$/;

enforce({
  title: 'Files are named in kebab-case for what they are about',
  mend: 'Name the file by its noun (a service) or by noun and verb (a statement); a drawer is split among its users.',
  covers: (path) => ROOMS.test(path) && !path.includes('/fixtures/'),
  breaches: ({ path }) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (DRAWER.test(path)) return [{ line: 1, what: 'says nothing about what is inside' }];
    return KEBAB.test(name) || GIVEN.test(name) ? [] : [{ line: 1, what: 'is not in kebab-case' }];
  },
  caught: [
    'packages/store/src/utils.ts',
    'packages/store/src/common/x.ts',
    'packages/store/src/string-helpers.ts',
    'apps/dispatcher/src/lease-manager.ts',
    'apps/dispatcher/src/leaseKeeper.ts',
    'apps/dispatcher/src/lease_keeper.ts',
  ].map((path) => ({ path, text: '' })),
  allowed: [
    'packages/store/src/lease-keeper.ts',
    'packages/store/sql/migrations/0001_tables.sql',
    'packages/store/README.md',
    'packages/store/src/management.test.ts',
    'packages/store/src/shared-connection.ts',
  ].map((path) => ({ path, text: '' })),
});
