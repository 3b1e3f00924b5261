/** Sets of rows that sketches are measured on: made up ones of any width, and images where the data is. */

/** Features of the sets of images. */
const IMAGES: Readonly<Record<string, number>> = {
  yale16: 256,
  olivetti16: 256,
  mnist2000: 784,
  yale32: 1024,
  olivetti32: 1024,
  yale: 4096,
  olivetti: 4096,
};

export const SKETCH_SETS = ['wide1024', 'wide4096', 'wide10000', ...Object.keys(IMAGES)];

export const featuresOf = (dataset: string): number => IMAGES[dataset] ?? Number(/\d+$/.exec(dataset)?.[0]);
