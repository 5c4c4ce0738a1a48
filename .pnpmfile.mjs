/** What is published has no sources: the condition that leads to them in the workspace stays here. */
function beforePacking(manifest) {
  const { exports = {} } = manifest;
  const published = Object.entries(exports).map(([subpath, { '@waybill/source': _source, ...conditions }]) => [
    subpath,
    conditions,
  ]);
  return { ...manifest, exports: Object.fromEntries(published) };
}

export const hooks = { beforePacking };
