/** A generation of the tables: 1 has no record keys, 2 has. */
export type Generation = 1 | 2;

/** The newest generation that this version of the store knows. */
export const GENERATION: Generation = 2;
