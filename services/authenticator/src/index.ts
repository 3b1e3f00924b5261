/** A continuous-authentication back end on reduced rows. */
export {};
