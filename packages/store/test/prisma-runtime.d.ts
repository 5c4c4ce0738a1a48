// Parts of Prisma's runtime that come without types, and what Node has of WebAssembly, as far as the test client needs them.
declare module '@prisma/client/runtime/query_compiler_fast_bg.postgresql.mjs';
declare module '@prisma/client/runtime/query_compiler_fast_bg.postgresql.wasm-base64.mjs' {
  export const wasm: string;
}
declare namespace WebAssembly {
  const Module: new (bytes: Uint8Array) => object;
}
