/** What the preloaded recorder of randomness is told by: the variable with the folder of its tapes. */
export const TAPE_FOLDER = 'EIGENVEIL_EVALUATION_TAPES';
