import { expect, test } from 'vitest';
import { metricsPage } from './reference.ts';

// `vitest -u` writes the file anew after a change of the catalogue.
test('W21 W27: docs/metrics.md says what the catalogue says', async () => {
  await expect(metricsPage()).toMatchFileSnapshot('../../../../docs/metrics.md');
});
