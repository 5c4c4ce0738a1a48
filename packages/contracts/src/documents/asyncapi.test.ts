import { DiagnosticSeverity, Parser } from '@asyncapi/parser';
import { Type } from '@sinclair/typebox';
import { expect, test } from 'vitest';
import { delivery, orders } from '../../test/orders.ts';
import { defineContracts } from '../definition/contract-package.ts';
import { defineMessage } from '../definition/define-message.ts';
import { asyncApiDocument } from './asyncapi.ts';

/** That there is a newer AsyncAPI is information, and no fault. */
const FAULTS: readonly number[] = [DiagnosticSeverity.Error, DiagnosticSeverity.Warning];

/** What the official parser finds wrong. */
async function faults(document: object): Promise<readonly string[]> {
  const diagnostics = await new Parser().validate(JSON.stringify(document));
  return diagnostics
    .filter(({ severity }) => FAULTS.includes(severity))
    .map(({ path, message }) => `${path.join('/')}: ${message}`);
}

test('V08: the AsyncAPI document is one to the official parser, with a message for each version', async () => {
  expect(await faults(asyncApiDocument(orders, '1.0.0'))).toEqual([]);
  const { document } = await new Parser().parse(JSON.stringify(asyncApiDocument(orders, '1.0.0')));
  expect(
    document
      ?.allMessages()
      .all()
      .map((message) => message.id())
      .sort(),
  ).toEqual(['orders.charge-card.v1', 'orders.order-placed.v1', 'orders.order-placed.v2', 'orders.order-placed.v3']);
  expect(await faults({ ...asyncApiDocument(orders, '1.0.0'), channels: 7 })).not.toEqual([]);
});

test('a recursive schema keeps its references', async () => {
  const Folder = Type.Recursive((Self) => Type.Object({ name: Type.String(), inside: Type.Array(Self) }), {
    $id: 'Folder',
  });
  const FolderMoved = defineMessage({
    type: 'folders.moved',
    kind: 'journey-step-command',
    recordKey: null,
    versions: { 1: Type.Object({ folder: Folder }) },
    delivery,
  });
  const document = asyncApiDocument(defineContracts({ name: '@acme/folders', messages: [FolderMoved] }), '1.0.0');
  expect(await faults(document)).toEqual([]);
  const { document: parsed } = await new Parser().parse(JSON.stringify(document));
  const inside = parsed
    ?.allMessages()
    .get('folders.moved.v1')
    ?.payload()
    ?.property('folder')
    ?.property('inside')
    ?.items();
  expect(Array.isArray(inside) ? 'a list' : inside?.property('name')?.type()).toBe('string');
});
