/**
 * A Prisma client without models. It is made by the function that generated clients call, from what `prisma generate` writes for an empty schema:
 * the generator itself wants to download a program, which a test must not.
 */
import { PrismaPg } from '@prisma/adapter-pg';
import { getPrismaClient } from '@prisma/client/runtime/client';

const Client = getPrismaClient({
  previewFeatures: [],
  clientVersion: 'none',
  engineVersion: 'none',
  activeProvider: 'postgresql',
  inlineSchema: 'datasource db {\n  provider = "postgresql"\n}\n',
  runtimeDataModel: { models: {}, enums: {}, types: {} },
  parameterizationSchema: { strings: [], graph: 'AAAA' },
  compilerWasm: {
    getRuntime: () => import('@prisma/client/runtime/query_compiler_fast_bg.postgresql.mjs'),
    async getQueryCompilerWasmModule() {
      const { wasm } = await import('@prisma/client/runtime/query_compiler_fast_bg.postgresql.wasm-base64.mjs');
      return new WebAssembly.Module(Buffer.from(wasm, 'base64'));
    },
    importName: './query_compiler_fast_bg.js',
  },
});

/** The part of a client that the tests use, typed as in a generated one. */
export interface PrismaClient {
  $connect(): Promise<void>;
  $disconnect(): Promise<void>;
  $executeRawUnsafe(query: string, ...values: unknown[]): PromiseLike<number>;
  $queryRawUnsafe(query: string, ...values: unknown[]): PromiseLike<unknown>;
  $transaction<T>(
    work: (tx: PrismaTx) => Promise<T>,
    options?: { readonly isolationLevel?: 'RepeatableRead' | 'Serializable' },
  ): Promise<T>;
}

/** What an interactive transaction gives. */
export type PrismaTx = Omit<PrismaClient, '$connect' | '$disconnect'>;

export function openPrisma(url: string): PrismaClient {
  return new Client({
    adapter: new PrismaPg({ connectionString: url, max: 2 }),
    // Longer than its 5 s, for a machine under load.
    transactionOptions: { timeout: 60_000, maxWait: 60_000 },
  });
}
