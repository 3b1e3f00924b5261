/** Continuous authentication on reduced rows, as pure functions: frames, templates, scores, decisions, drift. */
export {};
