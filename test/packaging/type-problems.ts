import { checkPackage, createPackageFromTarballData, type Problem } from '@arethetypeswrong/core';

/** We publish ES modules with an exports map: how CommonJS, and resolvers older than exports maps, see them does not matter. */
function matters(problem: Problem): boolean {
  if ('resolutionKind' in problem) return !['node10', 'node16-cjs'].includes(problem.resolutionKind);
  return !('resolutionOption' in problem) || problem.resolutionOption !== 'node10';
}

/** What is wrong with the types of a packed package. */
export async function typeProblems(tarball: Uint8Array<ArrayBuffer>): Promise<readonly Problem[]> {
  const result = await checkPackage(createPackageFromTarballData(tarball));
  if (result.types === false) throw new Error('the package has no types');
  return result.problems.filter(matters);
}
