/** A leak that tests plant, for as long as the mocks of `vi` are not restored. */
import { vi } from 'vitest';
import { LabelGenerator } from '../../src/garbling/garbler.ts';

/** Labels whose select bits are all 0, so that those of the inputs tell what these are. */
export function plantSelectBits(): void {
  const { next } = LabelGenerator.prototype;
  vi.spyOn(LabelGenerator.prototype, 'next').mockImplementation(function (this: LabelGenerator, length) {
    const labels = next.call(this, length);
    for (let i = 0; i < length; i += 16) labels[i] = labels[i]! & 0xfe;
    return labels;
  });
}
