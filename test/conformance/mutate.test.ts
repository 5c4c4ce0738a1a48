import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { copyCheckout } from './copy-checkout.ts';

const root = join(import.meta.dirname, '..', '..');

test('a copy of the checkout runs its own packages on the third-party packages of the original', async () => {
  const copy = realpathSync(mkdtempSync(join(tmpdir(), 'waybill-copy-')));
  try {
    await copyCheckout(root, copy);
    expect(existsSync(join(copy, 'packages/store/package.json'))).toBe(true);
    expect(existsSync(join(copy, 'packages/store/dist'))).toBe(false);
    const ours = join(copy, 'packages/store/node_modules/@waybill/contracts');
    expect(realpathSync(ours)).toBe(join(copy, 'packages/contracts'));
    expect(realpathSync(join(copy, 'node_modules/vitest'))).toBe(realpathSync(join(root, 'node_modules/vitest')));
  } finally {
    rmSync(copy, { recursive: true });
  }
});
