export default {
  build: 'two words',
  contracts: 'parcels',
  lease: { leaseMs: 10_000, renewEvryMs: 9_000 },
  worker: { concurrency: 4 },
};
