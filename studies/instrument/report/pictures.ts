/** Grey pictures as SVG: a path for each grey, so that a page needs no other file and no permission to load one. */
import { CodedError } from '@eigenveil/platform';
import { REPORT_CODES } from './codes.ts';
import type { Picture } from './document.ts';
import { escapeXml } from './escape.ts';

/** More would make pages heavy. */
const MOST_PIXELS = 65_536;
/** CSS pixels that one of the picture's is drawn as at most. */
const ZOOM = 6;

/**
 * Draws the picture for a page, or for a file of its own.
 * @throws ERR_REPORT for pixels that are not width × height whole numbers from 0 to 255, or too many
 */
export function pictureSvg(picture: Picture): string {
  const { name, caption, width, height } = picture;
  check(picture);
  const paths = [...greys(picture)].map(
    ([grey, path]) => `<path fill="rgb(${grey},${grey},${grey})" d="${path}"/>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="picture-${name}-title" width="${ZOOM * width}" height="${ZOOM * height}" viewBox="0 0 ${width} ${height}" style="max-width:${ZOOM * width}px" shape-rendering="crispEdges"><title id="picture-${name}-title">${escapeXml(caption)}</title>${paths.join('')}</svg>`;
}

function check({ name, width, height, pixels }: Picture): void {
  const whole = [width, height].every((side) => Number.isInteger(side) && side > 0);
  if (!whole || width * height !== pixels.length || pixels.length > MOST_PIXELS)
    throw new CodedError(
      REPORT_CODES.ERR_REPORT,
      `picture "${name}": expected width × height pixels, at most ${MOST_PIXELS}, got ${pixels.length} for ${width} × ${height}`,
    );
  if (!pixels.every((grey) => Number.isInteger(grey) && grey >= 0 && grey <= 255))
    throw new CodedError(REPORT_CODES.ERR_REPORT, `picture "${name}": expected whole numbers from 0 to 255`);
}

/** Runs of equal pixels, by grey. */
function greys({ width, height, pixels }: Picture): Map<number, string> {
  const paths = new Map<number, string>();
  for (let y = 0; y < height; y += 1) {
    for (let x = 0, length = 1; x < width; x += length, length = 1) {
      const grey = pixels[y * width + x]!;
      while (x + length < width && pixels[y * width + x + length] === grey) length += 1;
      paths.set(grey, `${paths.get(grey) ?? ''}M${x} ${y}h${length}v1h-${length}z`);
    }
  }
  return paths;
}
