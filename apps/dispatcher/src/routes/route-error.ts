/** Routes and contracts that do not fit together; nothing is started with them. */
export class RouteError extends Error {
  override readonly name = 'RouteError';
  readonly code = 'DSP_ROUTES_INVALID';
  /** Everything that was found, not only the first. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`the routes do not fit the contracts:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}
