/** The pace of lines that say how far long work has come. */

/** Between two lines of long work, where no terminal shows a bar or nothing is news. */
export const LINE_MILLISECONDS = 5000;

/** Tells, whenever it is asked, whether so many milliseconds have passed since it was made or last said so. */
export function every(milliseconds: number): () => boolean {
  let last = performance.now();
  return () => {
    const now = performance.now();
    if (now - last < milliseconds) return false;
    last = now;
    return true;
  };
}
