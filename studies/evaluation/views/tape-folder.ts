/** The variable that tells the preloaded recorder of randomness the folder of its tapes. */
export const TAPE_FOLDER = 'EIGENVEIL_EVALUATION_TAPES';
