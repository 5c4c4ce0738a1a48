import { expect, test } from 'vitest';

import { requireSupportedVersion } from './server-version.ts';

test.each([140_000, 150_018, 180_000, 190_001])('S09: version %i is supported', (version) => {
  expect(() => requireSupportedVersion(version)).not.toThrow();
});

test.each([90_624, 130_022, 139_999])('S09: version %i is refused with a code', (version) => {
  expect(() => requireSupportedVersion(version)).toThrow(
    expect.objectContaining({ code: 'STO_SERVER_TOO_OLD' }) as Error,
  );
});
